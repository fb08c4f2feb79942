/* SPDX-License-Identifier: GPL-2.0-or-later */
/* structs.c - shared structures: assigned whole, nested, by pointer, arrays of them in two
 * dimensions. */
#include <stdio.h>
#include <string.h>

struct vector {
	float x, y, z;
};

struct body {
	char name[11];
	struct vector position, speed;
	struct {
		unsigned char kind;
		double mass;
	} matter;
};

static struct body bodies[6][5];

static struct vector add(struct vector left, struct vector right)
{
	return (struct vector){left.x + right.x, left.y + right.y, left.z + right.z};
}

static void move(struct body *body, int times)
{
	for (int i = 0; i < times; i++)
		body->position = add(body->position, body->speed);
}

int main(void)
{
	struct body template = {"body", {1, 2, 3}, {0.5F, -0.25F, 0}, {7, 1.25}};
	struct body heaviest = template, *chosen = &bodies[2][3];
	struct vector center = {0, 0, 0};
	double mass = 0;

#pragma omp parallel
	{
#pragma omp for collapse(2)
		for (int i = 0; i < 6; i++)
			for (int j = 0; j < 5; j++) {
				bodies[i][j] = template;
				bodies[i][j].name[4] = (char)('0' + i);
				bodies[i][j].matter.mass += i * j;
				move(&bodies[i][j], i + j);
			}
#pragma omp single
		{
			heaviest = bodies[5][4];
			chosen->matter.kind = 200;
			strcpy(heaviest.name, "heavy");
		}
#pragma omp for reduction(+ : mass)
		for (int i = 0; i < 6; i++)
			for (int j = 0; j < 5; j++)
				mass += bodies[i][j].matter.mass;
	}
#pragma omp parallel sections
	{
#pragma omp section
		for (int i = 0; i < 6; i++)
			center.x += bodies[i][i % 5].position.x;
#pragma omp section
		for (int i = 0; i < 6; i++)
			center.y += bodies[i][i % 5].position.y;
#pragma omp section
		for (int i = 0; i < 6; i++)
			center.z += bodies[i][i % 5].position.z;
	}
	printf("%s %.2f %d %.2f\n", heaviest.name, (double)heaviest.position.x, chosen->matter.kind,
	       mass);
	printf("%.2f %.2f %.2f\n", (double)center.x, (double)center.y, (double)center.z);
	for (int i = 0; i < 6; i++)
		printf("%s %.2f\n", bodies[i][i % 5].name, (double)bodies[i][i % 5].position.y);
	return 0;
}
