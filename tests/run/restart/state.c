// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * state.c - what a process has beside its memory: open files at places, a folder, signal handlers,
 * a mask, random numbers, thread-local and threadprivate variables, mapped memory, the settings of
 * OpenMP.  Writes the files out, log and both of the folder that it is given.
 *
 * Usage: state FOLDER STEPS [MICROSECONDS [SETS]] (pause.h)
 */
#include <fcntl.h>
#include <fenv.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "pause.h"

#define MAPPED (1 << 16)

static volatile sig_atomic_t caught;
static __thread int own = 3;
static int counter;
#pragma omp threadprivate(counter)

static void on_signal(int number)
{
	caught += number;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* In memory that sequential code has mapped, and protects now and then. */
static unsigned long use_mapped(unsigned char *mapped, int step)
{
	unsigned long sum = 0;

	if (mprotect(mapped, MAPPED, PROT_READ | PROT_WRITE) < 0)
		die("mprotect");
#pragma omp parallel for
	for (int i = 0; i < MAPPED; i++)
		mapped[i] += (unsigned char)(i * step);
	for (int i = 0; i < MAPPED; i++)
		sum = sum * 31 + mapped[i];
	if (mprotect(mapped, MAPPED, PROT_READ) < 0)
		die("mprotect");
	return sum;
}

static int counters(void)
{
	int sum = 0;

#pragma omp parallel reduction(+ : sum)
	{
		counter++;
#pragma omp master
		sum = counter;
	}
	return sum;
}

static void show_state(int step, FILE *log)
{
	char folder[4096];
	sigset_t mask;
	mode_t mode = umask(0);

	umask(mode);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	if (!getcwd(folder, sizeof(folder)))
		die("getcwd");
	raise(SIGUSR1);
	fprintf(log, "%d: rand %d caught %d own %d folder %s umask %o masked %d round %d\n", step,
		rand(), (int)caught, own++, strrchr(folder, '/'), (unsigned)mode,
		sigismember(&mask, SIGUSR2), fegetround());
	fprintf(log, "%d: threads %d\n", step, omp_get_dynamic());
}

int main(int argc, char **argv)
{
	int steps = argc > 2 ? atoi(argv[2]) : 10;
	struct sigaction action = {.sa_handler = on_signal};
	unsigned char *mapped;
	FILE *out, *log, *again;
	char line[80], *word;
	sigset_t mask;
	int both;

	if (argc < 2 || chdir(argv[1]) < 0)
		die("chdir");
	out = fopen("out", "w");
	log = fopen("log", "a");
	both = open("both", O_RDWR | O_CREAT | O_TRUNC, 0644);
	again = fopen("/etc/passwd", "r");
	if (!out || !log || both < 0 || !again)
		die("open");
	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	umask(027);
	srand(7);
	omp_set_dynamic(1);
	mapped = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapped == MAP_FAILED)
		die("mmap");
	for (int s = 0; s < steps; s++) {
		unsigned long sum = use_mapped(mapped, s);

		fprintf(out, "%d: %lx counter %d\n", s, sum, counters());
		show_state(s, log);
		if (s % 4 == 3)
			rewind(again);
		word = fgets(line, sizeof(line), again) ? strtok(line, ":") : "none";
		if (write(both, word, strlen(word)) < 0 || lseek(both, -1, SEEK_CUR) < 0)
			die("both");
		if (s == steps / 2)
			fesetround(FE_UPWARD);
		printf("step %d: %lx %s\n", s, sum, word);
		fflush(stdout);
		pause_at(s, argv + 3);
	}
	return 0;
}
