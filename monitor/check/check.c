/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c - asks all machines, and reports what is wrong on each and how to mend it.
 */
#include "check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ask.h"
#include "common/answer.h"
#include "common/complain.h"
#include "common/folder.h"
#include "common/keeper.h"
#include "compare.h"
#include "machines.h"
#include "probe.h"
#include "quote.h"

/* For all machines together; one that ssh cannot reach says so earlier. */
#define ASK_SECONDS  25
#define MEET_SECONDS 40

#define PROBE_OPTION "--probe"
/* Of one core all threads have the same list. */
#define COUNT_CORES                                                                                \
	"sh -c 'cat /sys/devices/system/cpu/cpu[0-9]*/topology/thread_siblings_list | "            \
	"sort -u | wc -l'"

struct checker {
	const struct check *check;
	struct machines machines;
	char own[PATH_MAX]; /* path of cape-run */
	char folder[PATH_MAX];
	char directory[PATH_MAX];
	const char *base;
	int faults, notes;
};

/* A login shell may be any: it gets words alone. */
static char *probe_command(const struct checker *checker, const struct machine *machine)
{
	const struct check *check = checker->check;
	const char *program = check->copy && !machine->here ? NULL : check->program;
	char nodes[16], driver[16], *inner, *outer;
	const char *const words[] = {checker->own, PROBE_OPTION,  machine->name,      nodes,
				     driver,	   checker->base, checker->directory, program,
				     NULL};
	const char *const test[] = {"test", "-x", checker->own, NULL};
	const char *shell[] = {"sh", "-c", NULL, NULL};
	char *probe, *is_there = quote_command(test);

	snprintf(nodes, sizeof(nodes), "%d", machine->nodes);
	snprintf(driver, sizeof(driver), "%d", checker->check->driver);
	probe = quote_command(words);
	if (!probe || !is_there ||
	    asprintf(&inner, "%s || exit 127; exec %s", is_there, probe) < 0) {
		free(is_there);
		free(probe);
		return NULL;
	}
	free(is_there);
	free(probe);
	shell[2] = inner;
	outer = quote_command(shell);
	free(inner);
	return outer;
}

static void find(void *context, enum answer_kind kind, const char *text, const char *mend)
{
	struct checker *checker = context;

	if (kind != ANSWER_FAULT && kind != ANSWER_NOTE)
		return;
	checker->faults += kind == ANSWER_FAULT;
	checker->notes += kind == ANSWER_NOTE;
	printf("  %s: %s\n", kind == ANSWER_FAULT ? "fault" : "note", text);
	if (*mend)
		printf("    mend: %s\n", mend);
}

/* Words by which ssh and its like say why, and what mends it; HOST stands for the machine. */
static const struct {
	const char *word, *mend;
} complaints[] = {
	{"Permission denied", "ssh-keygen, unless you have a key; then ssh-copy-id HOST"},
	{"Host key verification", "ssh HOST, and say yes if it is that machine"},
	{"Could not resolve", "write its name as ssh knows it, or add it to /etc/hosts"},
	{"timed out", "is it up, and does its firewall let ssh pass? ssh HOST true"},
	{"No route", "is it up, and on this network? ping HOST"},
	{"refused", "apt-get install openssh-server (on HOST)"},
	{"not found", "apt-get install openssh-client (here)"},
};

/* The last line that is not empty, or "". */
static const char *last_line(char *text)
{
	char *line, *last = "";

	while ((line = strsep(&text, "\r\n")))
		if (*line)
			last = line;
	return last;
}

/* The machine has said nothing. */
static void tell_silence(struct checker *checker, const struct machine *machine,
			 struct asked *asked)
{
	const char *mend = checker->check->batch
				   ? "srun -w HOST true must succeed"
				   : "ssh HOST true must succeed, and ask for nothing",
		   *host;
	const char *complaint = last_line(asked->complaint);
	char text[1024], whole[1024];

	if (asked->status == 127 && !*complaint) {
		snprintf(text, sizeof(text), "CAPE is not installed at %s", checker->folder);
		mend = "install it there to the same path, or share the folder";
	} else if (asked->status < 0) {
		snprintf(text, sizeof(text), "it does not answer within %d seconds%s%s",
			 ASK_SECONDS, *complaint ? ": " : "", complaint);
	} else if (strstr(complaint, "cape-run:")) {
		snprintf(text, sizeof(text), "CAPE is an older one: %s", complaint);
		mend = "install the CAPE of this machine there, to the same path";
	} else {
		snprintf(text, sizeof(text), "%s does not reach it: %s",
			 machine->here ? "a shell" : checker->check->agent,
			 *complaint ? complaint : "it ended without a message");
	}
	for (size_t i = 0; i < sizeof(complaints) / sizeof(complaints[0]); i++)
		if (strstr(text, complaints[i].word) && asked->status != 127)
			mend = complaints[i].mend;
	host = strstr(mend, "HOST");
	if (host)
		snprintf(whole, sizeof(whole), "%.*s%s%s", (int)(host - mend), mend, machine->name,
			 host + strlen("HOST"));
	find(checker, ANSWER_FAULT, text, host ? whole : mend);
}

