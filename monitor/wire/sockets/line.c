// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line.c - passes bytes on between pairs of sockets: late, in pieces, and after stalls.
 *
 * The near socket's other end is this monitor's, the far one's another monitor's, or its line's.
 */
#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/param.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "common/clock.h"

#define ROOM	    65536
#define MOVES	    16		  /* of one way before others have their turn */
#define FAREWELL_NS 2000000000ull /* for the last bytes to go */
#define SECOND	    1000000000ull
#define NEVER	    UINT64_MAX

/* From one socket to another. */
struct way {
	int from, to;
	struct mischief mischief;
	size_t at, end; /* of the bytes that are here */
	uint64_t due;	/* when these go on */
	bool idle;	/* nothing is here, and nothing has come */
	bool over;	/* nothing comes any more; */
	bool shut;	/* and the other end knows */
	unsigned char bytes[ROOM];
};

struct line {
	struct line *next;
	int near, far;	     /* -1: it is closed */
	struct way out, in;  /* from near to far, and back */
	uint64_t stalled;    /* until when nothing goes and comes */
	uint64_t cut_bytes;  /* it is cut after so many more; or NEVER, */
	uint64_t cut_time;   /* and at this time, if any */
	uint64_t silent_end; /* when a line that is silent is closed; 0: it is not silent */
};

struct lines {
	uint64_t seed;
	int own, patience;
	struct mischief_cut cut; /* NODE -1: none */
	pthread_mutex_t lock;	 /* of all below, but for the thread's sleep */
	struct line *first;
	size_t count;
	bool begun; /* the thread */
	pthread_t thread;
	int bell;	 /* eventfd: there is something new */
	uint64_t ending; /* since when; 0: it is not */
};

static void close_line(struct line *line)
{
	if (line->near < 0)
		return;
	/* The child that is to become the program has the far one, too, for a while. */
	shutdown(line->far, SHUT_RDWR);
	close(line->far);
	close(line->near);
	line->near = line->far = -1;
}

/* Who sends to the way learns that nobody takes it. */
static void give_up(struct way *way)
{
	shutdown(way->from, SHUT_RD);
	way->over = way->shut = true;
	way->at = way->end = 0;
}

