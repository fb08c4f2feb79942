/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subword-packed.c - packed structures and bit-fields in different bytes of one word. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) record {
	uint8_t kind;
	uint32_t length;
	uint16_t flags;
	uint64_t offset;
	uint8_t end;
};

/* A zero-width field starts a new storage unit, so the units are separate memory locations. */
struct fields {
	unsigned char low : 4, high : 4;
	unsigned char : 0;
	unsigned char second : 7;
	unsigned char : 0;
	unsigned short third : 12;
	unsigned char fourth;
};

static struct record records[25];
static struct fields fields[21];
static struct __attribute__((packed)) {
	char skew;
	double values[17];
} skewed;

static void fill_record(struct record *record, int i, int part)
{
	switch (part) {
	case 0:
		record->kind = (uint8_t)i;
		break;
	case 1:
		record->length = 0x01020304U * (unsigned int)i;
		break;
	case 2:
		record->flags = (uint16_t)(0x8001 + i);
		break;
	case 3:
		record->offset = 0xfedcba9876543210UL - (unsigned long)i;
		break;
	default:
		record->end = 0xee;
	}
}

int main(void)
{
	unsigned long hash = 5381;

#pragma omp parallel
	{
#pragma omp for schedule(static, 1) collapse(2) nowait
		for (int i = 0; i < 25; i++)
			for (int part = 0; part < 5; part++)
				fill_record(&records[i], i, part);
#pragma omp for schedule(static, 1) collapse(2) nowait
		for (int i = 0; i < 21; i++)
			for (int part = 0; part < 4; part++) {
				if (part == 0) {
					fields[i].low = (unsigned char)(i & 15);
					fields[i].high = (unsigned char)(15 - i % 16);
				} else if (part == 1) {
					fields[i].second = (unsigned char)(i * 3);
				} else if (part == 2) {
					fields[i].third = (unsigned short)(i * 190);
				} else {
					fields[i].fourth = (unsigned char)(255 - i);
				}
			}
#pragma omp for schedule(static, 1)
		for (int i = 0; i < 17; i++)
			skewed.values[i] = i * 1.0625;
#pragma omp single
		skewed.skew = 's';
	}
	for (unsigned int i = 0; i < sizeof(records); i++)
		hash = hash * 33 + ((unsigned char *)records)[i];
	printf("%016lx\n", hash);
	for (int i = 0; i < 21; i++)
		printf("%d.%d.%d.%d.%d ", fields[i].low, fields[i].high, fields[i].second,
		       fields[i].third, fields[i].fourth);
	printf("\n%c", skewed.skew);
	for (int i = 0; i < 17; i++)
		printf(" %g", skewed.values[i]);
	putchar('\n');
	return 0;
}
