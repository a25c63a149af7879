#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every scenario on the fast engine of a program that was built with sanitizers, and prints how
# many ended as they must without a finding.
#
#   tools/sanitize.sh PROGRAM [NAME...]    NAME: a scenario; default: all for our driver
#
# LeakSanitizer is off: fibres that a failed run abandons keep their memory, and the ledger of a run
# finds what the system itself leaks.
set -u
[ $# -ge 1 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
program=$1
shift
[ $# -gt 0 ] || set -- $("$program" run --list | grep -E '^[a-z0-9-]+$')
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
output=$(mktemp)
trap 'rm -f "$output"' EXIT
passed=0 failed=0
for name; do
  timeout 300 "$program" run --engine fast --scenario "$name" >"$output" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: status %s\n' "$name" $status
    grep -E -A 12 'runtime error|ERROR: AddressSanitizer' "$output" || tail -n 5 "$output"
  fi
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
