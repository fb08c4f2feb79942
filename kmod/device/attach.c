// SPDX-License-Identifier: GPL-2.0-only
/*
 * The attach descriptor: binds a monitor to the image of one process, has every request checked,
 * and hands it to the file that carries it out.
 */
#define CREATE_TRACE_POINTS
#include <linux/anon_inodes.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/uaccess.h>
#include "device/device.h"
#include "time/time.h"
#include "trace.h"

union request {
	struct cape_lock lock;
	struct cape_page page;
	struct cape_capture capture;
	struct cape_collect collect;
	struct cape_rollback rollback;
	struct cape_make_recorder make_recorder;
	struct cape_make_stack_recorder make_stack_recorder;
	struct cape_check check;
	struct cape_access access;
	struct cape_status status;
	struct cape_statistics statistics;
	struct cape_epoch epoch;
	struct cape_epoch_number epoch_number;
	struct cape_read_epoch read_epoch;
	struct cape_seek_epoch seek_epoch;
	struct cape_rollback_to rollback_to;
	struct cape_diff diff;
	struct cape_epochs epochs;
	struct cape_watch_bytes watch_bytes;
};

static int do_lock(struct cape_process *process, union request *request)
{
	struct cape_lock *lock = &request->lock;
	int err;

	if (lock->mode != CAPE_MODE_SNAPSHOT && lock->mode != CAPE_MODE_NOTIFY &&
	    lock->mode != CAPE_MODE_RECORD)
		return -EINVAL;
	if (lock->flags & ~(CAPE_LOCK_CHECK | CAPE_LOCK_NO_TWINS) || lock->reserved ||
	    !lock->ranges != !lock->range_count)
		return -EINVAL;
	if (lock->flags & CAPE_LOCK_NO_TWINS &&
	    (lock->flags & CAPE_LOCK_CHECK || lock->mode == CAPE_MODE_NOTIFY))
		return -EINVAL;
	if (lock->mode == CAPE_MODE_RECORD && !rcu_access_pointer(process->recorder))
		return -ENXIO;
	if (cape_locked_snapshot(process))
		return -EBUSY;
	/* Before the lock, after which no first write may be missed. */
	err = lock->mode == CAPE_MODE_SNAPSHOT ? 0 : cape_watch_threads(process);
	err = err ?: cape_lock(process, lock);
	if (!err)
		cape_watch_lock(process);
	return err;
}

static int do_make_recorder(struct cape_process *process, union request *request)
{
	if (request->make_recorder.flags)
		return -EINVAL;
	return cape_make_recorder(process, request->make_recorder.record_count, 0);
}

static int do_make_stack_recorder(struct cape_process *process, union request *request)
{
	const struct cape_make_stack_recorder *make = &request->make_stack_recorder;

	if (make->flags || make->reserved || !make->stack_bytes ||
	    make->stack_bytes > CAPE_STACK_MOST || !IS_ALIGNED(make->stack_bytes, sizeof(u64)))
		return -EINVAL;
	return cape_make_recorder(process, make->record_count, make->stack_bytes);
}

static int do_watch_bytes(struct cape_process *process, union request *request)
{
	struct cape_watch_bytes *bytes = &request->watch_bytes;

	if (bytes->flags || bytes->reserved || (!bytes->length && bytes->address))
		return -EINVAL;
	bytes->breakpoints = 0;
	bytes->thread_count = 0;
	if (bytes->length)
		return cape_watch_bytes(process, bytes);
	if (!process->watch)
		return -ENODATA;
	cape_unwatch_bytes(process);
	return 0;
}

static int do_unlock(struct cape_process *process, union request *request)
{
	if (!cape_locked_snapshot(process))
		return -ENODATA;
	cape_let_go(process);
	return 0;
}

static int do_unlock_page(struct cape_process *process, union request *request)
{
	return cape_unlock_page(process, &request->page);
}

static int do_capture_page(struct cape_process *process, union request *request)
{
	if (request->capture.flags & ~CAPE_CAPTURE_KEEP)
		return -EINVAL;
	return cape_capture_page(process, &request->capture);
}

static void finish_capture(struct cape_process *process, union request *request)
{
	cape_captured(process, &request->capture);
}

static int do_collect(struct cape_process *process, union request *request)
{
	struct cape_collect *collect = &request->collect;

	if (collect->flags & ~CAPE_COLLECT_UNLOCK || collect->reserved)
		return -EINVAL;
	if (!collect->page_capacity || !collect->twins != !collect->twin_capacity)
		return -EINVAL;
	if (collect->cursor != CAPE_CURSOR_END && !PAGE_ALIGNED(collect->cursor))
		return -EINVAL;
	return cape_collect(process, collect);
}

