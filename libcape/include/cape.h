/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * cape.h - the calls that cape-cc puts into a translated OpenMP program.
 *
 * The form of a translated construct is that of the thesis (Tran 2018), Fig. 4.6 and 5.3:
 *
 *	cape_begin(directive, first, last);
 *	[clause functions]
 *	ckpt_start();
 *	#pragma omp parallel
 *	    the block, or the loop over LEFT..RIGHT
 *	cape_end(directive, reduction_flag);
 *
 * By the pragma, which only parallel constructs have, the compiler makes a function of the block;
 * each thread of the node runs it (cape_region_run()).  Without -fopenmp it runs in place.
 *
 * Every node runs these calls.  A node is one thread of the OpenMP team, or has several; a program
 * that is started by itself is one node, of threads.  Outside an active parallel region, and in a
 * team of one, every call works and synchronises nothing, so orphaned constructs need no special
 * case.  A call that makes no sense where it is made, as the end of a construct that has not begun,
 * ends the run with a line for the user.
 *
 * This header includes nothing and declares only names that begin with cape_, ckpt_ or CAPE_.
 */
#ifndef CAPE_H
#define CAPE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Which construct begins or ends.  The NOWAIT forms have no sync point at their end. */
enum cape_directive {
	CAPE_PARALLEL,
	CAPE_FOR,
	CAPE_FOR_NOWAIT,
	CAPE_SECTIONS,
	CAPE_SECTIONS_NOWAIT,
	CAPE_SINGLE,
	CAPE_SINGLE_NOWAIT,
	CAPE_PARALLEL_FOR,
	CAPE_PARALLEL_SECTIONS,
};

/* Reduction operators (thesis Table 3.1, with the identities of OpenMP 3.1; "-" is CAPE_ADD). */
enum cape_operator {
	CAPE_ADD,
	CAPE_MULTIPLY,
	CAPE_BIT_AND,
	CAPE_BIT_OR,
	CAPE_BIT_XOR,
	CAPE_LOGICAL_AND,
	CAPE_LOGICAL_OR,
	CAPE_MIN,
	CAPE_MAX,
};

/* The arithmetic types a reduction can have. */
enum cape_type {
	CAPE_BOOL,
	CAPE_CHAR, /* plain char, whichever its sign */
	CAPE_SIGNED_CHAR,
	CAPE_UNSIGNED_CHAR,
	CAPE_SHORT,
	CAPE_UNSIGNED_SHORT,
	CAPE_INT,
	CAPE_UNSIGNED_INT,
	CAPE_LONG,
	CAPE_UNSIGNED_LONG,
	CAPE_LONG_LONG,
	CAPE_UNSIGNED_LONG_LONG,
	CAPE_FLOAT,
	CAPE_DOUBLE,
	CAPE_LONG_DOUBLE,
	CAPE_COMPLEX_FLOAT,
	CAPE_COMPLEX_DOUBLE,
	CAPE_COMPLEX_LONG_DOUBLE,
};

/* Where in the user's source a call stands; #line makes __FILE__ and __LINE__ the user's. */
struct cape_place {
	const char *file;
	int line;
};

#define CAPE_HERE                                                                                  \
	(__extension__({                                                                           \
		static const struct cape_place cape_here = {__FILE__, __LINE__};                   \
		&cape_here;                                                                        \
	}))

/*
 * cape_begin - enter a construct.
 *
 * CAPE_FOR, CAPE_PARALLEL_FOR: the iterations are numbered FIRST .. LAST - 1.
 * CAPE_SECTIONS, CAPE_PARALLEL_SECTIONS: so are the sections.  Otherwise both are 0.
 */
#define cape_begin(directive, first, last) cape_begin_at((directive), (first), (last), CAPE_HERE)
void cape_begin_at(enum cape_directive directive, unsigned long first, unsigned long last,
		   const struct cape_place *place);

/*
 * cape_end - leave a construct: the sync point, unless it is a NOWAIT form.
 *
 * REDUCTION says whether cape_reduction() was called since cape_begin().
 */
#define cape_end(directive, reduction) cape_end_at((directive), (reduction), CAPE_HERE)
void cape_end_at(enum cape_directive directive, int reduction, const struct cape_place *place);

