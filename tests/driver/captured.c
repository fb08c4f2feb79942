/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * captured.c - what is captured is exactly what was written, with the right twins: over every kind
 * of memory, in both modes, of the whole image and of ranges, with and without huge pages.
 *
 * The child is a fork: what it had before it wrote is what the parent still has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "module.h"

#define PAGES 64
#define MANY  1024
#define HUGE  (2ul << 20)

struct region {
	const char *name;
	unsigned char *start;
	size_t pages;
	bool *written; /* by page, told by the child */
};

static unsigned char data[PAGES * PAGE] __attribute__((aligned(4096))) = {7};
static unsigned char bss[PAGES * PAGE] __attribute__((aligned(4096)));
static struct region region[8];
static size_t regions;
static struct collected collected;
static struct notices notices;

static unsigned char *map(size_t size, int flags, int file)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, flags, file, 0);
}

static void add_region(const char *name, void *start, size_t pages)
{
	region[regions++] = (struct region){
		.name = name,
		.start = start,
		.pages = pages,
		.written = (bool *)map(pages * sizeof(bool), MAP_SHARED | MAP_ANONYMOUS, -1),
	};
}

static void *file_pages(void)
{
	unsigned char page[PAGE];
	int file = open("/tmp/pages", O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *mapping;

	memset(page, 'f', sizeof(page));
	for (int i = 0; i < PAGES; i++)
		if (write(file, page, sizeof(page)) != sizeof(page))
			abort();
	mapping = map(PAGES * PAGE, MAP_PRIVATE, file);
	close(file);
	return mapping;
}

static void make_regions(void)
{
	unsigned char *heap = sbrk(2 * PAGES * PAGE);
	unsigned char *memory = map(PAGES * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	unsigned char *large = map(3 * HUGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	heap = (unsigned char *)(((uintptr_t)heap + PAGE - 1) & -PAGE);
	large = (unsigned char *)(((uintptr_t)large + HUGE - 1) & -HUGE);
	memset(memory, 1, PAGES * PAGE);
	memset(heap, 2, PAGES * PAGE / 2);
	memset(large, 3, HUGE);
	add_region("data", data, PAGES);
	add_region("bss", bss, PAGES);
	add_region("brk", heap, PAGES);
	add_region("mmap", memory, PAGES);
	add_region("a private file mapping", file_pages(), PAGES);
	add_region("a huge page", large, 2 * HUGE / PAGE);
	add_region("memory never touched", map(MANY * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1), MANY);
}

/* A page of each kind: the child's alone, shared with its parent, huge. */
static void prepare(void)
{
	const struct region *large = &region[5];

	for (size_t i = 0; i < 5; i++)
		own_pages(region[i].start, region[i].pages * PAGE / 2);
	madvise(large->start, HUGE, MADV_DONTNEED);
	madvise(large->start, HUGE, MADV_HUGEPAGE);
	memset(large->start, 3, HUGE);
}

static void write_page(struct region *in, size_t page, size_t offset)
{
	in->start[page * PAGE + offset] ^= 0x55;
	in->written[page] = true;
}

/* Pages far apart and side by side, first and last bytes, one page twice; reads do not count. */
static void write_regions(void)
{
	volatile unsigned char seen;

	for (size_t i = 0; i < regions; i++) {
		struct region *in = &region[i];

		seen = in->start[0];
		seen = in->start[(in->pages - 2) * PAGE];
		write_page(in, 3, 0);
		write_page(in, 4, PAGE - 1);
		write_page(in, 4, 17);
		write_page(in, in->pages / 2 + 1, 100);
		write_page(in, in->pages - 1, PAGE - 1);
	}
	(void)seen;
}

/* The kernel writes for the process. */
static void read_into(struct region *in, size_t page)
{
	int ends[2];

	if (pipe(ends) < 0 || write(ends[1], "12345678", 8) != 8 ||
	    read(ends[0], in->start + page * PAGE - 4, 8) != 8)
		abort();
	in->written[page - 1] = in->written[page] = true;
}

/* Tells where a variable array of its own is, of which one page is written. */
static void __attribute__((noinline)) write_stack(size_t length, volatile uintptr_t *told)
{
	volatile unsigned char variable[length];

	variable[length / 2] = 1;
	*told = (uintptr_t)&variable[length / 2];
}

static void body(void *told)
{
	write_regions();
	read_into(&region[3], 20);
	write_stack(40 * PAGE, told);
}

static int by_start(const void *a, const void *b)
{
	const struct cape_extent *one = a, *other = b;

	return one->start < other->start ? -1 : 1;
}

static void check_region(const struct region *in, const char *how)
{
	size_t wrong = 0, twins_wrong = 0;

	for (size_t page = 0; page < in->pages; page++) {
		unsigned char *at = in->start + page * PAGE;
		const struct cape_dirty *found = collected_page(&collected, at);
		const unsigned char *twin = collected_twin(&collected, at);
		static const unsigned char zeros[PAGE];

		wrong += !!found != in->written[page];
		if (found && memcmp(twin ? twin : zeros, at, PAGE) != 0)
			twins_wrong++;
	}
	check(wrong == 0, "%s, %s: exactly the pages written (%zu wrong)", how, in->name, wrong);
	check(twins_wrong == 0, "%s, %s: twins (%zu wrong)", how, in->name, twins_wrong);
}

/* What can be read of then is what we still have. */
static void check_locked(int descriptor, const struct region *in, const char *how)
{
	static unsigned char then[2 * HUGE];
	struct cape_access access = {
		.address = (uintptr_t)in->start + 1,
		.length = in->pages * PAGE - 2,
		.buffer = (uintptr_t)then,
	};

	check(ioctl(descriptor, CAPE_READ_LOCKED, &access) == 0 && access.done == access.length &&
		      memcmp(then, in->start + 1, access.length) == 0,
	      "%s, %s: as it was, when it is read", how, in->name);
}

/* What was given up cannot be read any more, the page before it can. */
static void check_given_up(int descriptor, const struct region *in, const char *how)
{
	unsigned char then[2 * PAGE];
	struct cape_access access = {
		.address = (uintptr_t)in->start + 2 * PAGE,
		.length = sizeof(then),
		.buffer = (uintptr_t)then,
	};

	refuses(ioctl(descriptor, CAPE_READ_LOCKED, &access), ESTALE,
		"%s, %s: not when it was unlocked: ESTALE", how, in->name);
	check(access.done == PAGE && memcmp(then, in->start + 2 * PAGE, PAGE) == 0,
	      "%s, %s: but what is before that", how, in->name);
}

/* A notice for every page that user code wrote, none twice, none for another page. */
static void check_notices(const char *how)
{
	size_t twice = 0, strange = 0, missing = 0;

	for (size_t i = 0; i < notices.count; i++) {
		const void *at = (void *)(uintptr_t)notices.address[i];

		strange += !collected_page(&collected, at);
		for (size_t j = 0; j < i; j++)
			twice += (notices.address[i] ^ notices.address[j]) < PAGE &&
				 (notices.address[i] & -PAGE) == (notices.address[j] & -PAGE);
	}
	for (size_t i = 0; i < regions; i++)
		for (size_t page = 0; page < region[i].pages; page++) {
			uint64_t at = (uintptr_t)region[i].start + page * PAGE;
			bool told = false;

			for (size_t j = 0; j < notices.count; j++)
				told |= (notices.address[j] & -PAGE) == at;
			missing += region[i].written[page] && !told;
		}
	check(twice == 0 && strange == 0, "%s: no page is told twice, or unwritten (%zu, %zu)", how,
	      twice, strange);
	/* Two were written by read(2), which is found at the end instead. */
	check(missing == 2, "%s: every page that user code wrote was told (%zu not)", how, missing);
}

static bool on_stack(const volatile uintptr_t *told)
{
	const unsigned char *written = (void *)*told;

	return collected_page(&collected, written) && !collected_page(&collected, written - PAGE) &&
	       !collected_page(&collected, written + PAGE);
}

static void check_batches(int descriptor, const char *how)
{
	size_t all = collected.count;

	check(collect(descriptor, 1, false, 0, &collected) && collected.count == all,
	      "%s: the same, collected one by one", how);
	check(collect(descriptor, 7, true, CAPE_COLLECT_UNLOCK, &collected) &&
		      collected.count == all,
	      "%s: the same, collected in small batches", how);
	check(collect(descriptor, 7, true, 0, &collected) && collected.count == 0,
	      "%s: collected pages were unlocked", how);
}

static void test(int device, uint32_t mode, bool ranges, bool huge)
{
	struct cape_extent range[8];
	volatile uintptr_t *told = (void *)map(PAGE, MAP_SHARED | MAP_ANONYMOUS, -1);
	char how[64], smaps[64];
	pid_t child;
	int descriptor;

	snprintf(how, sizeof(how), "%s of %s%s", mode == CAPE_MODE_NOTIFY ? "notify" : "snapshot",
		 ranges ? "ranges" : "everything", huge ? " with huge pages" : "");
	for (size_t i = 0; i < regions; i++) {
		memset(region[i].written, 0, region[i].pages * sizeof(bool));
		range[i] = (struct cape_extent){(uintptr_t)region[i].start, region[i].pages * PAGE};
	}
	qsort(range, regions, sizeof(range[0]), by_start);
	child = spawn(prepare, body, (void *)told);
	snprintf(smaps, sizeof(smaps), "/proc/%d/smaps_rollup", child);
	check((field(smaps, "AnonHugePages") > 0) == huge, "%s: the process has%s", how,
	      huge ? "" : " none");
	descriptor = attach(device, child);
	check(lock(descriptor, mode, ranges ? range : NULL, ranges ? (uint32_t)regions : 0) == 0,
	      "%s: lock", how);
	check(run_child(child, -1, false, &notices), "%s: the process runs on", how);
	check(collect(descriptor, 100, true, 0, &collected), "%s: collect", how);
	for (size_t i = 0; i < regions; i++)
		check_region(&region[i], how);
	for (size_t i = 0; i < regions; i++)
		check_locked(descriptor, &region[i], how);
	check(on_stack(told) == !ranges, "%s: a variable array on the stack", how);
	if (mode == CAPE_MODE_NOTIFY)
		check_notices(how);
	else
		check(notices.count == 0, "%s: no notices", how);
	check_batches(descriptor, how);
	check_given_up(descriptor, &region[3], how);
	close(descriptor);
	reap(child);
	munmap((void *)told, PAGE);
}

static void set_huge_pages(const char *when)
{
	int file = open("/sys/kernel/mm/transparent_hugepage/enabled", O_WRONLY);

	if (write(file, when, strlen(when)) < 0)
		printf("# cannot set transparent huge pages to \"%s\"\n", when);
	close(file);
}

/* The bytes of the executable, as the page cache has them. */
static unsigned char *read_executable(size_t *length)
{
	int file = open("/proc/self/exe", O_RDONLY);
	off_t size = lseek(file, 0, SEEK_END);
	unsigned char *bytes = malloc((size_t)size);

	*length = (size_t)size;
	if (pread(file, bytes, *length, 0) != size)
		abort();
	close(file);
	return bytes;
}

/* The file itself and everybody's view of it are as before. */
static void check_file(void)
{
	unsigned char page[PAGE];
	int file = open("/tmp/pages", O_RDONLY);
	bool same = true;

	while (read(file, page, sizeof(page)) == sizeof(page))
		for (size_t i = 0; i < PAGE; i++)
			same &= page[i] == 'f';
	close(file);
	check(same, "a mapped file is unchanged in the page cache");
}

int main(void)
{
	int device = open_device();
	size_t length, length_after;
	unsigned char *before = read_executable(&length), *after;

	/* With a huge page in the parent, its children can have one there too. */
	set_huge_pages("always");
	make_regions();
	for (int huge = 0; huge <= 1; huge++) {
		set_huge_pages(huge ? "always" : "never");
		for (uint32_t mode = CAPE_MODE_SNAPSHOT; mode <= CAPE_MODE_NOTIFY; mode++) {
			test(device, mode, false, huge);
			test(device, mode, true, huge);
		}
	}
	set_huge_pages("madvise");
	check_file();
	after = read_executable(&length_after);
	check(length == length_after && memcmp(before, after, length) == 0, "so is the executable");
	return finish();
}
