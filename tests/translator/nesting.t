#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Jumps and nesting: what cape-cc refuses, and what it lets a program do.
. "$(dirname "$0")/cape_cc.bash"

refused "goto out of a region" 3:10 "'goto out' leads out of the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	#pragma omp parallel
	{ if (x) goto out; x = 2; }
	out: ; }
END
refused "goto into a region" 2:8 "'goto in' leads into the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	if (x) goto in;
	#pragma omp parallel
	{ in: x = 2; } }
END
refused "return out of a region" 3:10 "'return' leads out of the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	#pragma omp parallel
	{ if (x) return; x = 2; } }
END
refused "break out of a loop construct" 3:36 "'break' leaves the loop of 'omp parallel for'" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for
	for (int i = 0; i < 9; i++) if (i) break; else a[i] = 1; }
END
refused "break out of a block" 4:3 "'break' leads out of the block of 'omp parallel'" <<- 'END'
	void f(int *a) {
	for (;;) {
	#pragma omp parallel
	{ break; } } (void)a; }
END
refused "a case label in a block" 4:3 "leads into the block of 'omp parallel'" <<- 'END'
	void f(int x) {
	switch (x) { case 0: ;
	#pragma omp parallel
	{ case 1: x = 1; } } }
END
refused "a for in a for" 5:13 "is not allowed directly inside 'omp for'" <<- 'END'
	void f(int *a) {
	#pragma omp for
	for (int i = 0; i < 9; i++)
	{
	#pragma omp for
	for (int j = 0; j < 9; j++) a[i] = j; } }
END
refused "a barrier in single" 4:13 "'omp barrier' is not allowed directly inside 'omp single'" <<- 'END'
	void f(int x) {
	#pragma omp single
	{ x = 1;
	#pragma omp barrier
	} }
END
refused "single in master" 4:13 "is not allowed directly inside 'omp master'" <<- 'END'
	void f(int x) {
	#pragma omp master
	{
	#pragma omp single
	x = 1; } }
END
refused "section outside of sections" 2:13 "must be directly in the braces of 'omp sections'" <<- 'END'
	void f(int x) {
	#pragma omp section
	x = 1; }
END
refused "a barrier as the body of an if" 3:1 "cannot be the whole body" <<- 'END'
	void f(int x) {
	if (x)
	#pragma omp barrier
	x = 1; }
END
refused "a parallel construct at file scope" 1:1 "is not at a place where a statement" <<- 'END'
	#pragma omp parallel
	int x;
END
refused "alloca beside a region" 2:26 "alloca() in a function with 'omp parallel'" <<- 'END'
	#include <alloca.h>
	void f(int x) { int *p = alloca(x);
	#pragma omp parallel
	p[0] = 1; }
END
refused "an array literal that lives during a region" 2:10 "compound literal" <<- 'END'
	void f(int x) {
	int *p = (int[]){ 1, x };
	#pragma omp parallel
	p[0] = 2; }
END
accepted "an array literal inside a region" <<- 'END'
	void f(int x);
	void f(int x)
	{
	#pragma omp parallel
		{
			int *p = (int[]){ 1, x };
			p[0] = 2;
		}
	}
END
accepted "everything a program may hide" <<- 'END'
	#include <stdio.h>
	int f(int n, int unused_here);
	static inline int g(int n)
	{
		int i, sum = 0, only_private;
	#pragma omp parallel for private(only_private) reduction(+ : sum)
		for (i = 0; i < n; i++) {
			only_private = i;
			sum += only_private;
		}
		return sum;
	}
	int f(int n, int unused_here)
	{
		int i;
	#pragma omp parallel shared(unused_here)
		{
	#pragma omp for lastprivate(n)
			for (i = 0; i < 10; i++)
				n = i;
		}
		(void)unused_here;
		return n;
	}
END

plan_done
