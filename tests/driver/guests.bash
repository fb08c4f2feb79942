# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# guests.bash - tests/driver/test for each of the driver's kernels, as one TAP stream.
# Costs minutes: the guests' processors are emulated.

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "${BASH_SOURCE[0]}")/../tap.sh"

# take KERNEL < TAP: counts its tests as this one's.  1 if there was no plan.
take() {
	local line name ended=1
	while IFS= read -r line; do
		name="Linux $1: ${line#* - }"
		case $line in
		"1..0 # SKIP "*) skip 1 "$name" && ended=0 ;;
		"1.."*) ended=0 ;;
		"ok "*) report 0 "$name" ;;
		"not ok "*) report 1 "$name" ;;
		*) printf '%s\n' "$line" >&3 ;;
		esac
	done
	return $ended
}

# in_guests [--newest] [TEST]...: see tests/driver/test.  --newest: on the newest kernel alone.
in_guests() {
	local kernel kernels
	mapfile -t kernels < <("$root/scripts/guest-kernel" --list)
	if [ "${1-}" = --newest ]; then
		kernels=("${kernels[@]: -1}")
		shift
	fi
	for kernel in "${kernels[@]}"; do
		take "$kernel" < <("$root/tests/driver/test" "$kernel" "$@" </dev/null 2>&1)
		check "Linux $kernel: the guest's tests came to their end" is $? 0
	done
	plan_done
}
