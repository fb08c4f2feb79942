#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/rooms finds circles by the text and by the objects: in a tree of four files of one room.

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/tap.sh"

tree=$work/tree
room=libcape/replica
mkdir -p "$tree/scripts" "$tree/$room" "$tree/build/program/$room"
cp "$root/scripts/rooms" "$tree/scripts"
unset CAPE_BUILD

# Each calls the one before, by a name that the text shows.
printf 'void cape_a(void);\n\nvoid cape_a(void)\n{\n}\n' >"$tree/$room/a.c"
for pair in ab bc cd; do
	printf 'void cape_%s(void);\nvoid cape_%s(void);\n\nvoid cape_%s(void)\n{\n\tcape_%s();\n}\n' \
		"${pair:0:1}" "${pair:1}" "${pair:1}" "${pair:0:1}" >"$tree/$room/${pair:1}.c"
done

# file NAME: adds standard input to it.
file() {
	cat >>"$tree/$room/$1.c"
}

# rooms: what scripts/rooms says of the tree, when it was built.
rooms() {
	local name
	for name in a b c d; do
		"${CC-gcc}" -c -o "$tree/build/program/$room/$name.o" "$tree/$room/$name.c" || exit 1
	done
	run "$tree/scripts/rooms"
}

# finds FILES WHAT: a circle of four, which the objects alone show.
finds() {
	is_status 1 "a circle through $1 fails"
	stdout_has "^4 files in a circle, 3 are allowed: $room/a.c $room/b.c $room/c.c $room/d.c$" \
		"a circle through $1: its files are named"
	stdout_has "by object: $room/a -> $room/d: it is linked with it for $2$" \
		"a circle through $1: and the call"
	cp "$work/a.c" "$work/d.c" "$tree/$room"
}

plan 11
cp "$tree/$room/a.c" "$tree/$room/d.c" "$work"
rooms
is_status 0 "no circle"

file d <<<'int fclose(void *stream) { return stream != 0; }'
file a <<<'int fclose(void *stream); int close_it(void *stream); int close_it(void *stream) { return fclose(stream); }'
rooms
finds "one of the C library's names" fclose

file a <<<'__asm__("call cape_d");'
rooms
finds "a call from assembly" cape_d

file a <<<'void cape_c(void); void cape_again(void); void cape_again(void) { cape_c(); }'
rooms
is_status 0 "three files in a circle are allowed"

cp "$work/a.c" "$tree/$room"
file a <<<'void cape_d(void); void cape_again(void); void cape_again(void) { cape_d(); }'
rm -r "$tree/build"
run "$tree/scripts/rooms"
is_status 1 "a circle that the text shows fails where nothing is built"
stdout_has "^4 files in a circle" "it is said"
run "$tree/scripts/rooms" --circles
stdout_is "4 $room/a.c $room/b.c $room/c.c $room/d.c" "--circles names it"
