// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/cape/PID-SERIAL: what the driver knows of every attached process. */
#include <linux/debugfs.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include "device/device.h"

static struct dentry *cape_debug_folder;
static atomic_t cape_debug_serial = ATOMIC_INIT(0);

static const char *mode_name(u32 mode)
{
	switch (mode) {
	case CAPE_MODE_SNAPSHOT:
		return "snapshot";
	case CAPE_MODE_RECORD:
		return "record";
	case CAPE_MODE_NOTIFY:
		return "notify";
	default:
		return "unlocked";
	}
}

static void show_ranges(struct seq_file *file, const struct cape_snapshot *snapshot)
{
	u32 i;

	if (!snapshot)
		return;
	if (snapshot->whole) {
		seq_puts(file, "range: whole image\n");
		return;
	}
	for (i = 0; i < snapshot->range_count; i++)
		seq_printf(file, "range: %#llx-%#llx\n", snapshot->ranges[i].start,
			   snapshot->ranges[i].start + snapshot->ranges[i].length);
}

static void show_epochs(struct seq_file *file, const struct cape_snapshot *snapshot)
{
	struct cape_layer *layer;

	if (!snapshot)
		return;
	list_for_each_entry(layer, &snapshot->layers, link)
		seq_printf(file, "epoch %llu: %llu twins\n", layer->epoch, layer->twin_count);
	seq_printf(file, "epoch %llu: the newest\n", snapshot->epoch);
}

static void show_statistics(struct seq_file *file, struct cape_process *process)
{
	struct cape_statistics statistics;

	cape_fill_statistics(process, &statistics);
	seq_printf(file, "locks: %llu\nunlocks: %llu\n", statistics.locks, statistics.unlocks);
	seq_printf(file, "pages_locked: %llu\npages_captured: %llu\n", statistics.pages_locked,
		   statistics.pages_captured);
	seq_printf(file, "pages_unlocked: %llu\npages_collected: %llu\n",
		   statistics.pages_unlocked, statistics.pages_collected);
	seq_printf(file, "faults_notified: %llu\nfaults_ignored: %llu\n",
		   statistics.faults_notified, statistics.faults_ignored);
	seq_printf(file, "bytes_read: %llu\nbytes_written: %llu\n", statistics.bytes_read,
		   statistics.bytes_written);
	seq_printf(file, "lock_ns: %llu\ncollect_ns: %llu\n", statistics.lock_ns,
		   statistics.collect_ns);
}

static int process_show(struct seq_file *file, void *unused)
{
	struct cape_process *process = file->private;
	struct cape_status status = {};
	int err;

	err = mutex_lock_killable(&process->lock);
	if (err)
		return err;
	cape_fill_status(process, &status);
	seq_printf(file, "pid: %d\nmode: %s\n", pid_nr(process->pid), mode_name(status.mode));
	show_ranges(file, cape_locked_snapshot(process));
	show_epochs(file, cape_locked_snapshot(process));
	seq_printf(file, "twins: %llu\nopen: %llu\nthreads: %u\n", status.twin_count,
		   status.open_count, status.thread_count);
	show_statistics(file, process);
	mutex_unlock(&process->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(process);

/* A kernel without debugfs, or with it locked down, costs us the files and nothing else. */
void cape_debug_init(void)
{
	cape_debug_folder = debugfs_create_dir("cape", NULL);
}

void cape_debug_exit(void)
{
	debugfs_remove(cape_debug_folder);
}

void cape_debug_add(struct cape_process *process)
{
	char name[32];

	/* Process ids come again while an old descriptor is still open. */
	snprintf(name, sizeof(name), "%d-%u", pid_nr(process->pid),
		 (unsigned int)atomic_inc_return(&cape_debug_serial));
	process->debug = debugfs_create_file(name, 0400, cape_debug_folder, process, &process_fops);
}

/* Waits for readers, so process->lock must not be held. */
void cape_debug_remove(struct cape_process *process)
{
	debugfs_remove(process->debug);
}