static void finish_collect(struct cape_process *process, union request *request)
{
	cape_collected(process, true);
}

static void undo_collect(struct cape_process *process)
{
	cape_collected(process, false);
}

static int do_rollback(struct cape_process *process, union request *request)
{
	struct cape_rollback *rollback = &request->rollback;

	if (rollback->flags || rollback->reserved)
		return -EINVAL;
	rollback->page_count = 0;
	rollback->new_bytes = 0;
	rollback->address = 0;
	return cape_rollback(process, CAPE_EPOCH_NEWEST, rollback);
}

static int do_rollback_to(struct cape_process *process, union request *request)
{
	struct cape_rollback_to *to = &request->rollback_to;
	struct cape_rollback rollback = {};
	int err;

	if (to->flags || to->reserved)
		return -EINVAL;
	err = cape_rollback(process, to->epoch, &rollback);
	to->page_count = rollback.page_count;
	to->new_bytes = rollback.new_bytes;
	to->address = rollback.address;
	return err;
}

static int do_epoch(struct cape_process *process, union request *request)
{
	if (request->epoch.flags || request->epoch.reserved)
		return -EINVAL;
	return cape_begin_epoch(process, &request->epoch);
}

static int do_drop_epoch(struct cape_process *process, union request *request)
{
	if (request->epoch_number.flags || request->epoch_number.reserved)
		return -EINVAL;
	return cape_drop_epoch(process, request->epoch_number.epoch);
}

static int do_view(struct cape_process *process, union request *request)
{
	struct cape_past past;
	int err;

	if (request->epoch_number.flags || request->epoch_number.reserved)
		return -EINVAL;
	err = cape_look_at_epoch(process, request->epoch_number.epoch, &past);
	if (!err)
		process->view = request->epoch_number.epoch;
	return err;
}

static int do_diff(struct cape_process *process, union request *request)
{
	struct cape_diff *diff = &request->diff;

	if (diff->flags || diff->reserved || !diff->capacity)
		return -EINVAL;
	if (diff->cursor != CAPE_CURSOR_END && !PAGE_ALIGNED(diff->cursor))
		return -EINVAL;
	return cape_diff(process, diff);
}

static int do_get_epochs(struct cape_process *process, union request *request)
{
	struct cape_epochs *epochs = &request->epochs;

	if (epochs->flags || epochs->reserved || !epochs->entries != !epochs->capacity)
		return -EINVAL;
	return cape_get_epochs(process, epochs);
}

static int do_check(struct cape_process *process, union request *request)
{
	struct cape_check *check = &request->check;

	if (check->flags || check->reserved || !check->page_capacity)
		return -EINVAL;
	if (check->cursor != CAPE_CURSOR_END && !PAGE_ALIGNED(check->cursor))
		return -EINVAL;
	return cape_check(process, check);
}

static int do_read_range(struct cape_process *process, union request *request)
{
	if (request->access.flags || request->access.reserved)
		return -EINVAL;
	return cape_read_range(process, &request->access);
}

static int do_read_locked(struct cape_process *process, union request *request)
{
	if (request->access.flags || request->access.reserved)
		return -EINVAL;
	return cape_read_locked(process, process->view, &request->access);
}

static int do_read_epoch(struct cape_process *process, union request *request)
{
	struct cape_read_epoch *read = &request->read_epoch;
	struct cape_access access = {
		.address = read->address,
		.length = read->length,
		.buffer = read->buffer,
	};
	int err;

	if (read->flags || read->reserved)
		return -EINVAL;
	err = cape_read_locked(process, read->epoch, &access);
	read->done = access.done;
	return err;
}

static int do_seek_epoch(struct cape_process *process, union request *request)
{
	struct cape_seek_epoch *seek = &request->seek_epoch;
	loff_t found;

	if (seek->flags & ~CAPE_SEEK_HOLE || seek->reserved)
		return -EINVAL;
	found = cape_seek_locked(process, seek->epoch, seek->address,
				 !(seek->flags & CAPE_SEEK_HOLE));
	if (found < 0)
		return found;
	seek->address = found;
	return 0;
}

static int do_write_range(struct cape_process *process, union request *request)
{
	if (request->access.flags || request->access.reserved)
		return -EINVAL;
	return cape_write_range(process, &request->access);
}

