/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.c - prints as many lines as it is told, and looks at what fclose() says.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10;

	for (int i = 0; i < count; i++)
		printf("line %d of a text that is long enough to fill some buffers\n", i);
	return fclose(stdout) ? 5 : 0;
}
