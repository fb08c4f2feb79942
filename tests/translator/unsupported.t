#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What cape-cc does not support is refused, at the line and column where it stands.
. "$(dirname "$0")/cape_cc.bash"

for directive in scan interop dispatch depobj allocate metadirective requires; do
	refused "omp $directive" 3:13 "'omp $directive' is not supported: " <<-END
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
refused "detach" 2:18 "the clause 'detach' is not supported: let" <<- 'END'
	void f(int x) {
	#pragma omp task detach(x)
	x = 1; }
END
refused "a league of several teams" 2:29 "'num_teams' with a lower bound is not supported: a league" <<- 'END'
	void f(int x) {
	#pragma omp teams num_teams(2 : 4)
	x = 1; }
END
refused "a call behind an iterator of depend" 3:51 "a call or a change of a variable after an iterator" <<- 'END'
	int g(int i);
	void f(int *a) {
	#pragma omp task depend(iterator(i = 0 : 4), out: a[g(i)])
	a[0] = 1; }
END
refused "conditional lastprivate" 2:38 "'lastprivate(conditional: ...)' is not supported: keep" <<- 'END'
	void f(int x) {
	#pragma omp parallel for lastprivate(conditional: x)
	for (int i = 0; i < 9; i++) if (i % 2) x = i; }
END
cat > case.c <<- 'END'
	#pragma omp declare reduction(join : int, long : omp_out += omp_in)
	#pragma omp declare reduction(join : float : omp_out += omp_in)
	void f(double x) {
	#pragma omp parallel for reduction(join: x)
	for (int i = 0; i < 9; i++) x++; }
END
run cape-cc -c case.c
stderr_has "^case.c:4:.*no .*'declare reduction\(join: \.\.\.\).*' is for the type of .*'x" \
	"a reduction of several types, but not this one, is refused in the user's words"
refused "a declare reduction of what only its function knows" 3:42 "'s' is declared in the function" <<- 'END'
	int f(int n) {
	struct s { int n; };
	#pragma omp declare reduction(+ : struct s : omp_out.n += omp_in.n)
	return n; }
END
refused "atomic on a bit-field" 5:4 "'b' is a bit-field" <<- 'END'
	struct s { int a; int b : 3; };
	void f(struct s *p) {
	#pragma omp parallel
	#pragma omp atomic
	p->b += 1; }
END
refused "a linear variable of floating type" 2:33 "'x' has neither integer nor pointer type" <<- 'END'
	void f(int *a, double x) {
	#pragma omp parallel for linear(x)
	for (int i = 0; i < 9; i++) a[i] = x++; }
END
refused "a scalar that target would not copy back" 4:1 "write map(tofrom: x)" <<- 'END'
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
refused "an _Atomic object in a statement that only gcc knows" 5:1 "only the compiler can parse" <<- 'END'
	static _Atomic long count;
	static int one __attribute__((aligned(16)));
	void f(void) {
	#pragma omp parallel
	count += __builtin_has_attribute(one, aligned) ? 1 : 100;
	}
END

plan_done
