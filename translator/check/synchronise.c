/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synchronise.c - what of synchronisation that is not OpenMP's the text has, and its calls.
 *
 * Builtins need no edit: cape_sync.h has macros of their names.
 */
#include "synchronise.h"

#include <string.h>

#include "read/builtins.h"
#include "read/part.h"
#include "read/directive_facts.h"
#include "read/report.h"
#include "read/unit.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What looks like one and synchronises nothing. */
static const char *const harmless[] = {"__atomic_always_lock_free", "__atomic_is_lock_free",
				       "__atomic_signal_fence",	    "__c11_atomic_is_lock_free",
				       "__c11_atomic_init",	    "__c11_atomic_signal_fence"};

/* Locks of POSIX, which the run time has in another way (cape_sync.h). */
static const char *const locks[] = {
	"pthread_mutex_lock",	 "pthread_mutex_trylock", "pthread_mutex_unlock",
	"pthread_spin_lock",	 "pthread_spin_trylock",  "pthread_spin_unlock",
	"pthread_mutex_destroy", "pthread_spin_destroy",
};

/* What POSIX synchronises threads by and has no meaning between nodes. */
static const char *const threads_only[] = {
	"pthread_cond_wait",
	"pthread_cond_timedwait",
	"pthread_cond_signal",
	"pthread_cond_broadcast",
	"pthread_barrier_wait",
	"pthread_mutex_timedlock",
	"pthread_rwlock_rdlock",
	"pthread_rwlock_wrlock",
	"pthread_rwlock_unlock",
	"pthread_rwlock_tryrdlock",
	"pthread_rwlock_trywrlock",
	"pthread_rwlock_timedrdlock",
	"pthread_rwlock_timedwrlock",
	"sem_wait",
	"sem_trywait",
	"sem_timedwait",
	"sem_post",
	"mtx_lock",
	"mtx_unlock",
	"mtx_trylock",
	"mtx_timedlock",
	"cnd_wait",
	"cnd_signal",
	"cnd_broadcast",
};

/* The name of a builtin in its -D. */
static bool is_builtin(const struct source *source, const struct token *token)
{
	size_t i;

	for (i = 0; i < BUILTINS_COUNT; i++)
		if (!strncmp(builtins_options[i] + 2, source->text.data + token->offset,
			     token->length) &&
		    builtins_options[i][2 + token->length] == '(')
			return true;
	return false;
}

static bool is_one_of(const struct source *source, const struct token *token,
		      const char *const *words, size_t count)
{
	while (count--)
		if (token_is(source, token, *words++))
			return true;
	return false;
}

static bool begins_with(const struct source *source, const struct token *token, const char *prefix)
{
	size_t length = strlen(prefix);

	return token->length > length && !memcmp(source->text.data + token->offset, prefix, length);
}

static bool is_assembly(const struct source *source, const struct token *token)
{
	static const char *const words[] = {"asm", "__asm__", "__asm"};

	return is_one_of(source, token, words, COUNT(words));
}

/* A name that is used, not declared: `int pthread_mutex_lock(...)` has a name before it. */
static bool is_use(const struct source *source, unsigned int at)
{
	static const char *const keywords[] = {"return", "else", "do", "case"};
	const struct token *before = &source->tokens.items[at - 1];

	if (!at || source_line_at(source, source->tokens.items[at].offset)->system)
		return false;
	if (token_is(source, before, ".") || token_is(source, before, "->") ||
	    token_is(source, before, "*"))
		return false;
	return before->kind != TOKEN_NAME || is_one_of(source, before, keywords, COUNT(keywords));
}

void synchronise_find(struct unit *unit)
{
	struct source *source = &unit->source;
	struct synchronisation *found = &unit->synchronisation;
	unsigned int at;

	for (at = 0; at + 1 < source->tokens.count; at++) {
		const struct token *token = &source->tokens.items[at];

		if (token->kind != TOKEN_NAME)
			continue;
		if (token_is(source, token, "_Atomic")) {
			found->objects = found->any = true;
		} else if (is_one_of(source, token, locks, COUNT(locks)) ||
			   is_one_of(source, token, threads_only, COUNT(threads_only)) ||
			   is_assembly(source, token)) {
			found->any |= is_use(source, at);
		} else if (token_is(source, token + 1, "(") &&
			   (begins_with(source, token, "__atomic_") ||
			    begins_with(source, token, "__sync_") ||
			    begins_with(source, token, "__c11_atomic_"))) {
			found->any = true;
			if (!is_builtin(source, token) &&
			    !is_one_of(source, token, harmless, COUNT(harmless)))
				report_error(unit, token->offset,
					     "'%.*s' is not supported: other nodes would not see "
					     "it; use the form of <stdatomic.h> or 'omp atomic'",
					     (int)token->length, source->text.data + token->offset);
		}
	}
}

/* Whether the text at OFFSET stands in a parallel region of this file. */
static bool is_in_region(const struct unit *unit, unsigned int offset)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];

		if (directive_is(directive->kind, IS_PARALLEL) && directive->body.from <= offset &&
		    offset < directive->body.to)
			return true;
	}
	return false;
}

