#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# stress.t - the programs of programs.t, with nodes that exchange by need as hard as they can.
#
# Usage: tests/programs/stress.t [name ...]; all without names.
export CAPE_TEST_NP=${CAPE_TEST_NP:-3} CAPE_TEST_OPTIONS="--verify --exchange stress"
exec "$(dirname "$0")/programs.t" "$@"
