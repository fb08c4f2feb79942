/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks-hash.c - a hash table on the heap with a lock for each bucket, and a bounded buffer. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 13
#define KEYS	60
#define WORDS	600

struct entry {
	int key, count;
	struct entry *next;
};

static struct bucket {
	struct entry *first;
	omp_lock_t lock;
} buckets[BUCKETS];

static struct entry *find(struct bucket *bucket, int key)
{
	struct entry *entry = bucket->first;

	while (entry && entry->key != key)
		entry = entry->next;
	return entry;
}

static void count_word(int key)
{
	struct bucket *bucket = &buckets[key % BUCKETS];
	struct entry *entry;

	omp_set_lock(&bucket->lock);
	entry = find(bucket, key);
	if (!entry) {
		entry = malloc(sizeof(*entry));
		entry->key = key;
		entry->count = 0;
		entry->next = bucket->first;
		bucket->first = entry;
	}
	entry->count++;
	omp_unset_lock(&bucket->lock);
}

int main(void)
{
	int different = 0, sum = 0;

	for (int i = 0; i < BUCKETS; i++)
		omp_init_lock(&buckets[i].lock);
#pragma omp parallel for schedule(dynamic, 7)
	for (int i = 0; i < WORDS; i++)
		count_word(i * i % KEYS);
	for (int key = 0; key < KEYS; key++) {
		struct entry *entry = find(&buckets[key % BUCKETS], key);

		printf("%d ", entry ? entry->count : 0);
	}
	/* Entries are moved to the other end by whoever comes, then everything is freed. */
#pragma omp parallel for schedule(static, 1) reduction(+ : different, sum)
	for (int i = 0; i < 4 * BUCKETS; i++) {
		struct bucket *bucket = &buckets[i * 5 % BUCKETS];
		struct entry *entry;

		omp_set_lock(&bucket->lock);
		entry = bucket->first;
		if (entry) {
			bucket->first = entry->next;
			different++;
			sum += entry->count;
			free(entry);
		}
		omp_unset_lock(&bucket->lock);
	}
	printf("\n%d %d\n", different, sum);
	for (int i = 0; i < BUCKETS; i++) {
		printf("%d", buckets[i].first != NULL);
		omp_destroy_lock(&buckets[i].lock);
	}
	putchar('\n');
	return 0;
}
