#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# openmp-table.t - every row of the OpenMP table in translator/openmp.md holds.
exec "$(dirname "$0")/openmp-table/run"
