/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * direct.c - a read with O_DIRECT that is under way while the process is locked, and comes to its
 * end after the process has written to one of the two pages.
 *
 * Since Linux 6.5 the kernel pins the pages, so they get copies as twins and count as written.
 * Before, nobody can tell, as with fork: what is read goes to the pages of then, which are the
 * twins; README says so.  CAPE_CHECK finds these twins, and what the process had is lost to none
 * but the page that it wrote to itself.
 *
 * The disk is an nbd, whose answers the test gives when it likes.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <linux/nbd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "module.h"

#define DISK  "/dev/nbd0"
#define SIZE  (1ul << 20)
#define HELD  (SIZE / 2) /* where a read is not answered before it may be */
#define PAGES 8
#define READ  4	 /* the first of two pages that are read into; the process writes to it meanwhile */
#define BOUND 60 /* seconds to wait for what must happen */

static unsigned char *memory;
static int disk, channel[2];
static aio_context_t context;
static struct collected collected;
static struct notices notices;
static struct cape_dirty changed[PAGES];

/* How far the one read has come, by the thread that is the disk. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static enum progress { NOT_YET, UNDER_WAY, MAY_END } progress;

static void move_on(enum progress to)
{
	pthread_mutex_lock(&mutex);
	progress = to;
	pthread_cond_broadcast(&moved);
	pthread_mutex_unlock(&mutex);
}

static bool wait_for(enum progress until)
{
	struct timespec end;
	bool come;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += BOUND;
	pthread_mutex_lock(&mutex);
	while (progress < until && !err)
		err = pthread_cond_timedwait(&moved, &mutex, &end);
	come = progress >= until;
	pthread_mutex_unlock(&mutex);
	return come;
}

static bool transfer(bool to, void *bytes, size_t length)
{
	char *at = bytes;
	ssize_t count = 1;

	for (; length && count > 0; at += count, length -= (size_t)count)
		count = to ? write(channel[1], at, length) : read(channel[1], at, length);
	return count > 0;
}

/* Answers with the letter d, as whoever serves an nbd does. */
static void *serve(void *unused)
{
	static unsigned char bytes[SIZE];
	struct nbd_request request;
	struct nbd_reply reply = {.magic = htobe32(NBD_REPLY_MAGIC)};

	(void)unused;
	memset(bytes, 'd', sizeof(bytes));
	while (transfer(false, &request, sizeof(request))) {
		uint32_t length = be32toh(request.len);

		if (be32toh(request.type) != NBD_CMD_READ || length > SIZE)
			break;
		if (be64toh(request.from) == HELD) {
			move_on(UNDER_WAY);
			wait_for(MAY_END);
		}
		memcpy(&reply.handle, &request.handle, sizeof(reply.handle));
		if (!transfer(true, &reply, sizeof(reply)) || !transfer(true, bytes, length))
			break;
	}
	return NULL;
}

/* Once somebody drives it, within BOUND: a read before that finds nothing. */
static bool disk_is_ready(void)
{
	uint64_t size = 0;

	for (int i = 0; i < BOUND * 100 && size != SIZE; i++) {
		usleep(10000);
		if (ioctl(disk, BLKGETSIZE64, &size) < 0)
			return false;
	}
	return size == SIZE;
}

/* NULL, or why there is no disk.  The process that drives it ends with this one. */
static const char *start_disk(void)
{
	pthread_t thread;

	if (!load("/nbd.ko"))
		return "this kernel has no nbd";
	disk = open(DISK, O_RDWR | O_CLOEXEC);
	if (disk < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0 ||
	    ioctl(disk, NBD_SET_BLKSIZE, PAGE) < 0 ||
	    ioctl(disk, NBD_SET_SIZE_BLOCKS, SIZE / PAGE) < 0 ||
	    ioctl(disk, NBD_SET_SOCK, channel[0]) < 0)
		return strerror(errno);
	fflush(stdout);
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(channel[1]);
		ioctl(disk, NBD_DO_IT);
		_exit(0);
	}
	if (pthread_create(&thread, NULL, serve, NULL) || !disk_is_ready())
		abort();
	return NULL;
}

/* Fills its memory and begins the read. */
static void begin_read(void)
{
	int file = open(DISK, O_RDONLY | O_DIRECT | O_CLOEXEC);
	struct iocb read = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)file,
		.aio_buf = (uintptr_t)(memory + READ * PAGE),
		.aio_nbytes = 2 * PAGE,
		.aio_offset = HELD,
	};
	struct iocb *all[] = {&read};

	memset(memory, 1, PAGES * PAGE);
	if (file < 0 || syscall(SYS_io_setup, 1, &context) < 0 ||
	    syscall(SYS_io_submit, context, 1, all) != 1)
		abort();
}

