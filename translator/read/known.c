/* SPDX-License-Identifier: GPL-2.0-or-later */
/* known.c - functions of C and of OpenMP whose work is known by their names. */
#include "known.h"

#include <string.h>

/* math.h, but what stores through a pointer; each also with f and l at its end. */
static const char *const mathematics[] = {
	"acos",	 "acosh",    "asin",  "asinh",	   "atan",	"atan2",  "atanh",  "cbrt",
	"ceil",	 "copysign", "cos",   "cosh",	   "erf",	"erfc",	  "exp",    "exp2",
	"expm1", "fabs",     "fdim",  "floor",	   "fma",	"fmax",	  "fmin",   "fmod",
	"hypot", "ldexp",    "log",   "log10",	   "log1p",	"log2",	  "lround", "lrint",
	"pow",	 "rint",     "round", "sin",	   "sinh",	"sqrt",	  "tan",    "tanh",
	"trunc", "cabs",     "cexp",  "csqrt",	   "creal",	"cimag",  "abs",    "labs",
	"llabs", "conj",     "carg",  "nearbyint", "remainder", "tgamma", "lgamma", "scalbn",
	"ilogb",
};

static bool is_mathematics(const char *name)
{
	for (size_t i = 0; i < sizeof mathematics / sizeof *mathematics; i++) {
		size_t length = strlen(mathematics[i]);

		if (!strncmp(name, mathematics[i], length) &&
		    (!name[length] || (strchr("fl", name[length]) && !name[length + 1])))
			return true;
	}
	return false;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool is_end(const char *name)
{
	static const char *const ends[] = {"exit",	    "_exit", "_Exit",	   "abort",
					   "__assert_fail", "trap",  "unreachable"};

	return is_one_of(name, ends, sizeof ends / sizeof *ends);
}

bool known_prints(const char *name)
{
	static const char *const prints[] = {"printf", "fprintf", "puts",   "fputs", "putchar",
					     "putc",   "fputc",	  "perror", "fflush"};

	return is_one_of(name, prints, sizeof prints / sizeof *prints);
}

bool known_orders_none(const char *name)
{
	static const char *const others[] = {
		"malloc",  "calloc",	    "realloc",	    "free",	     "time",
		"clock",   "clock_gettime", "gettimeofday", "omp_get_wtime", "omp_get_wtick",
		"rand",	   "rand_r",	    "srand",	    "random",	     "srandom",
		"drand48", "erand48",	    "srand48",	    "sprintf",	     "snprintf",
		"strlen",  "strcpy",	    "strncpy",	    "strcat",	     "strcmp",
		"strncmp", "strchr",	    "strstr",	    "memcmp",	     "atoi",
		"atol",	   "atof",	    "strtol",	    "strtoul",	     "strtod",
		"getenv",  "fopen",	    "fclose",	    "fread",	     "fwrite",
		"fscanf",  "sscanf",	    "fgets",	    "frexp",	     "modf"};

	return known_function(name) != KNOWN_NOT || known_prints(name) ||
	       is_one_of(name, others, sizeof others / sizeof *others);
}

enum known_function known_function(const char *name)
{
	if (!strcmp(name, "__builtin_expect"))
		return KNOWN_COMPUTES;
	if (!strncmp(name, "omp_get_", 8)) /* clocks differ */
		return strncmp(name + 8, "wt", 2) ? KNOWN_COMPUTES : KNOWN_NOT;
	if (!strncmp(name, "__builtin_", 10))
		name += 10;
	if (!strcmp(name, "memset"))
		return KNOWN_FILLS;
	if (!strcmp(name, "memcpy") || !strcmp(name, "memmove"))
		return KNOWN_COPIES;
	if (is_end(name))
		return KNOWN_ENDS;
	return is_mathematics(name) ? KNOWN_COMPUTES : KNOWN_NOT;
}
