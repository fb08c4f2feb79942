/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * burst.c - prints a line, and a second later all that a reader who takes nothing lets it print.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
	char line[1000];

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	printf("begun\n");
	fflush(stdout);
	sleep(1);
	for (int i = 0; i < 2050; i++)
		fwrite(line, 1, sizeof(line), stdout);
	return 0;
}
