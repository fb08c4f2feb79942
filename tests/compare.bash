# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# compare.bash - runs programs under CAPE and under OpenMP and compares; sourced by *.t files.
#
# A test file calls add_program for each program and run_programs at its end.  A program's runs, one
# test each, come one after the other; CAPE_TEST_JOBS programs (2) run at a time.  A run is a number
# of nodes, and may name the number of threads of each, the way of exchange, and a wire other than
# Open MPI: "3", "3x2", "3/stress", "3x2/stress:test".
# Environment: CAPE_BUILD (build), CAPE_TEST_NP (the runs of every program, in place of those that the
# test file chose), CAPE_TEST_WIRE (mpi: every run goes over Open MPI, as with LONG=1), CAPE_TEST_JOBS,
# CAPE_TEST_OPTIONS (of cape-run, "--verify"), CAPE_TEST_BUILD (an option of cape-cc), CAPE_TEST_LIMIT
# (seconds of a run, 240).

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"

read -ra run_options <<< "${CAPE_TEST_OPTIONS---verify}"
job_limit=${CAPE_TEST_JOBS:-2}
time_limit=${CAPE_TEST_LIMIT:-240}

# What each program is, by its number.
names=() sources=() arguments=() inputs=() statuses=() orders=() environments=() choices=() runs=()

# add_program RUNS NAME SOURCE ARGUMENTS INPUT STATUS ORDER [ENVIRONMENT [OPTIONS]]: ORDER is "sorted"
# to compare sorted lines, ENVIRONMENT words of the form VARIABLE=VALUE, OPTIONS more words for
# cape-run.
add_program()
{
	runs+=("${CAPE_TEST_NP:-$1}")
	names+=("$2")
	sources+=("$3")
	arguments+=("$4")
	inputs+=("$5")
	statuses+=("$6")
	orders+=("$7")
	environments+=("${8-}")
	choices+=("${9-}")
}

# first_line FILE DEFAULT
first_line()
{
	if [[ -e $1 ]]; then
		head -n 1 "$1"
	else
		echo "$2"
	fi
}

# Names of the programs of tests/programs.
all_named()
{
	local source

	for source in "$root"/tests/programs/*.c; do
		basename "$source" .c
	done
}

# add_named NAME...: adds those, each in the ways that the test file's runs_of NAME says.
add_named()
{
	local name stem input order

	for name; do
		stem=$root/tests/programs/$name input=/dev/null order=
		[[ -e $stem.in ]] && input=$stem.in
		[[ -e $stem.sorted ]] && order=sorted
		add_program "$(runs_of "$name")" "$name" "$stem.c" \
			"$(first_line "$stem.args" "")" "$input" "$(first_line "$stem.status" 0)" \
			"$order" "$(first_line "$stem.env" "")"
	done
}

# Prints a file as TAP comments, its first lines only.
comment()
{
	[[ -s $1 ]] && head -n 25 "$1" | cut -c 1-300 | tr '\r\0' '??' | sed "s/^/#   /"
}

# run_in FOLDER INPUT COMMAND...: in FOLDER; leaves FOLDER.out, .err and .status behind.
run_in()
{
	local folder=$1 input=$2 began=$SECONDS ended=0
	shift 2
	mkdir -p "$folder"
	(cd "$folder" && timeout -k 10 "$time_limit" "$@") \
		< "$input" > "$folder.out" 2> "$folder.err" || ended=$?
	# A run whose monitor was killed has status 137, too.
	((ended != 137 || SECONDS - began < time_limit)) || ended=124
	echo "$ended" > "$folder.status"
}

# judge FOLDER STATUS ORDER: says what is wrong with FOLDER/cape, seen beside FOLDER/openmp.
judge()
{
	local expected=$2 reference ended

	reference=$(< "$1/openmp.status")
	ended=$(< "$1/cape.status")
	if [[ $reference != "$expected" ]]; then
		echo "OpenMP ended with status $reference instead of $expected"
	elif [[ $ended == 124 ]]; then
		echo "hang: no end within $time_limit s"
	elif [[ $ended != "$expected" ]]; then
		echo "CAPE ended with status $ended instead of $expected"
	fi
	if [[ $3 == sorted ]]; then
		LC_ALL=C sort -o "$1/openmp.out" "$1/openmp.out"
		LC_ALL=C sort -o "$1/cape.out" "$1/cape.out"
	fi
	if ! cmp -s "$1/openmp.out" "$1/cape.out"; then
		echo "the output differs: OpenMP -, CAPE +"
		diff -a -u "$1/openmp.out" "$1/cape.out" | tail -n +3
	fi
}

# compare_at RUN PROGRAM FOLDER BUILT: one test; prints its line without the number.
compare_at()
{
	local run=${1%%:*} program=$2 built=$4 list variables more cape
	local nodes=${run%%/*} way=${run#"${run%%/*}"} wire=${1#"$run"} threads=1
	local folder=$3/${1//[\/:]/-} label

	[[ -z ${LONG-} && ${CAPE_TEST_WIRE-} != mpi ]] || wire=
	[[ $nodes != *x* ]] || threads=${nodes#*x}
	label="${names[program]} np ${run//\// }${wire:+ wire ${wire#:}}"
	read -ra more <<< "${choices[program]} ${way:+--exchange ${way#/}} ${wire:+--wire ${wire#:}}"
	((threads == 1)) || more+=(--threads "$threads")
	# These are of what moves where loops are shared out, however long that takes.
	[[ $way || ${names[program]} != @(planned|pipeline|need)-* ]] || more+=(--no-replicate)
	cape=("$build/bin/cape-run" -np "${nodes%x*}" "${run_options[@]}" "${more[@]}" "$built/cape")
	read -ra list <<< "${arguments[program]}"
	read -ra variables <<< "${environments[program]}"
	[[ ${#variables[@]} == 0 ]] || cape=(env "${variables[@]}" "${cape[@]}")
	[[ $way != /threads ]] || cape=(env "OMP_NUM_THREADS=$nodes" OMP_DYNAMIC=false
		"${variables[@]}" "$built/cape")
	run_in "$folder/openmp" "${inputs[program]}" \
		env OMP_NUM_THREADS="$((${nodes%x*} * threads))" OMP_DYNAMIC=false "${variables[@]}" \
		"$built/openmp" "${list[@]}"
	run_in "$folder/cape" "${inputs[program]}" "${cape[@]}" "${list[@]}"
	judge "$folder" "${statuses[program]}" "${orders[program]}" > "$folder/judgement"
	if [[ ! -s $folder/judgement ]]; then
		rm -rf "$folder"
		echo "ok - $label"
		return
	fi
	echo "not ok - $label"
	comment "$folder/judgement"
	[[ -s $folder/cape.err ]] && echo "# stderr under CAPE:"
	comment "$folder/cape.err"
	echo "# evidence: $folder; to replay:"
	echo "#   cd $folder/cape && ${cape[*]}${list[*]:+ ${list[*]}} < ${inputs[program]}"
}

# Tests that run the same program build it once: its text, what it may include and what it is built
# by say whether it is the same.
find_built()
{
	built_programs=$build/tests/built/$(cat "$build/bin/cape-cc" "$build/lib/libcape.a" \
		"$build"/include/cape/*.h "$root"/tests/programs/*.h "$root"/bench/*.h \
		"$root"/bench/*/*.h | sha256sum | cut -c 1-16)
	mkdir -p "$built_programs"
	# What another build has left.
	find "$build/tests/built" -mindepth 1 -maxdepth 1 ! -path "$built_programs" -mmin +300 \
		-exec rm -rf {} +
}