/*
 * cape_untouched - before cape_end() of a parallel construct: behind it the program touches nothing
 * but its own stack until it calls cape_touch(), or until the next parallel construct starts.
 *
 * Memory that only some nodes hold need not be protected meanwhile.
 */
void cape_untouched(void);
void cape_touch(void);

/* The compiler's word to the user where what a clause is given is no integer. */
#define CAPE_CHECK_INTEGER(clause, expression)                                                     \
	((void)sizeof(struct {                                                                     \
		_Static_assert(__builtin_classify_type((expression) + 0) == 1,                     \
			       clause " must be given an integer");                                \
		char cape_type;                                                                    \
	}))

/* What proc_bind names: numbers of omp_proc_bind_t. */
enum cape_bind {
	cape_bind_master = 2,
	cape_bind_primary = 2,
	cape_bind_close = 3,
	cape_bind_spread = 4,
};

/* Clauses of the construct that was begun last; all before ckpt_start(). */
#define cape_num_threads(nodes)                                                                    \
	(CAPE_CHECK_INTEGER("num_threads", nodes), (cape_num_threads)(nodes))
#define cape_proc_bind(kind) (cape_proc_bind)(cape_bind_##kind)
#define cape_schedule_static(chunk)                                                                \
	(CAPE_CHECK_INTEGER("schedule", chunk), (cape_schedule_static)(chunk))
#define cape_schedule_dynamic(chunk)                                                               \
	(CAPE_CHECK_INTEGER("schedule", chunk), (cape_schedule_dynamic)(chunk))
#define cape_schedule_guided(chunk)                                                                \
	(CAPE_CHECK_INTEGER("schedule", chunk), (cape_schedule_guided)(chunk))
void cape_if(int condition);			  /* parallel: if(condition) */
void(cape_num_threads)(int nodes);		  /* parallel: num_threads(nodes) */
void(cape_proc_bind)(enum cape_bind kind);	  /* parallel: proc_bind(kind) */
void(cape_schedule_static)(unsigned long chunk);  /* for: schedule(static, chunk), chunk >= 1 */
void(cape_schedule_dynamic)(unsigned long chunk); /* for: schedule(dynamic, chunk), chunk >= 1 */
void(cape_schedule_guided)(unsigned long chunk);  /* for: schedule(guided, chunk), chunk >= 1 */
void cape_schedule_runtime(void);		  /* for: schedule(runtime), as OMP_SCHEDULE says */
void cape_set_ordered(void);			  /* for: ordered */
static __inline__ void cape_set_default_none(void) /* default(none): the translator checks it */
{
}

/*
 * cape_set_shared - a shared automatic variable or parameter of this function.
 *
 * VARIABLE is its address; its size and its text are taken from the argument.  Static storage
 * and the heap are shared without it.  Kept until the region ends.
 */
#define cape_set_shared(variable) cape_set_shared_at((variable), sizeof *(variable), #variable)
void cape_set_shared_at(const volatile void *variable, unsigned long size, const char *name);

/*
 * cape_set_reaching - other nodes may change what POINTER leads to; the compiler must not take it
 * for private.  Messages call that memory by its name.
 */
