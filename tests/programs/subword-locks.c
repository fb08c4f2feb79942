/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subword-locks.c - neighbours in one word, each protected in another way. */
#include <omp.h>
#include <stdio.h>

static union {
	unsigned long word;
	unsigned char byte[8];
} shared;

static struct {
	unsigned char by_critical;
	unsigned char by_atomic;
	unsigned char by_lock;
	unsigned char by_name;
	short by_capture;
	unsigned low : 4, high : 4;
	unsigned : 0;
	char by_thread[16];
} __attribute__((packed)) record;

int main(void)
{
	omp_lock_t lock;
	unsigned char here[4] = {0};
	int threads = omp_get_max_threads();

	omp_init_lock(&lock);
#pragma omp parallel
	{
		int me = omp_get_thread_num();
		short old;

		record.by_thread[me] = (char)('a' + me);
		for (int i = 0; i < 10; i++) {
#pragma omp critical
			{
				record.by_critical++;
				shared.byte[0]++;
				here[0]++;
			}
#pragma omp atomic
			record.by_atomic++;
#pragma omp atomic
			shared.byte[1]++;
#pragma omp atomic
			here[1]++;
			omp_set_lock(&lock);
			record.by_lock++;
			shared.byte[2]++;
			here[2]++;
			omp_unset_lock(&lock);
#pragma omp critical(other)
			{
				record.by_name++;
				shared.byte[3]++;
				here[3]++;
				record.low++;
				record.high--;
			}
#pragma omp atomic capture
			old = record.by_capture++;
			(void)old;
		}
#pragma omp barrier
#pragma omp for schedule(static, 1)
		for (int i = 4; i < 8; i++)
			shared.byte[i] = (unsigned char)(i * 11);
	}
	omp_destroy_lock(&lock);
	printf("%d %d %d %d\n", record.by_critical == 10 * threads,
	       record.by_atomic == 10 * threads, record.by_lock == 10 * threads,
	       record.by_name == 10 * threads);
	printf("%d %d %d\n", record.by_capture == 10 * threads, record.low == 10 * threads % 16,
	       record.high == (16 - 10 * threads % 16) % 16);
	for (int i = 0; i < 4; i++)
		printf("%d %d ", shared.byte[i] == 10 * threads, here[i] == 10 * threads);
	printf("%lx\n", shared.word >> 32);
	for (int t = 0; t < threads; t++)
		putchar(record.by_thread[t]);
	putchar('\n');
	return 0;
}