static void tell_machine(struct checker *checker, const struct machine *machine,
			 struct asked *asked, const struct answer *answer,
			 const struct answer *first)
{
	const struct compared one = {checker->machines.machine[0].name, first};
	const struct compared two = {machine->name, answer};

	printf("%s: %d node%s", machine->name, machine->nodes, machine->nodes == 1 ? "" : "s");
	for (size_t i = 0; i < answer->count; i++)
		if (answer->line[i].kind == ANSWER_ABOUT)
			printf("; %s", answer->line[i].text);
	printf("\n");
	if (!answer->whole) {
		tell_silence(checker, machine, asked);
		return;
	}
	for (size_t i = 0; i < answer->count; i++)
		find(checker, answer->line[i].kind, answer->line[i].text, answer->line[i].more);
	if (first != answer && first->whole)
		compare_machines(&one, &two, checker->check->program, checker->folder, find,
				 checker);
}

/* 0, or -1: out of memory. */
static int ask_machines(struct checker *checker)
{
	size_t count = checker->machines.count, read = 0;
	struct question *questions = calloc(count, sizeof(*questions));
	struct answer *answers = calloc(count, sizeof(*answers));
	struct asked *asked = calloc(count, sizeof(*asked));
	int error = questions && answers && asked ? 0 : -1;

	for (size_t i = 0; i < count && !error; i++) {
		const struct machine *machine = &checker->machines.machine[i];

		questions[i] =
			(struct question){machine->here ? NULL : checker->check->agent,
					  machine->name, probe_command(checker, machine), NULL};
		error = questions[i].command ? 0 : -1;
	}
	if (!error)
		error = ask_all(questions, asked, count, ASK_SECONDS);
	for (; read < count && !error; read++) {
		error = answer_read(&answers[read], asked[read].said);
		asked[read].said = NULL;
	}
	for (size_t i = 0; i < count && !error; i++)
		tell_machine(checker, &checker->machines.machine[i], &asked[i], &answers[i],
			     &answers[0]);
	for (size_t i = 0; i < count; i++) {
		if (answers)
			answer_free(&answers[i]);
		if (questions)
			free(questions[i].command);
		if (asked) {
			free(asked[i].said);
			free(asked[i].complaint);
		}
	}
	free(questions);
	free(answers);
	free(asked);
	return error;
}

/* mpirun with a monitor on each node, which meets the others and ends. */
static char *meet_command(const struct checker *checker, const char *folder)
{
	char *const *share = checker->check->share, *const *mpirun = checker->check->mpirun;
	char nodes[16], monitor[PATH_MAX + 16], *command;
	const char **words;
	size_t count = 0, n = 0;
	int all = 0;

	while (mpirun[count])
		count++;
	words = calloc(count + 10, sizeof(*words));
	if (!words)
		return NULL;
	for (size_t i = 0; i < checker->machines.count; i++)
		all += checker->machines.machine[i].nodes;
	snprintf(nodes, sizeof(nodes), "%d", all);
	snprintf(monitor, sizeof(monitor), "%s/cape-monitor", checker->folder);
	words[n++] = "mpirun";
	while (*share)
		words[n++] = *share++;
	words[n++] = "-np";
	words[n++] = nodes;
	while (*mpirun)
		words[n++] = *mpirun++;
	words[n++] = monitor;
	words[n++] = "--meet";
	words[n++] = folder;
	command = quote_command(words);
	free(words);
	return command;
}

/* Two nodes that miss each other both say so, in the same words. */
static bool is_said(const struct answer *answer, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(answer->line[i].text, answer->line[at].text) == 0)
			return true;
	return false;
}

static void tell_mpirun(struct checker *checker, struct asked *asked)
{
	char *line, *rest = asked->complaint;

	find(checker, ANSWER_FAULT, asked->status < 0 ? "mpirun does not end" : "mpirun fails", "");
	while ((line = strsep(&rest, "\n")))
		if (*line && strncmp(line, "-----", 5) != 0)
			printf("    %s\n", line);
}