static void rewrite_call(struct unit *unit, unsigned int at, bool lock)
{
	struct source *source = &unit->source;
	const struct token *token = &source->tokens.items[at];
	const char *name = source->text.data + token->offset;
	int length = (int)token->length;
	bool called = token_is(source, token + 1, "(");
	char *text;

	if (!lock && is_in_region(unit, token->offset))
		report_error(unit, token->offset,
			     "'%.*s' in a parallel region is not supported: it works between "
			     "threads of one process, but not between CAPE's nodes",
			     length, name);
	if (lock)
		text = called ? format_text("(cape_place(__FILE__, __LINE__), cape_%.*s)", length,
					    name)
			      : format_text("((__typeof__(&%.*s))cape_%.*s)", length, name, length,
					    name);
	else
		text = format_text("(cape_sequential_only(\"%.*s()\"), %.*s)", length, name, length,
				   name);
	if (lock || called)
		edit_replace(source, token->offset, token_end(token), token->offset, text);
	else
		memory_free(text);
}

/* Whether the words of an assembly's template make it one that other processors see. */
static bool is_locked(const struct source *source, unsigned int open, bool *fence)
{
	static const char *const words[] = {"lock", "xchg", "cmpxchg", "xadd"};
	unsigned int at;
	size_t i;

	for (at = open + 1; source->tokens.items[at].kind == TOKEN_STRING; at++) {
		const struct token *token = &source->tokens.items[at];
		const char *text = source->text.data + token->offset;

		for (i = 0; i < COUNT(words); i++)
			if (memmem(text, token->length, words[i], strlen(words[i])))
				return true;
		*fence |= memmem(text, token->length, "fence", 5) != NULL;
	}
	return false;
}

static void rewrite_assembly(struct unit *unit, unsigned int at)
{
	struct source *source = &unit->source;
	struct token first = source->tokens.items[at];
	unsigned int open = at + 1, end;
	bool fence = false, locked;

	while (source->tokens.items[open].kind == TOKEN_NAME)
		open++;
	end = source->tokens.items[open].match;
	if (end == NO_MATCH || end + 1 >= source->tokens.count ||
	    !token_is(source, &source->tokens.items[open], "(") ||
	    !token_is(source, &source->tokens.items[end + 1], ";"))
		return;
	locked = is_locked(source, open, &fence);
	if (!locked && !fence)
		return;
	if (locked && is_in_region(unit, first.offset))
		report_error(unit, first.offset,
			     "assembly with an atomic instruction in a parallel region is not "
			     "supported: other nodes do not see it; use <stdatomic.h> or 'omp "
			     "atomic'");
	edit_before(source, first.offset, first.offset,
		    format_text(locked ? "{ cape_sequential_only(\"assembly with an atomic "
					 "instruction\"); "
				       : "{ cape_flush(); "));
	edit_before(source, token_end(&source->tokens.items[end + 1]), first.offset,
		    format_text(" }"));
}

/* Whether the text of ACCESS is left as it is: the atomic construct has calls of its own, and of
 * a loop's header another form is made. */
static bool is_left(const struct unit *unit, const struct atomic_access *access)
{
	size_t i;

	for (i = 0; i < unit->directives.list.count; i++) {
		const struct directive *directive = &unit->directives.list.items[i];
		unsigned int from = directive->body.from, to = directive->body.to;

		if (directive->loop_count) {
			from = directive->loops[0].header.from;
			to = directive->loops[directive->loop_count - 1].header.to;
		} else if (directive->kind != DIRECTIVE_ATOMIC) {
			continue;
		}
		if (from <= access->whole.from && access->whole.from < to)
			return true;
	}
	return source_line_at(&unit->source, access->whole.from)->system;
}

static void rewrite_access(struct unit *unit, const struct atomic_access *access)
{
	struct source *source = &unit->source;
	struct range object = access->object, whole = access->whole;
	unsigned int at = source_token_at(source, object.to);
	const struct token *sign = &source->tokens.items[at];
	const char *text = source->text.data;

	if (access->kind == ACCESS_READ) {
		edit_before(source, object.from, object.from, format_text("cape_atomic_get("));
	} else if (access->kind == ACCESS_STEP) {
		bool before = whole.from != object.from;

		if (before)
			sign = &source->tokens.items[source_token_at(source, whole.from)];
		edit_replace(source, whole.from, before ? token_end(sign) : whole.from, whole.from,
			     format_text("cape_atomic_step_%s(%.*s, ", before ? "before" : "after",
					 (int)sign->length, text + sign->offset));
		if (!before) {
			edit_replace(source, sign->offset, token_end(sign), whole.from,
				     format_text(")"));
			return;
		}
	} else {
		bool assigned = token_is(source, sign, "=");

		if (text[token_end(sign) - 1] != '=')
			return; /* a comma */
		edit_before(source, whole.from, whole.from,
			    format_text(assigned ? "cape_atomic_set((" : "cape_atomic_modify(("));
		edit_replace(
			source, sign->offset, token_end(sign), whole.from,
			assigned ? format_text("),")
				 : format_text("), %.*s,", (int)sign->length, text + sign->offset));
	}
	edit_before(source, whole.to, whole.from, format_text(")"));
}

void synchronise_rewrite(struct unit *unit)
{
	const struct source *source = &unit->source;
	unsigned int at;
	size_t i;

	if (!unit->synchronisation.any)
		return;
	for (i = 0; i < unit->tree.accesses.count; i++)
		if (!is_left(unit, &unit->tree.accesses.items[i]))
			rewrite_access(unit, &unit->tree.accesses.items[i]);
	for (at = 1; at + 1 < source->tokens.count; at++) {
		const struct token *token = &source->tokens.items[at];
		bool lock;

		if (token->kind != TOKEN_NAME || !is_use(source, at))
			continue;
		lock = is_one_of(source, token, locks, COUNT(locks));
		if (lock || is_one_of(source, token, threads_only, COUNT(threads_only)))
			rewrite_call(unit, at, lock);
		else if (is_assembly(source, token))
			rewrite_assembly(unit, at);
	}
}
