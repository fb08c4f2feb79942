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
 * Only parallel constructs have the pragma: it makes the compiler turn the block into a function,
 * which each thread of the node runs (cape_region_run()).  Without -fopenmp the block runs in
 *place.
 *
 * A node is one process of the program.  Every node makes these calls; a node is one thread of the
 * OpenMP team, or several.  A program that is started without cape-run is one node, of threads.
 * A sync point is where all nodes of the team meet and exchange what they changed of shared memory.
 * Outside an active parallel region, and in a team of one, every call is allowed and synchronises
 * nothing, so orphaned constructs need no special case.
 *
 * Errors: no call returns one, unless its description says so.  A call in the wrong place, such as
 * the end of a construct that has not begun, ends the run with a message to the user.
 *
 * Ownership: a call does not keep pointers to its arguments after it returns, except struct
 * cape_place and names, which must be static, and what a description names.  Sizes are in bytes.
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

/* The arithmetic types that a reduction can have. */
enum cape_type {
	CAPE_BOOL,
	CAPE_CHAR, /* plain char, signed or not */
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

/*
 * The place of a call in the user's source.  #line directives make __FILE__ and __LINE__ those of
 * the user.
 */
struct cape_place {
	const char *file;
	int line;
};

/* The place of this call: a pointer to static memory. */
#define CAPE_HERE                                                                                  \
	(__extension__({                                                                           \
		static const struct cape_place cape_here = {__FILE__, __LINE__};                   \
		&cape_here;                                                                        \
	}))

/*
 * cape_begin - enter the construct DIRECTIVE.
 *
 * CAPE_FOR, CAPE_PARALLEL_FOR: its iterations are numbered FIRST .. LAST - 1.
 * CAPE_SECTIONS, CAPE_PARALLEL_SECTIONS: its sections are numbered FIRST .. LAST - 1.
 * Other constructs: FIRST and LAST are 0.
 */
#define cape_begin(directive, first, last) cape_begin_at((directive), (first), (last), CAPE_HERE)
void cape_begin_at(enum cape_directive directive, unsigned long first, unsigned long last,
		   const struct cape_place *place);

/*
 * cape_end - leave the construct DIRECTIVE, with a sync point unless it is a NOWAIT form.
 *
 * REDUCTION is 1 if cape_reduction() was called since cape_begin(), else 0.
 */
#define cape_end(directive, reduction) cape_end_at((directive), (reduction), CAPE_HERE)
void cape_end_at(enum cape_directive directive, int reduction, const struct cape_place *place);

/*
 * cape_untouched - called before cape_end() of a parallel construct: after that construct the
 * program accesses only its own stack, until it calls cape_touch() or begins the next parallel
 * construct.
 *
 * So memory that only some nodes hold need not be protected in between.
 */
void cape_untouched(void);
void cape_touch(void);

/*
 * cape_replicable - called between cape_begin() and ckpt_start() of a parallel construct: that
 * comes to the same if each node runs all of it, as with if(0), also from any of its sync points
 * on; or, BY_TURNS, if each node runs all threads of its team, one after the other.
 */
void cape_replicable(int by_turns);

/* Instead of cape_touch(): the next access to shared memory reads OBJECT alone. */
#define cape_touch_read(object) (cape_touch_read)((unsigned long)&(object), sizeof(object))
void(cape_touch_read)(unsigned long address, unsigned long size);

/* Makes the compiler report an argument of CLAUSE that is not an integer. */
#define CAPE_CHECK_INTEGER(clause, expression)                                                     \
	((void)sizeof(struct {                                                                     \
		_Static_assert(__builtin_classify_type((expression) + 0) == 1,                     \
			       clause " must be given an integer");                                \
		char cape_type;                                                                    \
	}))

/* The arguments of the clause proc_bind: numbers of omp_proc_bind_t. */
enum cape_bind {
	cape_bind_master = 2,
	cape_bind_primary = 2,
	cape_bind_close = 3,
	cape_bind_spread = 4,
};

/*
 * Clauses of the construct that began last.  All are called before ckpt_start().  THREADS is the
 * size of the team that the clause asks for, CHUNK a number of iterations.
 */
#define cape_num_threads(threads)                                                                  \
	(CAPE_CHECK_INTEGER("num_threads", threads), (cape_num_threads)(threads))
#define cape_proc_bind(kind) (cape_proc_bind)(cape_bind_##kind)
#define cape_schedule_static(chunk)                                                                \
	(CAPE_CHECK_INTEGER("schedule", chunk), (cape_schedule_static)(chunk))
#define cape_schedule_dynamic(chunk)                                                               \
	(CAPE_CHECK_INTEGER("schedule", chunk), (cape_schedule_dynamic)(chunk))
#define cape_schedule_guided(chunk)                                                                \
	(CAPE_CHECK_INTEGER("schedule", chunk), (cape_schedule_guided)(chunk))
void cape_if(int condition);			   /* parallel: if(condition) */
void(cape_num_threads)(int threads);		   /* parallel: num_threads(threads) */
void(cape_proc_bind)(enum cape_bind kind);	   /* parallel: proc_bind(kind) */
void(cape_schedule_static)(unsigned long chunk);   /* for: schedule(static, chunk), chunk >= 1 */
void(cape_schedule_dynamic)(unsigned long chunk);  /* for: schedule(dynamic, chunk), chunk >= 1 */
void(cape_schedule_guided)(unsigned long chunk);   /* for: schedule(guided, chunk), chunk >= 1 */
void cape_schedule_runtime(void);		   /* for: schedule(runtime), from OMP_SCHEDULE */
void cape_set_ordered(void);			   /* for: ordered */
void cape_set_from_end(void);			   /* for: the last thread has the first block */
static __inline__ void cape_set_default_none(void) /* default(none): the translator checks it */
{
}

/*
 * cape_set_shared - declares a shared automatic variable or parameter of the calling function.
 *
 * VARIABLE is its address; the macro takes its size and its name from the argument.  Static storage
 * and the heap are shared without this call.  The variable is shared until the region ends.
 */
#define cape_set_shared(variable) cape_set_shared_at((variable), sizeof *(variable), #variable)
void cape_set_shared_at(const volatile void *variable, unsigned long size, const char *name);

/*
 * cape_set_reaching - says that other nodes may change the memory that POINTER points to, so the
 * compiler must not treat that memory as private.  Messages call the memory by NAME.
 */
#define cape_set_reaching(pointer)                                                                 \
	do {                                                                                       \
		__asm__ volatile("" : : "r"(pointer) : "memory");                                  \
		cape_set_reaching_at((const volatile void *)(pointer), #pointer);                  \
	} while (0)
void cape_set_reaching_at(const volatile void *pointer, const char *name);

/*
 * cape_set_writes - says that the region writes to no memory of the heap but the blocks of malloc()
 * that the COUNT pointers after COUNT point to.
 *
 * The rest of the heap is then not compared with its twin.  Called for the parallel construct that
 * began last, before ckpt_start(); without this call a region may write anywhere.
 */
void cape_set_writes(unsigned long count, ...);

/* A private variable is a shadow in an inner scope; there is nothing to do at run time. */
#define cape_set_private(shadow) ((void)sizeof *(shadow))
/* Fills the SHADOW of a firstprivate variable from its ORIGINAL; a scalar may be assigned instead.
 */
#define cape_set_firstprivate(shadow, original)                                                    \
	((void)__builtin_memcpy((void *)(shadow), (const void *)(original), sizeof *(shadow)))
/* Stores the SHADOW of a lastprivate variable in its ORIGINAL, if cape_is_last() holds. */
#define cape_set_lastprivate(shadow, original)                                                     \
	((void)__builtin_memcpy((void *)(original), (const void *)(shadow), sizeof *(original)))

/*
 * cape_set_copyin - the clause copyin, before ckpt_start(): copies the master's threadprivate
 * variable to every node.
 *
 * Threadprivate variables are thread-local: the translated text contains `#pragma omp
 * threadprivate`, and the compiler makes them so.
 */
#define cape_set_copyin(variable) cape_set_copyin_at((variable), sizeof *(variable))
void cape_set_copyin_at(volatile void *variable, unsigned long size);

/*
 * cape_copyin - the clause copyin among the threads of a node, each of which calls this function at
 * the start of the block: copies SIZE bytes at FROM, the first thread's variable, to VARIABLE, this
 * thread's.  cape_values_read() follows.
 */
void cape_copyin(volatile void *variable, const volatile void *from, unsigned long size);

/* copyprivate: every node calls it between the block of a single construct and its cape_end(). */
#define cape_set_copyprivate(variable) cape_set_copyprivate_at((variable), sizeof *(variable))
void cape_set_copyprivate_at(volatile void *variable, unsigned long size);

/*
 * cape_reduction - hand over this node's part of a reduction (thesis Table 5.2).
 *
 * VALUES is the address of the private copy (scalar or array), ORIGINAL the address for the result,
 * COUNT the number of elements of TYPE.  The values are copied during the call.  Called between the
 * block and cape_end(); the result is at ORIGINAL after the next sync point.
 */
void cape_reduction(const volatile void *values, volatile void *original, enum cape_operator op,
		    enum cape_type type, unsigned long count);

/*
 * cape_reduction_user - as cape_reduction() for declare reduction: COUNT elements of SIZE bytes.
 * COMBINE(out, in) combines two elements and stores the result in *OUT.
 */
void cape_reduction_user(const volatile void *values, volatile void *original, unsigned long size,
			 unsigned long count, void (*combine)(void *out, const void *in));

/*
 * The address that the whole array would have if PART, the copy of an array section, were its rows
 * from row FROM on.  The compiler does not see that this address is outside of PART.
 */
#define CAPE_ROWS(part, from)                                                                      \
	(__extension__({                                                                           \
		__typeof__(&(part)[0]) cape_rows = (part);                                         \
		__asm__("" : "+r"(cape_rows));                                                     \
		cape_rows - (from);                                                                \
	}))

/*
 * Initialises COUNT elements of SIZE bytes at VALUES by calling INITIAL(out, original) with each
 * element and its counterpart at ORIGINAL.
 */
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

/* Makes the compiler report an expression that has no such type. */
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
 * ckpt_start - called after the clauses: forms the team; from here on changes of memory count.
 *
 * FRAME is the end of the calling function's stack frame.  Its callers' frames begin there and are
 * shared as a whole, so a function that contains a parallel construct must not be inlined.
 */
#define ckpt_start() ckpt_start_at(__builtin_dwarf_cfa())
void ckpt_start_at(const void *frame);

/*
 * cape_teams_begin - the teams construct, and target with thread_limit().
 *
 * TEAMS teams are asked for, and one is made.  Its regions have at most THREAD_LIMIT threads; 0
 * means as many as the settings allow.  Returns the setting before, for cape_teams_end().
 */
int cape_teams_begin(int teams, int thread_limit);
void cape_teams_end(int before);

/*
 * cape_region_run - calls BODY(DATA) once for each thread of this node, between ckpt_start() and
 * cape_end(): BODY is the block of a parallel construct.  DATA must stay until the call returns.
 *
 * The compiler turns a block after `#pragma omp parallel` into the function BODY.  Its call goes
 * through cape_outlined.h to this function.
 */
void cape_region_run(void (*body)(void *data), void *data);

/* Used after a volatile variable of such a block: otherwise gcc does not treat it as volatile. */
#define cape_set_volatile(variable) __asm__ __volatile__("" : : "r"(variable) : "memory")

/*
 * cape_values_read - waits until all threads of the node have read their initial values.
 *
 * Used in a construct with a variable that is both firstprivate and lastprivate, whose last value
 * may be stored after this call, and after cape_copyin().
 */
void cape_values_read(void);

/* Returns 1 if this node runs the block of the parallel construct, else 0. */
int cape_in_team(void);

/*
 * cape_iterations - sets the number of iterations of a parallel loop that began with none.
 *
 * Called after ckpt_start(), before the loop's schedule and its first chunk.
 */
void cape_iterations(unsigned long count);

/*
 * cape_chunk - gets the next iterations of the loop for this thread: *LEFT .. *RIGHT - 1.
 *
 * Returns 1, or 0 when there are none left.
 */
int cape_chunk(unsigned long *left, unsigned long *right);

/*
 * cape_chunk_of_threads - as cape_chunk(), of a loop with a static schedule in which the order
 * counts in which threads' results are put together.
 *
 * In a region that every node runs in whole, it gives the iterations of all its threads, one after
 * the other.  Returns 2 if these are another thread's than those before: results of the last one
 * are to be handed over.
 */
int cape_chunk_of_threads(unsigned long *left, unsigned long *right);

/*
 * These return 1 or 0, for the calling thread; without several threads a node is one thread.
 *
 * cape_section:    whether it runs the next section; sections are counted in the order of calls.
 * cape_single:     whether it runs the block of the single construct.
 * cape_single_any: the same for a block that uses no files, which any thread may run.
 * cape_master:     whether it is the master of its team.
 * cape_masked:     whether it is thread THREAD of its team.
 * cape_is_last:    whether it ran the last iteration or section of the construct.
 */
int cape_section(void);
int cape_single(void);
int cape_single_any(void);
int cape_master(void);
int cape_masked(int thread);
int cape_is_last(void);

/*
 * CAPE_TAKES - marks a place where a node takes changes of other nodes between two sync points.
 *
 * A program with such places announces them at its start: each place that the compiler leaves in
 * the program adds a constructor that calls cape_takes().  In a program without such places, nodes
 * do not publish changes between sync points; so a call that takes changes and was not announced
 * ends the run.
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
 * CAPE_ADDS - in the same way, marks a place where nodes change the same variable in any order:
 * an atomic update.
 */
#define CAPE_ADDS CAPE_SAYS("cape_adds")
void cape_adds(void);

/* 1 if this program runs as threads of one process, 0 if it runs on nodes; never changes. */
extern const int cape_by_threads;

/* The barrier construct: a sync point of the whole team. */
#define cape_barrier() cape_barrier_at(CAPE_HERE)
void cape_barrier_at(const struct cape_place *place);

/*
 * A static variable that is flushed by its name: threads wait for it, and what was written before
 * has to be seen with it.  So its pages are with all nodes at any time.
 */
#define CAPE_FLUSHED(variable)                                                                     \
	do {                                                                                       \
		static const struct cape_flushed_variable cape_flushed_variable                    \
			__attribute__((section("cape_flushed"), used)) = {&(variable),             \
									  sizeof(variable)};       \
	} while (0)
struct cape_flushed_variable {
	const volatile void *address;
	unsigned long size;
};

/*
 * The flush construct: publishes what this node changed, and takes what other nodes published.  The
 * form with a list takes COUNT pairs of a variable's address and its size (unsigned long);
 * CAPE_FLUSH_STEP with that: no loop looks for news by it.
 */
#define CAPE_FLUSH_STEP		    (1ul << 32)
#define cape_flush()		    (CAPE_TAKES, cape_flush_at(CAPE_HERE, 0UL))
#define cape_flush_list(count, ...) (CAPE_TAKES, cape_flush_at(CAPE_HERE, (count), __VA_ARGS__))
void cape_flush_at(const struct cape_place *place, unsigned long count, ...);

/*
 * The same of everything, where the next thing that the thread does is to publish something else: a
 * node may send both at once.
 */
#define cape_flush_first() (CAPE_TAKES, cape_flush_first_at(CAPE_HERE))
void cape_flush_first_at(const struct cape_place *place);

/*
 * cape_look - a flush at intervals, for the condition of a loop that reads a volatile object, which
 * another node may change.  WAITS is 1 if the loop does nothing else: then each call is a flush.
 * Otherwise the last flush decides after how many calls the next one comes (struct cape_looks).
 */
#define cape_look(waits) (CAPE_TAKES, cape_look_from(CAPE_HERE, (waits)))
void cape_look_at(const struct cape_place *place, int waits);

struct cape_looks {
	const struct cape_place *place; /* of the last call that was a flush */
	unsigned int left;		/* calls until the next one that is */
};
extern struct cape_looks *cape_looks; /* in private memory of the node */

/* What it counts is no access of the program. */
static __inline__ __attribute__((no_sanitize_thread)) void
cape_look_from(const struct cape_place *place, int waits)
{
	/* Threads of a node may count at the same time. */
	if (waits || cape_looks->place != place || (int)--cape_looks->left <= 0)
		cape_look_at(place, waits);
}

/* The critical construct; NAME is a static string, or NULL for the unnamed construct. */
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
 * Tasks.  The compiler turns the block after `#pragma omp task` into a function, and calls the
 * entry points of cape_outlined_tasks.h, which hand the task to any free thread, or run it at once.
 *
 * A single construct whose tasks any node may run ends with cape_tasks_run(), after the block and
 * before cape_end().  The translator numbers those tasks from 1 within the construct.
 */
enum cape_task_flags {
	CAPE_TASK_UNDEFERRED = 1, /* its if clause is false: it runs at once */
	CAPE_TASK_FINAL = 2,	  /* its final clause holds, also for all tasks inside it */
	CAPE_TASK_DEPENDS = 4,	  /* it has a depend clause */
	CAPE_TASK_IN_PLACE = 8,	  /* the variable of its reduction ceases to exist soon */
};
/* priority(NUMBER) is in the bits above the flags. */
#define CAPE_TASK_PRIORITY_SHIFT 8
static __inline__ int cape_task_priority(long number)
{
	long most = 0x7fffffffl >> CAPE_TASK_PRIORITY_SHIFT;

	return number <= 0 ? 0 : (int)(number < most ? number : most) << CAPE_TASK_PRIORITY_SHIFT;
}
/*
 * Describes the next task: LABEL is its number in the construct, or 0 if other nodes may not run
 * it; FLAGS are of enum cape_task_flags, and its priority.
 */
void cape_task_next(int label, int flags);
/*
 * Placed in the block of each task: a compiler leaves out a task with an empty block, but the
 * depend clauses of other tasks may wait for that task.
 */
static __inline__ void cape_task_body(void)
{
	__asm__ volatile("");
}

enum cape_depend {
	CAPE_DEPEND_IN,
	CAPE_DEPEND_OUT, /* all other kinds: tasks that name the same memory run one at a time */
};
/* Adds ITEM, an address, to the depend clause of the next task; NULL means all memory. */
void cape_task_depend(enum cape_depend kind, const volatile void *item);
void cape_tasks_run(void);
#define cape_taskwait() cape_taskwait_at(CAPE_HERE)
void cape_taskwait_at(const struct cape_place *place);
void cape_taskyield(void);
void cape_taskgroup_begin(void);
#define cape_taskgroup_end() cape_taskgroup_end_at(CAPE_HERE)
void cape_taskgroup_end_at(const struct cape_place *place);

/*
 * cape_taskloop - divides the TRIPS iterations of a taskloop into tasks.
 *
 * BY says how: one task for each thread of the team, NUMBER tasks, or tasks of NUMBER iterations:
 * exactly NUMBER in a strict taskloop, otherwise NUMBER to twice NUMBER.
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
	unsigned long larger; /* number of tasks, the first ones, that have one iteration more */
};
struct cape_taskloop_parts cape_taskloop(unsigned long trips, enum cape_taskloop by,
					 unsigned long number);
/*
 * Gets the iterations of the next task: *LEFT .. *RIGHT - 1.  *RIGHT must be 0 before the first
 * call. Returns 1, or 0 when there is no further task.
 */
int cape_taskloop_next(struct cape_taskloop_parts *parts, unsigned long *left,
		       unsigned long *right);

/*
 * Reductions of tasks.  cape_task_reduction_scope() begins a reduction of VARIABLE (SIZE bytes),
 * whose parts are added to COPY: VARIABLE itself, its private copy, or NULL if only this node has
 * VARIABLE. cape_task_reduction_leave() ends the last COUNT reductions.  cape_task_reduction() and
 * cape_task_reduction_user() hand over the part of a task at the task's end, with the arguments of
 * cape_reduction() and cape_reduction_user().
 *
 * Nodes add the parts in the order of the tasks.  A thread adds the parts of the tasks that it
 * runs, and the sums of the threads are added in the order of threads.
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
 * cape_declare - shares memory that the program maps itself, until cape_undeclare().
 *
 * Called by sequential code, with the same address on every node.  The memory stays the caller's.
 * Memory of malloc() is shared without it.  Without cape-run the call does nothing.
 *
 * Returns 0, -EBUSY in a region, -EINVAL if SIZE is 0 or the memory would go beyond the end of the
 * address space, -EEXIST if a part of it is shared already, or -ENOMEM.
 */
#define cape_declare(variable) cape_declare_at((variable), sizeof *(variable), #variable)
int cape_declare_at(void *memory, unsigned long size, const char *name);
void cape_undeclare(void *memory);

/*
 * The number of iterations from FIRST to LIMIT by STEP, the magnitude of the step (> 0), for the
 * relational operator in the macro's name.  The result is right up to the ends of the type.
 */
#define CAPE_TRIPS_LT(first, limit, step)                                                          \
	((first) < (limit) ? CAPE_DISTANCE(first, limit, 1) / (unsigned long)(step) + 1 : 0UL)
#define CAPE_TRIPS_LE(first, limit, step)                                                          \
	((first) <= (limit) ? CAPE_DISTANCE(first, limit, 0) / (unsigned long)(step) + 1 : 0UL)
#define CAPE_TRIPS_GT(first, limit, step) CAPE_TRIPS_LT(limit, first, step)
#define CAPE_TRIPS_GE(first, limit, step) CAPE_TRIPS_LE(limit, first, step)
#define CAPE_TRIPS_NE_UP(first, limit, step)                                                       \
	(CAPE_DISTANCE(first, limit, 0) / (unsigned long)(step))
#define CAPE_TRIPS_NE_DOWN(first, limit, step) CAPE_TRIPS_NE_UP(limit, first, step)
/* (high - low) - less as unsigned long, for integers and for pointers into one array. */
#define CAPE_DISTANCE(low, high, less)                                                             \
	((unsigned long)__builtin_choose_expr(__builtin_classify_type(low) == 5, (high) - (low),   \
					      CAPE_WIDE(high) - CAPE_WIDE(low)) -                  \
	 (less))
#define CAPE_WIDE(value) ((unsigned long)(value))

#ifdef __cplusplus
}
#endif

#endif