static int let_meet_in(struct checker *checker, const char *folder)
{
	struct question question = {.command = meet_command(checker, folder)};
	struct answer answer = {.count = 0};
	struct asked asked = {.status = -1};
	int before = checker->faults, error;

	/* As in a run. */
	setenv("OMPI_MCA_orte_tmpdir_base", folder, 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	printf("all nodes\n");
	fflush(stdout);
	error = question.command ? ask_all(&question, &asked, 1, MEET_SECONDS) : -1;
	if (!error) {
		error = answer_read(&answer, asked.said);
		asked.said = NULL;
	}
	for (size_t i = 0; i < answer.count; i++)
		if (!is_said(&answer, i))
			find(checker, answer.line[i].kind, answer.line[i].text,
			     answer.line[i].more);
	if (!error && asked.status != 0 && before == checker->faults) {
		tell_mpirun(checker, &asked);
	} else if (!error && before == checker->faults) {
		printf("  every machine reaches every other one\n");
	}
	answer_free(&answer);
	free(asked.said);
	free(asked.complaint);
	free(question.command);
	return error;
}

/* What mpirun leaves however it ends goes with the folder. */
static int let_meet(struct checker *checker)
{
	bool cramped, started = true;
	char *folder = NULL;
	int lock = folder_choose(checker->machines.machine[0].nodes, &folder, &cramped), error = 0;

	if (lock == 0)
		lock = keeper_make_folder(folder, &started);
	if (!started)
		find(checker, ANSWER_FAULT, "no process can be started", "");
	else if (lock < 0)
		find(checker, ANSWER_FAULT, "no folder can be made for a run's files", "");
	if (lock >= 0) {
		error = let_meet_in(checker, folder);
		close(lock);
	}
	free(folder);
	return error;
}

/* What a host file leaves open is what mpirun finds there: a slot for each core. */
static int count_slots(struct checker *checker)
{
	struct machines *machines = &checker->machines;
	struct question *questions = calloc(machines->count, sizeof(*questions));
	struct asked *asked = calloc(machines->count, sizeof(*asked));
	int error = questions && asked ? 0 : -1, slots;
	size_t count = 0;

	for (size_t i = 0; i < machines->count && !error; i++) {
		struct machine *machine = &machines->machine[i];

		if (!machine->slots)
			questions[count++] =
				(struct question){machine->here ? NULL : checker->check->agent,
						  machine->name, (char *)COUNT_CORES, NULL};
	}
	if (!error && count)
		error = ask_all(questions, asked, count, ASK_SECONDS);
	for (size_t i = machines->count; i-- > 0 && !error;) {
		if (machines->machine[i].slots)
			continue;
		slots = atoi(asked[--count].said);
		/* Why it does not say so is found when it is asked for all. */
		machines->machine[i].slots = slots < 1 ? 1 : slots;
		free(asked[count].said);
		free(asked[count].complaint);
	}
	free(questions);
	free(asked);
	return error;
}

static bool know_paths(struct checker *checker)
{
	ssize_t length = readlink("/proc/self/exe", checker->own, sizeof(checker->own) - 1);

	if (length < 0)
		return complain(
			"/proc is not mounted here, and CAPE needs it: mount -t proc proc /proc");
	checker->own[length] = '\0';
	strcpy(checker->folder, checker->own);
	*strrchr(checker->folder, '/') = '\0';
	if (!getcwd(checker->directory, sizeof(checker->directory)))
		strcpy(checker->directory, ".");
	return true;
}

int check_machines(const struct check *check)
{
	struct checker checker = {.check = check};
	int error;

	if (!know_paths(&checker) ||
	    machines_find(&checker.machines, check->mpirun, check->job) < 0)
		return 1;
	error = count_slots(&checker);
	if (!error) {
		machines_place(&checker.machines, check->nodes);
		checker.base = folder_base(checker.machines.machine[0].nodes);
		error = ask_machines(&checker);
	}
	if (!error && !checker.faults)
		error = let_meet(&checker);
	if (error)
		complain("out of memory");
	else
		printf("%d fault%s, %d note%s; %zu machine%s\n", checker.faults,
		       checker.faults == 1 ? "" : "s", checker.notes, checker.notes == 1 ? "" : "s",
		       checker.machines.count, checker.machines.count == 1 ? "" : "s");
	machines_free(&checker.machines);
	return error || checker.faults;
}

int check_probe(int count, char **arguments)
{
	char own[PATH_MAX], monitor[PATH_MAX + 16];
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	struct probe probe = {.monitor = monitor};

	if (count < 5)
		return 2;
	if (length < 0)
		strcpy(own, "/");
	else
		own[length] = '\0';
	*strrchr(own, '/') = '\0';
	snprintf(monitor, sizeof(monitor), "%s/cape-monitor", own);
	probe.machine = arguments[0];
	probe.nodes = atoi(arguments[1]);
	probe.driver = atoi(arguments[2]);
	probe.base = arguments[3];
	probe.directory = arguments[4];
	probe.program = arguments[5];
	probe_here(&probe);
	return 0;
}