#define cape_set_reaching(pointer)                                                                 \
	do {                                                                                       \
		__asm__ volatile("" : : "r"(pointer) : "memory");                                  \
		cape_set_reaching_at((const volatile void *)(pointer), #pointer);                  \
	} while (0)
void cape_set_reaching_at(const volatile void *pointer, const char *name);

/*
 * cape_set_writes - all that the region writes to the heap are the blocks of malloc() that the
 * COUNT pointers behind it point to.
 *
 * The rest of the heap is not compared then.  Of the parallel construct that was begun last,
 * before ckpt_start(); without it a region may write anywhere.
 */
void cape_set_writes(unsigned long count, ...);

/* A private variable is a shadow in an inner scope; nothing is left to do at run time. */
#define cape_set_private(shadow) ((void)sizeof *(shadow))
/* Fills the shadow of a firstprivate variable from its ORIGINAL; scalars may be assigned instead.
 */
#define cape_set_firstprivate(shadow, original)                                                    \
	((void)__builtin_memcpy((void *)(shadow), (const void *)(original), sizeof *(shadow)))
/* Stores the shadow of a lastprivate variable, where cape_is_last() holds. */
#define cape_set_lastprivate(shadow, original)                                                     \
	((void)__builtin_memcpy((void *)(original), (const void *)(shadow), sizeof *(original)))

/*
 * cape_set_copyin - copyin, before ckpt_start(): the master's threadprivate variable becomes every
 * node's.
 *
 * Threadprivate variables are thread-local; `#pragma omp threadprivate` stands in the translated
 * text, and the compiler makes them so.
 */
#define cape_set_copyin(variable) cape_set_copyin_at((variable), sizeof *(variable))
void cape_set_copyin_at(volatile void *variable, unsigned long size);

/*
 * cape_copyin - the same among the threads of a node, each of which calls it first thing in the
 * block: the SIZE bytes FROM, the first thread's variable, become this thread's VARIABLE.
 * cape_values_read() comes behind it.
 */
void cape_copyin(volatile void *variable, const volatile void *from, unsigned long size);

/* copyprivate: called by every node between the block of a single and its cape_end(). */
#define cape_set_copyprivate(variable) cape_set_copyprivate_at((variable), sizeof *(variable))
void cape_set_copyprivate_at(volatile void *variable, unsigned long size);

/*
 * cape_reduction - hand over this node's part of a reduction (thesis Table 5.2).
 *
 * VALUES is the address of the private copy (scalar or array), ORIGINAL the address where the
 * result goes, COUNT the number of elements of TYPE.  The values are copied at once.  Called
 * between the block and cape_end(); the result is at ORIGINAL behind the next sync point.
 */
void cape_reduction(const volatile void *values, volatile void *original, enum cape_operator op,
		    enum cape_type type, unsigned long count);

/*
 * cape_reduction_user - the same for declare reduction: COUNT elements of SIZE bytes, folded by
 * COMBINE, which changes *OUT by *IN.
 */
void cape_reduction_user(const volatile void *values, volatile void *original, unsigned long size,
			 unsigned long count, void (*combine)(void *out, const void *in));

/* Rows PART, the copy of an array section, addressed from the array's beginning, FROM rows before.
 * The compiler does not see that this is outside of PART. */
#define CAPE_ROWS(part, from)                                                                      \
	(__extension__({                                                                           \
		__typeof__(&(part)[0]) cape_rows = (part);                                         \
		__asm__("" : "+r"(cape_rows));                                                     \
		cape_rows - (from);                                                                \
	}))

/* Sets COUNT elements of SIZE bytes by INITIAL, which is given the original's as well. */
static __inline__ void cape_reduction_initial(void *values, const volatile void *original,
					      unsigned long size, unsigned long count,
					      void (*initial)(void *out, const void *original))
{
	unsigned long i;

	for (i = 0; i < count; i++)
		initial((char *)values + i * size, (const char *)original + i * size);
}

/* Sets COUNT elements of TYPE at VALUES to the identity of OP. */
void cape_reduction_identity(volatile void *values, enum cape_operator op, enum cape_type type,
			     unsigned long count);

/* The enum cape_type of an arithmetic expression. */
#define CAPE_TYPE(expression)                                                                      \
	(CAPE_CHECK_TYPE(expression), _Generic((expression), _Bool                                 \
					       : CAPE_BOOL, char                                   \
					       : CAPE_CHAR, signed char                            \
					       : CAPE_SIGNED_CHAR, unsigned char                   \
					       : CAPE_UNSIGNED_CHAR, short                         \
					       : CAPE_SHORT, unsigned short                        \
					       : CAPE_UNSIGNED_SHORT, int                          \
					       : CAPE_INT, unsigned int                            \
					       : CAPE_UNSIGNED_INT, long                           \
					       : CAPE_LONG, unsigned long                          \
					       : CAPE_UNSIGNED_LONG, long long                     \
					       : CAPE_LONG_LONG, unsigned long long                \
					       : CAPE_UNSIGNED_LONG_LONG, float                    \
					       : CAPE_FLOAT, double                                \
					       : CAPE_DOUBLE, long double                          \
					       : CAPE_LONG_DOUBLE, float _Complex                  \
					       : CAPE_COMPLEX_FLOAT, double _Complex               \
					       : CAPE_COMPLEX_DOUBLE, long double _Complex         \
					       : CAPE_COMPLEX_LONG_DOUBLE, default                 \
					       : CAPE_INT))

/* The compiler's word to the user where there is none. */
#define CAPE_CHECK_TYPE(expression)                                                                \
	((void)sizeof(struct {                                                                     \
		_Static_assert(CAPE_HAS_TYPE(expression),                                          \
			       "a reduction of this type is not supported: declare one of your "   \
			       "own with 'declare reduction'");                                    \
		char cape_type;                                                                    \
	}))
#define CAPE_HAS_TYPE(expression)                                                                  \
	(_Generic((expression), _Bool : 1, default : 0) || CAPE_ARITHMETIC_RANK(expression) >= 0)
/* 0: an integer; 1 to 3: a floating type; above: a complex one; -1: anything else. */
#define CAPE_ARITHMETIC_RANK(expression)                                                           \
	_Generic((expression), char : 0, signed char : 0, unsigned char : 0, short : 0,            \
		 unsigned short : 0, int : 0, unsigned int : 0, long : 0, unsigned long : 0,       \
		 long long : 0, unsigned long long : 0, float : 1, double : 2, long double : 3,    \
		 float _Complex : 4, double _Complex : 5, long double _Complex : 6, default        \
		 : -1)

/*
 * ckpt_start - the clauses are known: the team is formed, changes count from here.
 *
 * Passes where the frame of the calling function ends, from where on its callers' frames are
 * shared as a whole; a function that holds a parallel construct must therefore not be inlined.
 */
#define ckpt_start() ckpt_start_at(__builtin_dwarf_cfa())
void ckpt_start_at(const void *frame);

/*
 * The teams construct, and target with thread_limit(): TEAMS are asked for, and one is there; its
 * regions have up to THREAD_LIMIT threads, 0: as many as the settings say.  cape_teams_end() puts
 * back what cape_teams_begin() has returned.
 */
int cape_teams_begin(int teams, int thread_limit);
void cape_teams_end(int before);

/*
 * cape_region_run - calls BODY with DATA once for each thread of this node: the block of a parallel
 * construct, between ckpt_start() and cape_end().
 *
 * The compiler makes a function of a block that stands behind `#pragma omp parallel`, and calls it
 * by cape_outlined.h, which ends here.
 */
void cape_region_run(void (*body)(void *data), void *data);

/* Behind a volatile variable of such a block, which gcc else forgets to be one. */
#define cape_set_volatile(variable) __asm__ __volatile__("" : : "r"(variable) : "memory")

/*
 * cape_values_read - behind it all threads of the node have read what they begin with: in a
 * construct that gives a variable its first value and its last, which may be stored from there on,
 * and behind cape_copyin().
 */
void cape_values_read(void);

int cape_in_team(void); /* whether this node runs the block of the parallel construct */

/*
 * cape_iterations - behind ckpt_start(): so many iterations the parallel loop has, which was begun
 * with none; before its schedule and its first chunk.
 */
void cape_iterations(unsigned long count);

/*
 * cape_chunk - this node's next range of iterations LEFT .. RIGHT - 1 of the loop.
 *
 * Returns 0 when there is none left.
 */
int cape_chunk(unsigned long *left, unsigned long *right);

int cape_section(
	void);	       /* whether the next section, counted in the order of calls, is this node's */
int cape_single(void); /* whether this node runs the block of the single construct */
int cape_single_any(void);   /* the same, for a block that uses no files: any may run it */
int cape_master(void);	     /* whether this node is the master of its team */
int cape_masked(int thread); /* whether this node is that thread of its team */
int cape_is_last(void); /* whether this node ran the last iteration or section of the construct */

/*
 * CAPE_TAKES - stands where a node takes what others have changed before all of them meet at a sync
 * point.  A program that has such places says it when it starts: of each there is a constructor
 * that calls cape_takes(), if the compiler leaves the place in the program at all.  Without any,
 * nodes keep to themselves until the next sync point what nobody can ask for; so a call that takes
 * and was not said ends the run.
 */
#define CAPE_TAKES CAPE_SAYS("cape_takes")
#define CAPE_SAYS(function)                                                                        \
	__extension__({                                                                            \
		__asm__ __volatile__(".pushsection .init_array.00102, \"aw\", @init_array\n\t"     \
				     ".balign 8\n\t"                                               \
				     ".quad " function "\n\t"                                      \
				     ".popsection");                                               \
	})
void cape_takes(void);

/*
 * CAPE_ADDS - likewise stands where a node changes what others change meanwhile, too, in any order:
 * atomic updates.
 */
#define CAPE_ADDS CAPE_SAYS("cape_adds")
void cape_adds(void);

/* Whether this program runs by threads of one process; never changes. */
extern const int cape_by_threads;

/* The barrier construct: a sync point of the whole team. */
#define cape_barrier() cape_barrier_at(CAPE_HERE)
void cape_barrier_at(const struct cape_place *place);

/*
 * The flush construct: publishes what this node changed, takes what others published.  The form
 * with a list is given COUNT pairs of a variable's address and its size (unsigned long).
 */
#define cape_flush()		    (CAPE_TAKES, cape_flush_at(CAPE_HERE, 0UL))
#define cape_flush_list(count, ...) (CAPE_TAKES, cape_flush_at(CAPE_HERE, (count), __VA_ARGS__))
void cape_flush_at(const struct cape_place *place, unsigned long count, ...);

/*
 * In the condition of a loop that reads something volatile: another node may change it.  WAITS: the
 * loop does nothing else.  A loop that works looks now and then, as the last look has told it.
 */
#define cape_look(waits) (CAPE_TAKES, cape_look_from(CAPE_HERE, (waits)))
void cape_look_at(const struct cape_place *place, int waits);

struct cape_looks {
	const struct cape_place *place; /* that looked last */
	unsigned int left;		/* until it looks again */
};
extern struct cape_looks *cape_looks; /* this node's own */

static __inline__ void cape_look_from(const struct cape_place *place, int waits)
{
	/* Threads of a node may count at once. */
	if (waits || cape_looks->place != place || (int)--cape_looks->left <= 0)
		cape_look_at(place, waits);
}

/* The critical construct; NAME is a string, NULL for the unnamed one. */
#define cape_critical_begin(name) (CAPE_TAKES, cape_critical_begin_at((name), CAPE_HERE))
void cape_critical_begin_at(const char *name, const struct cape_place *place);
void cape_critical_end(const char *name);

/*
 * The ordered construct.  A loop with the clause ordered calls cape_iteration() at the start of
 * each iteration, with its number between LEFT and RIGHT.
 */
void cape_iteration(unsigned long iteration);
#define cape_ordered_begin() cape_ordered_begin_at(CAPE_HERE)
void cape_ordered_begin_at(const struct cape_place *place);
void cape_ordered_end(void);

/*
 * Tasks.  The compiler makes a function of a block that stands behind `#pragma omp task`, and calls
 * cape_outlined_tasks.h, which hands the task over to whoever has time, or runs it at once.
 *
 * A single construct whose tasks any node may run ends in cape_tasks_run(), behind the block and
 * before cape_end().  The translator numbers those tasks from 1 within the construct.
 */
enum cape_task_flags {
	CAPE_TASK_UNDEFERRED = 1, /* its if clause says so */
	CAPE_TASK_FINAL = 2,	  /* its final clause holds: so are all tasks inside it */
	CAPE_TASK_DEPENDS = 4,	  /* its depend clause orders it */
	CAPE_TASK_IN_PLACE = 8,	  /* what it adds to is not there for long */
};
/* priority(NUMBER): above the flags. */
#define CAPE_TASK_PRIORITY_SHIFT 8
static __inline__ int cape_task_priority(long number)
{
	long most = 0x7fffffffl >> CAPE_TASK_PRIORITY_SHIFT;

	return number <= 0 ? 0 : (int)(number < most ? number : most) << CAPE_TASK_PRIORITY_SHIFT;
}
/* Of the task that comes next: its LABEL, 0 if other nodes may not run it, and its FLAGS. */
void cape_task_next(int label, int flags);
/* In its block: a compiler leaves an empty one out, which others' depend clauses may wait for. */
static __inline__ void cape_task_body(void)
{
	__asm__ volatile("");
}

enum cape_depend {
	CAPE_DEPEND_IN,
	CAPE_DEPEND_OUT, /* any other: one at a time of those that name the same memory */
};
/* One item of its depend clause; NULL: all memory. */
void cape_task_depend(enum cape_depend kind, const volatile void *item);
void cape_tasks_run(void);
#define cape_taskwait() cape_taskwait_at(CAPE_HERE)
void cape_taskwait_at(const struct cape_place *place);
void cape_taskyield(void);
void cape_taskgroup_begin(void);
#define cape_taskgroup_end() cape_taskgroup_end_at(CAPE_HERE)
void cape_taskgroup_end_at(const struct cape_place *place);

/*
 * The tasks of a taskloop of TRIPS iterations: as many as the team has threads, as NUMBER says, or
 * each of NUMBER iterations, in a strict taskloop exactly so, else up to twice as many.
 */
enum cape_taskloop {
	CAPE_TASKLOOP_TEAM,
	CAPE_TASKLOOP_NUMBER,
	CAPE_TASKLOOP_SIZE,
	CAPE_TASKLOOP_STRICT,
};
struct cape_taskloop_parts {
	unsigned long trips;
	unsigned long size;   /* iterations of each task */
	unsigned long larger; /* so many tasks, the first ones, have one more */
};
struct cape_taskloop_parts cape_taskloop(unsigned long trips, enum cape_taskloop by,
					 unsigned long number);
/* The next task's iterations LEFT .. RIGHT - 1; RIGHT is 0 before the first.  0: no more. */
int cape_taskloop_next(struct cape_taskloop_parts *parts, unsigned long *left,
		       unsigned long *right);

/*
 * Reductions of tasks.  cape_task_reduction_scope() begins one of VARIABLE, SIZE bytes, whose parts
 * go to COPY: VARIABLE, what is private of it, or NULL for a VARIABLE that only this node has.
 * cape_task_reduction_leave() ends the last COUNT of them.  The others hand over a task's part at
 * its end, as cape_reduction() and cape_reduction_user() do a node's.  Nodes add parts in the order
 * of the tasks; a thread adds up those of the tasks that it runs, and these sums are added in the
 * order of threads.
 */
void cape_task_reduction_scope(const volatile void *variable, unsigned long size,
			       volatile void *copy);
void cape_task_reduction_leave(unsigned long count);
void cape_task_reduction(const volatile void *values, volatile void *original,
			 enum cape_operator op, enum cape_type type, unsigned long count);
void cape_task_reduction_user(const volatile void *values, volatile void *original,
			      unsigned long size, unsigned long count,
			      void (*combine)(void *out, const void *in));

/*
 * Memory that the program maps itself: shared from cape_declare() to cape_undeclare().  To be
 * called by sequential code, with the same address on every node.  malloc() needs none of it.
 * 0, or -EBUSY in a region, -EINVAL where SIZE is 0 or goes beyond the end of memory, -EEXIST where
 * something of it is shared already, -ENOMEM.  Without cape-run it does nothing.
 */
#define cape_declare(variable) cape_declare_at((variable), sizeof *(variable), #variable)
int cape_declare_at(void *memory, unsigned long size, const char *name);
void cape_undeclare(void *memory);

/* Number of iterations from FIRST to LIMIT by STEP > 0 (its magnitude), right up to the ends
 * of the type; for the relational operator that the name says. */
#define CAPE_TRIPS_LT(first, limit, step)                                                          \
	((first) < (limit) ? CAPE_DISTANCE(first, limit, 1) / (unsigned long)(step) + 1 : 0UL)
#define CAPE_TRIPS_LE(first, limit, step)                                                          \
	((first) <= (limit) ? CAPE_DISTANCE(first, limit, 0) / (unsigned long)(step) + 1 : 0UL)
#define CAPE_TRIPS_GT(first, limit, step) CAPE_TRIPS_LT(limit, first, step)
#define CAPE_TRIPS_GE(first, limit, step) CAPE_TRIPS_LE(limit, first, step)
#define CAPE_TRIPS_NE_UP(first, limit, step)                                                       \
	(CAPE_DISTANCE(first, limit, 0) / (unsigned long)(step))
#define CAPE_TRIPS_NE_DOWN(first, limit, step) CAPE_TRIPS_NE_UP(limit, first, step)
/* (high - low) - less, in unsigned long; works for integers and for pointers to one array. */
#define CAPE_DISTANCE(low, high, less)                                                             \
	((unsigned long)__builtin_choose_expr(__builtin_classify_type(low) == 5, (high) - (low),   \
					      CAPE_WIDE(high) - CAPE_WIDE(low)) -                  \
	 (less))
#define CAPE_WIDE(value) ((unsigned long)(value))

#ifdef __cplusplus
}
#endif

#endif
