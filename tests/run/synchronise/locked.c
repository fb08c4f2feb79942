/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assembly with an atomic instruction in a region. */
int count;

int main(void)
{
#pragma omp parallel
	{
		__asm__ volatile("" ::: "memory");
		__asm__ volatile("lock; incl %0" : "+m"(count));
	}
	return 0;
}