static void write_and_end_read(void *unused)
{
	struct io_event event;

	(void)unused;
	memory[READ * PAGE + 100] = 2;
	pause_here();
	if (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1 || event.res != 2 * PAGE)
		abort();
}

static bool is_pinned(size_t page)
{
	const struct cape_dirty *dirty = collected_page(&collected, memory + page * PAGE);

	return dirty && dirty->flags == CAPE_DIRTY_PINNED;
}

static bool has_old_twin(size_t page)
{
	const unsigned char *twin = collected_twin(&collected, memory + page * PAGE);

	return twin && twin[0] == 1 && twin[100] == 1 && twin[PAGE - 1] == 1;
}

/* What the process sees at the beginning of a page. */
static int seen(int descriptor, size_t page)
{
	unsigned char byte;
	struct cape_access access = {
		(uintptr_t)(memory + page * PAGE), 1, (uintptr_t)&byte, 0, 0, 0};

	return ioctl(descriptor, CAPE_READ_RANGE, &access) == 0 ? byte : -1;
}

static void check_pinned(int descriptor, const struct cape_check *checked)
{
	check(seen(descriptor, READ) == 'd' && seen(descriptor, READ + 1) == 'd',
	      "the process has what was read, in both pages");
	check(collect(descriptor, PAGES, true, 0, &collected) && is_pinned(READ) &&
		      is_pinned(READ + 1) && has_old_twin(READ) && has_old_twin(READ + 1) &&
		      collected_within(&collected, memory, PAGES * PAGE) == 2,
	      "both count as written, with the twins of then");
	check(checked->page_count == 0, "nobody has written to a twin (%u)", checked->page_count);
}

static void check_not_pinned(int descriptor, const struct cape_check *checked)
{
	check(seen(descriptor, READ) == 1 && seen(descriptor, READ + 1) == 'd',
	      "the process has what was read but in the page that it wrote to");
	check(collect(descriptor, PAGES, true, 0, &collected) &&
		      collected_page(&collected, memory + READ * PAGE) &&
		      !collected_page(&collected, memory + (READ + 1) * PAGE),
	      "only that counts as written");
	check(checked->page_count == 2 && changed[0].address == (uintptr_t)(memory + READ * PAGE) &&
		      changed[0].twin_state == CAPE_TWIN_PAGE &&
		      changed[1].address == (uintptr_t)(memory + (READ + 1) * PAGE) &&
		      changed[1].twin_state == CAPE_TWIN_NONE,
	      "CAPE_CHECK tells both twins, which the disk has written to");
}

/* Do the pages of O_DIRECT count as pinned in this kernel? */
static bool pins_them(void)
{
	unsigned major = 0, minor = 0;
	struct utsname name;

	uname(&name);
	sscanf(name.release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 5);
}

static void test(int device)
{
	struct cape_extent range = {(uintptr_t)memory, PAGES * PAGE};
	struct cape_lock request = {.mode = CAPE_MODE_SNAPSHOT,
				    .flags = CAPE_LOCK_CHECK,
				    .ranges = (uintptr_t)&range,
				    .range_count = 1};
	struct cape_check checked = {.pages = (uintptr_t)changed, .page_capacity = PAGES};
	pid_t child = spawn(begin_read, write_and_end_read, NULL);
	int descriptor = attach(device, child);
	bool done, pinned;

	check(wait_for(UNDER_WAY), "a read with O_DIRECT is under way");
	done = ioctl(descriptor, CAPE_LOCK, &request) == 0;
	check(done && request.page_count == PAGES, "lock: %llu twins",
	      (unsigned long long)request.page_count);
	check(collect(descriptor, PAGES, true, 0, &collected), "collect");
	pinned = is_pinned(READ) && is_pinned(READ + 1);
	check(pinned == pins_them(), "the pages %s pinned, as this kernel has it",
	      pinned ? "are" : "are not");
	check(run_child(child, -1, false, &notices), "the process writes to one of them");
	move_on(MAY_END);
	check(run_child(child, -1, false, &notices), "the read comes to its end");
	done = ioctl(descriptor, CAPE_CHECK, &checked) == 0;
	check(done && checked.twin_count == PAGES, "check: of %llu twins",
	      (unsigned long long)checked.twin_count);
	if (pinned)
		check_pinned(descriptor, &checked);
	else
		check_not_pinned(descriptor, &checked);
	close(descriptor);
	kill(child, SIGKILL);
}

int main(void)
{
	int device = open_device();
	const char *missing = start_disk();

	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	if (missing)
		check(true, "a disk that answers late # SKIP %s", missing);
	else
		test(device);
	return finish();
}
