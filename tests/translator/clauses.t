#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Directives and clauses that cape-cc refuses.
. "$(dirname "$0")/cape_cc.bash"

refused "an unknown directive" 2:13 "unknown OpenMP directive 'paralel'" <<- 'END'
	void f(void) {
	#pragma omp paralel
	; }
END
refused "an unknown clause" 2:22 "unknown clause 'privat'" <<- 'END'
	void f(int x) {
	#pragma omp parallel privat(x)
	x = 1; }
END
refused "a clause that names no variable" 2:30 "'y' is not the name of a variable" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(y)
	x = 1; }
END
refused "an empty clause" 2:30 "the clause names no variable" <<- 'END'
	void f(int x) {
	#pragma omp parallel private()
	x = 1; }
END
refused "a clause behind a backslash" 4:14 "'nothing' is not the name of a variable" <<- 'END'
	void f(int x) {
	#pragma omp parallel \
		private(x) \
		firstprivate(nothing)
	x = 1; }
END
refused "a variable in two clauses" 2:40 "'x' is in more than one clause" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(x) shared(x)
	x = 1; }
END
refused "nowait on parallel for" 2:26 "'nowait' is not valid on 'omp parallel for'" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for nowait
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "nogroup with reduction" 2:22 "'nogroup' and 'reduction' exclude each other" <<- 'END'
	void f(int x) {
	#pragma omp taskloop nogroup reduction(+: x)
	for (int i = 0; i < 9; i++) x++; }
END
refused "grainsize with num_tasks" 2:35 "a taskloop has either 'grainsize' or 'num_tasks'" <<- 'END'
	void f(int x) {
	#pragma omp taskloop grainsize(2) num_tasks(3)
	for (int i = 0; i < 9; i++) x++; }
END
refused "nowait with copyprivate" 4:35 "exclude each other" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(x)
	{
	#pragma omp single copyprivate(x) nowait
	x = 1; } }
END
refused "copyin of what is not threadprivate" 3:29 "'x' is not threadprivate" <<- 'END'
	static int x;
	void f(void) {
	#pragma omp parallel copyin(x)
	x = 1; }
END
refused "a threadprivate variable in private" 4:30 "'x' is threadprivate" <<- 'END'
	static int x;
	#pragma omp threadprivate(x)
	void f(void) {
	#pragma omp parallel private(x)
	x = 1; }
END
refused "an automatic variable as threadprivate" 2:27 "needs static storage" <<- 'END'
	void f(void) { int x = 1;
	#pragma omp threadprivate(x)
	(void)x; }
END
refused "a reduction of a private variable" 4:29 "'x' is private in the enclosing parallel region" <<- 'END'
	void f(int x) {
	#pragma omp parallel private(x)
	{
	#pragma omp for reduction(+:x)
	for (int i = 0; i < 9; i++) x += i; } }
END
refused "lastprivate of a variable of the region" 4:29 "'x' is private in the enclosing parallel region" <<- 'END'
	void f(void) {
	#pragma omp parallel
	{ int x;
	#pragma omp for lastprivate(x)
	for (int i = 0; i < 9; i++) x = i; } }
END
refused "copyprivate of a shared variable" 4:32 "'x' is shared" <<- 'END'
	void f(int x) {
	#pragma omp parallel
	{
	#pragma omp single copyprivate(x)
	x = 1; } }
END
refused "a reduction of a pointer" 2:38 "needs an array section" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for reduction(+:a)
	for (int i = 0; i < 9; i++) a[0] += i; }
END
refused "a reduction of a struct" 3:38 "no arithmetic type" <<- 'END'
	struct s { int x; };
	void f(struct s a) {
	#pragma omp parallel for reduction(+:a)
	for (int i = 0; i < 9; i++) a.x += i; }
END
refused "a bitwise reduction of a double" 2:38 "does not exist for the type of 'a'" <<- 'END'
	void f(double a) {
	#pragma omp parallel for reduction(|:a)
	for (int i = 0; i < 9; i++) a += i; }
END
refused "private of a const variable" 3:30 "'x' is const" <<- 'END'
	void f(void) {
	const int x = 3;
	#pragma omp parallel private(x)
	(void)x; }
END
refused "default(none) with a variable not listed" 4:6 "'y' is in no clause" <<- 'END'
	void f(int x, int y) {
	#pragma omp parallel default(none) shared(x)
	{
	x += y; } }
END
refused "schedule(static, 0)" 2:42 "at least 1" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for schedule(static,0)
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "collapse of a variable number of loops" 2:35 "a constant number" <<- 'END'
	void f(int *a, int n) {
	#pragma omp parallel for collapse(n)
	for (int i = 0; i < 9; i++) a[i] = i; }
END

plan_done