/* Whether it moved. */
static bool hand_on(struct way *way)
{
	size_t most = mischief_piece(&way->mischief, way->end - way->at);
	ssize_t sent = send(way->to, way->bytes + way->at, most, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		give_up(way);
	if (sent <= 0)
		return false;
	way->at += (size_t)sent;
	if (way->at == way->end)
		way->at = way->end = 0;
	return true;
}

static void cut_line(struct line *line, const struct lines *lines)
{
	line->cut_bytes = line->cut_time = NEVER;
	switch (lines->cut.how) {
	case MISCHIEF_HALF:
		give_up(&line->out);
		shutdown(line->far, SHUT_WR);
		break;
	case MISCHIEF_SILENT:
		line->silent_end = clock_now() + (uint64_t)lines->patience * SECOND;
		break;
	default:
		close_line(line);
	}
}

static bool take_more(struct line *line, struct way *way)
{
	size_t most = mischief_piece(&way->mischief, (size_t)MIN(ROOM, line->cut_bytes));
	ssize_t got = recv(way->from, way->bytes, most, MSG_DONTWAIT);
	uint64_t stall;

	way->idle = got < 0 && (errno == EAGAIN || errno == EINTR);
	if (way->idle)
		return false;
	if (got <= 0) {
		way->over = true;
		return true;
	}
	way->end = (size_t)got;
	way->due = clock_now() + mischief_delay(&way->mischief);
	stall = mischief_stall(&way->mischief);
	if (stall)
		line->stalled = clock_now() + stall;
	if (line->cut_bytes != NEVER)
		line->cut_bytes -= (uint64_t)got;
	return true;
}

/* One step; whether it moved. */
static bool move(struct line *line, struct way *way)
{
	if (way->end)
		return hand_on(way);
	if (!way->over)
		return take_more(line, way);
	shutdown(way->to, SHUT_WR);
	way->shut = true;
	return false;
}

static bool may_move(const struct line *line, const struct way *way, uint64_t now)
{
	return line->near >= 0 && !line->silent_end && !way->shut && line->stalled <= now &&
	       (way->end ? way->due <= now : line->cut_bytes > 0);
}

static void move_some(struct lines *lines, struct line *line, struct way *way)
{
	for (int i = 0; i < MOVES && may_move(line, way, clock_now()) && move(line, way); i++)
		if (!line->cut_bytes && !line->out.end && !line->in.end)
			cut_line(line, lines);
}

static void move_all(struct lines *lines)
{
	for (struct line *line = lines->first; line; line = line->next) {
		move_some(lines, line, &line->out);
		move_some(lines, line, &line->in);
		if (line->near >= 0 && line->cut_time <= clock_now())
			cut_line(line, lines);
		if ((line->out.shut && line->in.shut) ||
		    (line->silent_end && line->silent_end <= clock_now()))
			close_line(line);
	}
}

/* What to wait for on its way; lowers *UNTIL to when it may go on by itself. */
static struct pollfd watched(const struct line *line, const struct way *way, uint64_t *until)
{
	struct pollfd event = {.fd = -1};

	if (line->near < 0)
		return event;
	*until = MIN(*until, line->cut_time);
	if (way->shut || (!way->end && !line->cut_bytes))
		return event;
	if (line->silent_end) {
		*until = MIN(*until, line->silent_end);
	} else if (!may_move(line, way, clock_now())) {
		*until = MIN(*until, MAX(line->stalled, way->end ? way->due : 0));
	} else if (way->over && !way->end) {
		*until = 0;
	} else {
		event.fd = way->end ? way->to : way->from;
		event.events = way->end ? POLLOUT : POLLIN;
	}
	return event;
}

/* With the lock, which is free while it sleeps. */
static void sleep_until_more(struct lines *lines)
{
	uint64_t until = clock_now() + SECOND, now, count = 1, rung;
	struct pollfd list[1 + 2 * lines->count];
	struct timespec time;

	list[0] = (struct pollfd){.fd = lines->bell, .events = POLLIN};
	for (const struct line *line = lines->first; line; line = line->next) {
		list[count++] = watched(line, &line->out, &until);
		list[count++] = watched(line, &line->in, &until);
	}
	now = clock_now();
	until = until > now ? until - now : 0;
	time = (struct timespec){(time_t)(until / SECOND), (long)(until % SECOND)};
	pthread_mutex_unlock(&lines->lock);
	if (ppoll(list, count, &time, NULL) > 0 && list[0].revents &&
	    read(lines->bell, &rung, sizeof(rung)) < 0)
		abort();
	pthread_mutex_lock(&lines->lock);
}

/* Whether all has gone that was to go from here. */
static bool is_empty(const struct lines *lines)
{
	for (const struct line *line = lines->first; line; line = line->next)
		if (line->near >= 0 && !line->silent_end && !line->out.shut && !line->out.idle)
			return false;
	return true;
}

static void *pass_on(void *context)
{
	struct lines *lines = context;

	pthread_mutex_lock(&lines->lock);
	for (;;) {
		move_all(lines);
		if (lines->ending && (is_empty(lines) || clock_now() - lines->ending > FAREWELL_NS))
			break;
		sleep_until_more(lines);
	}
	pthread_mutex_unlock(&lines->lock);
	return NULL;
}

struct lines *lines_start(uint64_t seed, int own, const struct mischief_cut *cut, int patience)
{
	struct lines *lines = calloc(1, sizeof(*lines));

	if (!lines)
		return NULL;
	*lines = (struct lines){.seed = seed, .own = own, .patience = patience};
	lines->cut = cut ? *cut : (struct mischief_cut){.node = -1};
	pthread_mutex_init(&lines->lock, NULL);
	lines->bell = eventfd(0, EFD_CLOEXEC);
	return lines;
}

static void ring(const struct lines *lines)
{
	uint64_t one = 1;

	if (write(lines->bell, &one, sizeof(one)) < 0)
		abort();
}

/* 0 or -errno. */
static int start_thread(struct lines *lines)
{
	int error = lines->begun ? 0 : pthread_create(&lines->thread, NULL, pass_on, lines);

	lines->begun |= !error;
	return -error;
}

static bool is_to_be_cut(const struct line *line)
{
	return line->cut_bytes != NEVER || line->cut_time != NEVER;
}

static struct line *make_line(const struct lines *lines, int other, enum mischief_line kind)
{
	const struct mischief_cut *cut = &lines->cut;
	struct line *line = calloc(1, sizeof(*line));

	if (!line)
		return NULL;
	line->out.mischief = mischief_start(lines->seed, lines->own, other, 1 + 2 * (int)kind);
	line->in.mischief = mischief_start(lines->seed, lines->own, other, 2 + 2 * (int)kind);
	line->cut_bytes = line->cut_time = NEVER;
	if (cut->node == lines->own && cut->other == other && cut->line == kind) {
		line->cut_bytes = cut->bytes ? cut->bytes : NEVER;
		line->cut_time = cut->bytes ? NEVER : clock_now() + cut->time;
	}
	return line;
}

static void add(struct lines *lines, struct line *line, int near, int far)
{
	line->near = line->out.from = line->in.to = near;
	line->far = line->out.to = line->in.from = far;
	pthread_mutex_lock(&lines->lock);
	line->next = lines->first;
	lines->first = line;
	lines->count++;
	pthread_mutex_unlock(&lines->lock);
	ring(lines);
}

int lines_join(struct lines *lines, int socket, int other, enum mischief_line kind)
{
	struct line *line = make_line(lines, other, kind);
	int end[2], error;

	if (!line)
		return -ENOMEM;
	if (!line->out.mischief.pace && !line->in.mischief.pace && !is_to_be_cut(line)) {
		free(line);
		return socket;
	}
	error = start_thread(lines);
	if (!error && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, end) < 0)
		error = -errno;
	if (error) {
		free(line);
		return error;
	}
	add(lines, line, end[1], socket);
	return end[0];
}

void lines_stop(struct lines *lines)
{
	struct line *line;

	pthread_mutex_lock(&lines->lock);
	lines->ending = clock_now();
	for (line = lines->first; line; line = line->next)
		line->out.idle = false;
	pthread_mutex_unlock(&lines->lock);
	ring(lines);
	if (lines->begun)
		pthread_join(lines->thread, NULL);
	while ((line = lines->first)) {
		lines->first = line->next;
		close_line(line);
		free(line);
	}
	pthread_mutex_destroy(&lines->lock);
	close(lines->bell);
	free(lines);
}
