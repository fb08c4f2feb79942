/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A builtin that only compilers' own libraries use. */
int count;

int main(void)
{
#pragma omp parallel
	__atomic_fetch_add_4(&count, 1, 5);
	return 0;
}
