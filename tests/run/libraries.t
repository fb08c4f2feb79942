#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# libraries.t - shared libraries that cape-cc builds: linked with the program, and opened by it.

# shellcheck source-path=SCRIPTDIR/.. disable=SC1091
. "$(dirname "$0")/../tap.sh"

plan 20
cd "$work" || exit 1

cat >library.c <<'EOT'
#include <omp.h>
static int calls, other = 7, behind, values[1000];
extern int mine;
int mine = 3;
#pragma omp threadprivate(calls, other, mine)
int bump(void)
{
	return ++calls;
}
int sums(void)
{
	int sum = 0;
#pragma omp parallel copyin(other) reduction(+ : sum)
	{
		other += omp_get_thread_num();
		mine += 10;
		sum += calls + other + mine;
	}
	behind = calls + other + mine;
#pragma omp parallel reduction(+ : sum)
	sum += behind;
#pragma omp parallel for
	for (int i = 0; i < 1000; i++)
		values[i] = i;
	for (int i = 0; i < 1000; i++)
		sum += values[i];
	return sum;
}
EOT
cat >program.c <<'EOT'
#include <stdio.h>
int bump(void), sums(void);
extern int mine;
#pragma omp threadprivate(mine)
int main(void)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static, 1)
	for (int i = 0; i < 4; i++)
		sum += bump() + mine;
	printf("%d %d\n", sum, sums());
}
EOT
cat >opens.c <<'EOT'
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char **arguments)
{
	void *library = dlopen(count > 1 ? arguments[1] : "libresolv.so.2", RTLD_NOW);
	int (*sums)(void) = library ? (int (*)(void))dlsym(library, "sums") : NULL;
	int sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 10; i++)
		sum += i;
	printf("%s, %d\n", library ? "opened" : dlerror(), sum);
	return sums ? sums() == 0 : 0;
}
EOT

# build COMPILER NAME: the library, and the program with it.
build() {
	"$1" -fopenmp -O2 -fPIC -shared -o "lib$2.so" library.c &&
		"$1" -fopenmp -O2 -o "$2" program.c -L. "-l$2" "-Wl,-rpath,$work"
}
check "a library with variables of threads is built" build cape-cc cape
check "and by gcc" build gcc gcc
for nodes in 2 3; do
	run "${cape_run[@]}" -np $nodes --verify ./cape
	stdout_is "$(OMP_NUM_THREADS=$nodes ./gcc)" "on $nodes nodes it does what gcc's does"
done

for threads in 1 3 8; do
	check "with $threads threads of one process, too" \
		is "$(OMP_NUM_THREADS=$threads ./cape)" "$(OMP_NUM_THREADS=$threads ./gcc)"
done

# Where a thread keeps its team, the library's own one does so in thread-local storage.
cat >team.c <<'EOT'
int team(int threads)
{
	int n = 0;
#pragma omp parallel num_threads(threads)
#pragma omp atomic
	n++;
	return n;
}
EOT
cat >teams.c <<'EOT'
#include <omp.h>
#include <stdio.h>
int team(int threads);
int main(void)
{
	int sum = 0;
#pragma omp parallel reduction(+ : sum)
	sum += team(2 + omp_get_thread_num());
	printf("%d %d\n", sum, team(3));
}
EOT
check "a program with a library of gcc's own is built" eval \
	'gcc -fopenmp -fPIC -shared -o libteam.so team.c &&
		cape-cc -o teams teams.c -L. -lteam "-Wl,-rpath,$work"'
run timeout 60 "${cape_run[@]}" -np 2 ./teams
is_status 0 "and ends on two nodes"
stdout_is "5 3" "each node has its own of that library's thread-local storage"

check "a program that opens one is built" cape-cc -O2 -rdynamic -o opens opens.c
run "${cape_run[@]}" -np 2 ./opens
stdout_is "opened, 45" "another's library may be opened"

cat >counts.c <<'EOT'
static int calls[10];
#pragma omp threadprivate(calls)
int bump(void)
{
	return ++calls[3];
}
EOT
cat >counted.c <<'EOT'
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void)
{
	void *library = dlopen("./libcounts.so", RTLD_NOW);
	int (*bump)(void) = (int (*)(void))dlsym(library, "bump");
	int seen[2] = {bump()};
	for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(2)
		for (int k = 0; k <= omp_get_thread_num(); k++)
			seen[omp_get_thread_num()] = bump();
	}
	printf("%d %d %d\n", seen[0], seen[1], bump());
}
EOT
check "a library without regions, and a program that opens it" eval \
	'cape-cc -fPIC -shared -o libcounts.so counts.c && cape-cc -O2 -rdynamic -o counted counted.c'
run ./counted
stdout_is "4 6 5" "each thread has its own of it"
run "${cape_run[@]}" -np 2 ./counted
stdout_is "4 6 5" "and each node"

cat >sums.c <<'EOT'
int sum_to(int n)
{
	int sum = 0;
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += i;
#pragma omp parallel
#pragma omp single
#pragma omp task shared(sum)
	sum++;
	return sum;
}
EOT
cat >opener.c <<'EOT'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *library = dlopen("./libsums.so", RTLD_NOW);
	int (*sum_to)(int) = library ? (int (*)(int))dlsym(library, "sum_to") : NULL;

	printf("%d\n", sum_to ? sum_to(100) : -1);
	return 0;
}
EOT
check "a library with regions, and a program without that opens it" eval \
	'cape-cc -fPIC -shared -o libsums.so sums.c && cape-cc -rdynamic -o opener opener.c'
for start in "" "${cape_run[0]} --threads 3"; do
	run $start ./opener
	stdout_is "4951" "its regions run by threads (${start:-by itself})"
done

run "${cape_run[@]}" -np 2 ./opens ./libcape.so
stderr_has 'library\.c:13: this region is in \./libcape\.so, which the program has opened by dlopen\(\).*link the program with the library' \
	"a region of one that was opened is refused"

# One whose data begins in the middle of a page.
cat >points.c <<'EOT'
double points[5000] = {2};
EOT
cat >uses.c <<'EOT'
#include <stdio.h>
extern double points[5000];
int main(void)
{
	double sum = 0;
#pragma omp parallel for
	for (int i = 0; i < 5000; i++)
		points[i] += i;
	for (int i = 0; i < 5000; i++)
		sum += points[i];
	printf("%g\n", sum);
	return 0;
}
EOT
gcc -shared -fPIC -Wl,-z,norelro -o libpoints.so points.c
cape-cc -O2 -o uses uses.c ./libpoints.so
run "${cape_run[@]}" -np 2 ./uses
stdout_is "1.24975e+07" "a library that is linked without a part that is only read"
