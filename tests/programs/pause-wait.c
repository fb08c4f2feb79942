/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pause-wait.c - threads that wait for plain objects and let the processor wait meanwhile. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#if defined(__i386__) || defined(__x86_64__)
#include <immintrin.h>
#endif

struct work {
	omp_lock_t lock;
	int left, busy, given;
};

static inline void relax(void)
{
#if defined(__i386__) || defined(__x86_64__)
	_mm_pause();
#endif
}

/* What is left may grow as long as anybody is busy. */
static int take(struct work *work, int idle)
{
	int taken = 0;

	for (;;) {
		omp_set_lock(&work->lock);
		if (work->left > 0) {
			taken = work->left--;
			work->busy += idle;
		} else if (!idle) {
			work->busy--;
			idle = 1;
		}
		omp_unset_lock(&work->lock);
		if (taken || work->busy == 0)
			return taken;
		while (work->left == 0 && work->busy)
			relax();
	}
}

static void give(struct work *work)
{
	omp_set_lock(&work->lock);
	work->left++;
	work->given++;
	omp_unset_lock(&work->lock);
}

static void hand_on(int *turn, int last)
{
#pragma omp parallel num_threads(2)
	if (omp_get_num_threads() == 1)
		*turn = last;
	else
		for (int seen; (seen = __atomic_load_n(turn, __ATOMIC_RELAXED)) < last;) {
			if (seen % 2 == omp_get_thread_num())
				__atomic_fetch_add(turn, 1, __ATOMIC_SEQ_CST);
			else
				sched_yield();
		}
}

int main(void)
{
	struct work work = {.busy = 1};
	int sum = 0, turn = 0;

	omp_init_lock(&work.lock);
#pragma omp parallel reduction(+ : sum)
	{
		int idle = omp_get_thread_num() != 0, taken;

		if (!idle)
			give(&work);
		while ((taken = take(&work, idle)) != 0) {
			idle = 0;
			if (sum++ < 4)
				for (int i = 0; i < 3; i++)
					give(&work);
		}
	}
	omp_destroy_lock(&work.lock);
	hand_on(&turn, 21);
	printf("%s, turn %d\n", sum == work.given ? "all was done" : "some was left", turn);
}