static int do_get_status(struct cape_process *process, union request *request)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);
	struct cape_status *status = &request->status;
	u32 count;

	if (status->reserved || !status->ranges != !status->range_capacity)
		return -EINVAL;
	cape_fill_status(process, status);
	count = min(status->range_count, status->range_capacity);
	if (count && copy_to_user(u64_to_user_ptr(status->ranges), snapshot->ranges,
				  array_size(count, sizeof(struct cape_extent))))
		return -EFAULT;
	return 0;
}

static int do_get_statistics(struct cape_process *process, union request *request)
{
	cape_fill_statistics(process, &request->statistics);
	return 0;
}

/* What a request does to the caller's struct follows from the direction in its number. */
struct request_type {
	unsigned int command;
	int (*run)(struct cape_process *process, union request *request);
	bool when_gone;		/* also for a process that is not there any more */
	bool when_detached;	/* also for who has locked, and traces it no more */
	bool needs_twins;	/* not for locks that keep none */
	bool reply_always;	/* also when it fails */
	void (*undo)(struct cape_process *process); /* if the caller cannot be informed */
	void (*finish)(struct cape_process *process, union request *request); /* if it was */
};

static const struct request_type request_types[] = {
	{ CAPE_LOCK, do_lock, .undo = cape_let_go },
	{ CAPE_MAKE_RECORDER, do_make_recorder },
	{ CAPE_MAKE_STACK_RECORDER, do_make_stack_recorder },
	{ CAPE_WATCH_BYTES, do_watch_bytes, .undo = cape_unwatch_bytes },
	{ CAPE_UNLOCK, do_unlock, .when_detached = true },
	{ CAPE_UNLOCK_PAGE, do_unlock_page },
	{ CAPE_CAPTURE_PAGE, do_capture_page, .needs_twins = true, .finish = finish_capture },
	{ CAPE_COLLECT, do_collect, .undo = undo_collect, .finish = finish_collect },
	{ CAPE_CHECK, do_check },
	{ CAPE_READ_RANGE, do_read_range, .reply_always = true },
	{ CAPE_WRITE_RANGE, do_write_range, .reply_always = true },
	{ CAPE_READ_LOCKED, do_read_locked, .needs_twins = true, .reply_always = true },
	{ CAPE_READ_EPOCH, do_read_epoch, .needs_twins = true, .reply_always = true },
	{ CAPE_SEEK_EPOCH, do_seek_epoch, .needs_twins = true },
	{ CAPE_ROLLBACK, do_rollback, .needs_twins = true, .reply_always = true },
	{ CAPE_EPOCH, do_epoch, .undo = cape_undo_epoch },
	{ CAPE_DROP_EPOCH, do_drop_epoch },
	{ CAPE_VIEW, do_view, .needs_twins = true },
	{ CAPE_ROLLBACK_TO, do_rollback_to, .needs_twins = true, .reply_always = true },
	{ CAPE_DIFF, do_diff },
	{ CAPE_GET_EPOCHS, do_get_epochs, .when_gone = true },
	{ CAPE_GET_STATUS, do_get_status, .when_gone = true },
	{ CAPE_GET_STATISTICS, do_get_statistics, .when_gone = true },
};

/* read(2) and lseek(2) on the attach descriptor. */
static const struct request_type file_type = { .needs_twins = true };

static const struct request_type *find_request_type(unsigned int command)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(request_types); i++)
		if (request_types[i].command == command)
			return &request_types[i];
	return NULL;
}

static int reply(const struct request_type *type, union request *request, void __user *user)
{
	if (_IOC_DIR(type->command) & _IOC_READ &&
	    copy_to_user(user, request, _IOC_SIZE(type->command)))
		return -EFAULT;
	return 0;
}

/* Is it the caller that has locked? */
static bool has_locked(struct cape_process *process)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	return snapshot && snapshot->tracer == task_tgid(current);
}

static bool keeps_no_twins(struct cape_process *process)
{
	struct cape_snapshot *snapshot = cape_locked_snapshot(process);

	return snapshot && snapshot->no_twins;
}

/* Takes the lock of the process, if the caller may make a request. */
static int begin_request(struct cape_process *process, const struct request_type *type)
{
	int err;

	err = mutex_lock_killable(&process->lock);
	if (err)
		return err;
	err = cape_check_caller(process);
	/* Nobody can use what is held of an image that is gone. */
	if (err == -ESRCH) {
		cape_let_go_for_good(process);
		if (type->when_gone)
			err = 0;
	}
	if (err == -EPERM && type->when_detached && has_locked(process))
		err = 0;
	if (!err && type->needs_twins && keeps_no_twins(process))
		err = -EOPNOTSUPP;
	if (err)
		mutex_unlock(&process->lock);
	return err;
}