# built_folder SOURCE: where it is built.
built_folder()
{
	local hash name=${1##*/}

	hash=$(sha256sum < "$1")
	echo "$built_programs/${name%.c}-${hash:0:16}${CAPE_TEST_BUILD-}"
}

# compile SOURCE FOLDER: FOLDER/openmp and FOLDER/cape; the compilers' words in FOLDER/compile.log.
compile()
{
	mkdir -p "$2"
	(
		flock 9
		[[ ! -e $2/cape ]] || exit 0
		gcc -O2 -fopenmp -o "$2/openmp" "$1" -lm > "$2/compile.log" 2>&1 &&
			"$build/bin/cape-cc" -O2 ${CAPE_TEST_BUILD:+"$CAPE_TEST_BUILD"} -o "$2/cape.new" \
				"$1" -lm >> "$2/compile.log" 2>&1 &&
			mv "$2/cape.new" "$2/cape"
	) 9> "$2/lock"
	[[ -e $2/openmp && -e $2/cape ]]
}

# All tests of one program.
test_program()
{
	local program=$1 folder=$work/${names[$1]} source=${sources[$1]} built each

	built=$(built_folder "$source")
	mkdir -p "$folder"
	if compile "$source" "$built"; then
		for each in ${runs[program]}; do
			compare_at "$each" "$program" "$folder" "$built"
		done
		# Only what failed is left, and what it takes to replay it.
		[[ -z $(find "$folder" -mindepth 1 -type d) ]] && rm -rf "$folder"
	else
		for each in ${runs[program]}; do
			echo "not ok - ${names[program]} np ${each//\// } # does not compile"
		done
		comment "$built/compile.log"
		echo "# to replay: $build/bin/cape-cc -O2 ${CAPE_TEST_BUILD-} -o /tmp/a.out $source -lm"
	fi
}

# Prints the tests of all programs up to the first that has not ended, with their numbers.
print_ended()
{
	while [[ -e $work/$printed.done ]]; do
		while IFS= read -r line; do
			case $line in
			"ok - "*) report 0 "${line#* - }" ;;
			"not ok - "*) report 1 "${line#* - }" ;;
			*) printf '%s\n' "$line" >&3 ;;
			esac
		done < "$work/$printed.tap"
		rm -f "$work/$printed.tap" "$work/$printed.done"
		printed=$((printed + 1))
	done
}

# shellcheck disable=SC2317 # called by a trap
stop()
{
	trap - INT TERM
	kill "${children[@]}" 2> /dev/null
	exit 130
}

run_programs()
{
	local program printed=0 running=0 children=() built_programs

	trap stop INT TERM
	find_built
	plan "$(wc -w <<< "${runs[*]}")"
	for program in "${!names[@]}"; do
		if ((running >= job_limit)); then
			wait -n
			running=$((running - 1))
			print_ended
		fi
		{
			test_program "$program" > "$work/$program.tap"
			touch "$work/$program.done"
		} &
		children+=($!)
		running=$((running + 1))
	done
	wait
	print_ended
}

# run_chosen [NAME...]: runs those; without names the ones that the test file has in CHOSEN, LONG=1
# all.
run_chosen()
{
	local named=("$@")

	if (($# == 0)) && [[ -n ${LONG-} ]]; then
		mapfile -t named < <(all_named)
	elif (($# == 0)); then
		named=("${chosen[@]}")
	fi
	add_named "${named[@]}"
	run_programs
}
