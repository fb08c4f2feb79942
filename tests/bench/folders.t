#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cape-bench: what is added to a run's folder, and two folders beside each other.
. "$(dirname "$0")/../tap.sh"

plan 12

one=$work/one other=$work/other

# measured FOLDER NAME: how many measurements of that experiment there are.
measured() {
	grep -c "\"$2\"" "$1/runs.jsonl"
}

run cape-bench run --quick --net shm structures --out "$one"
is_status 0 "an experiment is measured"
before=$(measured "$one" structures)
run cape-bench run --quick --net shm diff --reps 3 --out "$one"
is_status 0 "another one is added, with more repetitions"
check "... the first is in the report still" grep -q 'id="structures"' "$one/report.html"
check "... and so is the second" grep -q 'id="diff"' "$one/report.html"
check "... nothing that is counted once is measured again" \
	is "$(measured "$one" structures)" "$before"
times=$(measured "$one" diff)
run cape-bench run --quick --net shm structures diff --reps 7 --out "$one"
check "repetitions are added" test "$(measured "$one" diff)" -gt "$times"
check "all verdicts are at the top" \
	awk '/<h2>Verdicts/ { top = 1 } /<h2 id=/ { exit !top }' "$one/report.html"
check "tables are there for LaTeX" grep -q '^\\begin{tabular}' "$one/structures.tex"

# The second run is the first, but that everything that is counted is twice as much.
cp -r "$one" "$other"
jq '.rows[].values[] |= (.median *= 2 | .low *= 2 | .high *= 2)' "$one/structures.json" \
	>"$other/structures.json"
run cape-bench compare "$one" "$other"
stdout_has '^Smaller: 0, larger: ([0-9]+), of \1\.$' "what is larger everywhere is told so"
stdout_has '^\| .* \| 2\.000 \| larger \|$|^\| .* \| 2 \| larger \|$' "... with the ratio"
run cape-bench compare "$one" "$one"
check "a run differs in nothing from itself" \
	is "$(grep -c '^Smaller: 0, larger: 0' "$work/stdout")" 2
run cape-bench compare "$one" "$work"
is_status 2 "a folder without results is refused"