static int run_request(struct cape_process *process, const struct request_type *type,
		       union request *request, void __user *user)
{
	int err;

	err = begin_request(process, type);
	if (err)
		return err;
	/* Better to know at once that the caller cannot be informed of what is done. */
	err = reply(type, request, user) ?: type->run(process, request);
	if ((!err || type->reply_always) && reply(type, request, user)) {
		if (!err && type->undo)
			type->undo(process);
		err = -EFAULT;
	}
	if (!err && type->finish)
		type->finish(process, request);
	mutex_unlock(&process->lock);
	return err;
}

static long attach_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	const struct request_type *type = find_request_type(command);
	void __user *user = (void __user *)argument;
	union request request = {};

	if (!type)
		return -ENOTTY;
	if (_IOC_DIR(command) == _IOC_NONE && argument)
		return -EINVAL;
	if (_IOC_DIR(command) & _IOC_WRITE &&
	    copy_from_user(&request, user, _IOC_SIZE(command)))
		return -EFAULT;
	return run_request(file->private_data, type, &request, user);
}

/* As CAPE_READ_LOCKED, at the position of the file. */
static ssize_t attach_read(struct file *file, char __user *buffer, size_t length,
			   loff_t *position)
{
	struct cape_process *process = file->private_data;
	u64 end = process->mm->task_size;
	struct cape_access access = {
		.address = *position,
		.buffer = (uintptr_t)buffer,
	};
	int err;

	err = begin_request(process, &file_type);
	if (err)
		return err;
	if (access.address < end)
		access.length = min_t(u64, length, end - access.address);
	else
		access.address = end;
	err = cape_read_locked(process, process->view, &access);
	mutex_unlock(&process->lock);
	*position += access.done;
	return access.done ?: err;
}

static loff_t attach_llseek(struct file *file, loff_t offset, int whence)
{
	struct cape_process *process = file->private_data;
	unsigned long end = process->mm->task_size;
	int err;

	if (whence != SEEK_DATA && whence != SEEK_HOLE)
		return fixed_size_llseek(file, offset, whence, end);
	err = begin_request(process, &file_type);
	if (err)
		return err;
	offset = cape_seek_locked(process, process->view, offset, whence == SEEK_DATA);
	mutex_unlock(&process->lock);
	return offset < 0 ? offset : vfs_setpos(file, offset, end);
}

static int attach_release(struct inode *inode, struct file *file)
{
	struct cape_process *process = file->private_data;

	cape_debug_remove(process);
	mutex_lock(&process->lock);
	cape_let_go(process);
	mutex_unlock(&process->lock);
	cape_unlist_process(process);
	cape_watch_exit(process);
	cape_unwatch_threads(process);
	cape_unwatch_bytes(process);
	cape_drop_recorder(process);
	trace_cape_release(process->pid);
	cape_free_process(process);
	return 0;
}

static const struct file_operations attach_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = attach_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.read = attach_read,
	.llseek = attach_llseek,
	.release = attach_release,
};

/* A descriptor that owns the process once it is there: another thread may have closed it. */
static int install(struct cape_process *process)
{
	int descriptor = get_unused_fd_flags(O_CLOEXEC);
	struct file *file;

	if (descriptor < 0)
		return descriptor;
	file = anon_inode_getfile("[cape]", &attach_fops, process, O_RDWR);
	if (IS_ERR(file)) {
		put_unused_fd(descriptor);
		return PTR_ERR(file);
	}
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD;
	fd_install(descriptor, file);
	return descriptor;
}

/**
 * cape_attach() - CAPE_ATTACH
 * @attach: the caller's struct
 *
 * Return: the attach descriptor, or an error: see struct cape_attach.
 */
int cape_attach(const struct cape_attach *attach)
{
	struct cape_process *process;
	struct pid *pid;
	int err;

	if (attach->flags)
		return -EINVAL;
	pid = find_get_pid(attach->pid);
	if (!pid)
		return -ESRCH;
	process = cape_new_process(pid);
	if (IS_ERR(process))
		return PTR_ERR(process);
	cape_watch_init(process);
	err = cape_list_process(process);
	if (err)
		goto out_process;
	cape_debug_add(process);
	trace_cape_attach(process->pid);
	err = install(process);
	if (err >= 0)
		return err;

	trace_cape_release(process->pid);
	cape_debug_remove(process);
	cape_unlist_process(process);
out_process:
	cape_watch_exit(process);
	cape_free_process(process);
	return err;
}
