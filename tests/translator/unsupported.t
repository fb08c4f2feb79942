#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cape-cc does not support is refused, at the line and column where it stands.
. "$(dirname "$0")/cape_cc.bash"

for directive in scan interop dispatch depobj allocate metadirective requires; do
	refused "omp $directive" 3:13 "'omp $directive" <<-END
		void f(int x) {
		if (x) {
		#pragma omp $directive
			x++;
		} }
	END
done
refused "declare variant" 1:13 "'omp declare variant' is not supported" <<< "#pragma omp declare variant(f) match(construct={parallel})"
refused "a loop with dependences" 2:34 "'ordered(2)' (a loop with dependences between iterations)" <<- 'END'
	void f(int *a) {
	#pragma omp parallel for ordered(2)
	for (int i = 0; i < 9; i++) a[i] = i; }
END
refused "detach" 2:18 "the clause 'detach' is not supported" <<- 'END'
	void f(int x) {
	#pragma omp task detach(x)
	x = 1; }
END
refused "a linear variable of floating type" 2:33 "'x' has neither integer nor pointer type" <<- 'END'
	void f(int *a, double x) {
	#pragma omp parallel for linear(x)
	for (int i = 0; i < 9; i++) a[i] = x++; }
END
refused "a scalar that target would not copy back" 4:1 "say map(tofrom: x)" <<- 'END'
	int f(int x) {
	#pragma omp target
	{
	x = 1; }
	return x; }
END
refused "error" 2:13 'omp error: "stop here"' <<- 'END'
	void f(void) {
	#pragma omp error message("stop here")
	}
END
refused "a directive in a nested function" 3:1 "nested function is not supported" <<- 'END'
	void f(int n) {
	void inner(void) {
	#pragma omp barrier
	}
	#pragma omp parallel
	inner(); (void)n; }
END
refused "an _Atomic object in a statement that only gcc knows" 5:1 "only the compiler understands" <<- 'END'
	static _Atomic long count;
	static int one __attribute__((aligned(16)));
	void f(void) {
	#pragma omp parallel
	count += __builtin_has_attribute(one, aligned) ? 1 : 100;
	}
END

plan_done
