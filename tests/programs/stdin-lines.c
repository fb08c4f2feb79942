/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stdin-lines.c - lines read by getline, fgets, getchar and ungetc; words counted in a region. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *lines[64];
static int words[64];

static int count(const char *line)
{
	int n = 0;

	for (int i = 0; line[i]; i++)
		n += !isspace((unsigned char)line[i]) &&
		     (!i || isspace((unsigned char)line[i - 1]));
	return n;
}

int main(void)
{
	char *line = NULL, buffer[16];
	size_t size = 0;
	ssize_t length;
	int n = 0, total = 0, letter;

	letter = getchar();
	printf("first %c\n", letter);
	ungetc(letter, stdin);
	if (!fgets(buffer, sizeof(buffer), stdin))
		return 1;
	printf("fgets '%s'\n", buffer);
	while (n < 64 && (length = getline(&line, &size, stdin)) >= 0) {
		lines[n] = malloc((size_t)length + 1);
		strcpy(lines[n++], line);
	}
	free(line);
#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < n; i++) {
		words[i] = count(lines[i]);
		total += words[i];
		for (char *c = lines[i]; *c; c++)
			*c = (char)toupper((unsigned char)*c);
	}
	for (int i = 0; i < n; i++) {
		printf("%2d %s", words[i], lines[i]);
		free(lines[i]);
	}
	printf("\n%d lines, %d words\n", n, total);
	return 0;
}
