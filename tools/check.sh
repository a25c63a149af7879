#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make check: runs the steps in order, prints their times and finally "N passed, N failed". Exit
# status 0: none failed.
#
#   tools/check.sh [even | odd | all]    all: every step; default: the parity of the commit count
#
# Building all tests takes as long as running them, so they run in one place only: in this checkout
# if the commit count is odd, in a bare Debian 13 if it is even. The latter needs root: without root
# that step is skipped, and the tests run in this checkout. Steps that need a build in this checkout
# run at odd counts; at even counts nothing is compiled here, and synth-check and formal run.
set -u
cd "$(dirname "$0")/.." || exit 2

case ${1:-} in
  even | odd | all) turn=$1 ;;
  '') turn=even; [ $(($(git rev-list --count HEAD 2>/dev/null || echo 0) % 2)) -eq 0 ] || turn=odd ;;
  *) sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
# at TURN COMMAND...: runs COMMAND if this run's turn is TURN or all.
at() {
  case $turn in all | "$1") ;; *) return 0 ;; esac
  shift
  "$@"
}

passed=0 failed=0 skipped=0 report=''
all_start=$(date +%s)
ended() {  # NAME SECONDS STATUS
  if [ "$3" -eq 0 ]; then
    verdict=passed passed=$((passed + 1))
  else
    verdict=FAILED failed=$((failed + 1))
  fi
  report="$report$(printf '%-34s %5d s  %s' "$1" "$2" $verdict)
"
}
step() {
  name=$1
  shift
  start=$(date +%s)
  printf '\n=== %s\n' "$name"
  "$@"
  status=$?
  ended "$name" $(($(date +%s) - start)) $status
}
# Runs a single-processor step in parallel with the other steps. join waits for it and prints its output.
beside() {
  name_beside=$1
  shift
  start_beside=$(date +%s)
  printf '\n=== %s: runs beside the next steps\n' "$name_beside"
  { "$@"; echo $? >build/check.status; date +%s >build/check.end; } >build/check.log 2>&1 </dev/null &
}
join() {
  wait
  printf '\n=== %s\n' "$name_beside"
  cat build/check.log
  ended "$name_beside" $(($(cat build/check.end) - start_beside)) "$(cat build/check.status)"
}

if [ "$(id -u)" -eq 0 ] && ! command -v make >/dev/null 2>&1; then
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends make; } \
    >/dev/null 2>&1 </dev/null
fi

waves() {
  rm -f build/check.fst build/fault.fst
  ./gmmu run --waves build/check.fst --waves-to 2000 && [ -s build/check.fst ] &&
    ./gmmu run --scenario render-page-fault --waves build/fault.fst --waves-on fault && [ -s build/fault.fst ]
}

printf 'make check: the steps of turn "%s"\n' "$turn"
here=odd  # turn of the steps that run either here or in the bare Debian
[ "$(id -u)" -eq 0 ] || here=$turn
at $here step './gmmu test' ./gmmu test
at odd step './gmmu test --long' ./gmmu test --long
lists='build test synth lint'
[ "$turn" = even ] || lists="$lists integration study report browser python combine"
step './gmmu tools' ./gmmu tools $lists
at $here step './gmmu run' ./gmmu run
at odd step './gmmu run --waves' waves
at odd step './gmmu bench' ./gmmu bench  # runs alone, because it measures speeds
at even beside 'make synth-check' make -s synth-check
step 'make lint' make -s lint
at even step 'make formal' make -s formal
at even join
at odd step 'make sanitize' make -s sanitize
at odd step 'make integration' make -s integration
at odd step 'make commands' make -s commands
slice=$(($(git rev-list --count HEAD 2>/dev/null || echo 0) / 2 % 8))
at odd step 'make combine, a slice' make -s combine ARGS="--slice $slice/8 --rtl 0 --state build/combine-slice.jsonl"
step 'make docs' make -s docs
if [ "$(id -u)" -eq 0 ]; then
  at even step 'run and test in a bare Debian 13' tools/fresh_root.sh trixie './gmmu run' './gmmu test'
elif [ "$turn" != odd ]; then
  skipped=1
  printf '\n=== run and test in a bare Debian 13: skipped, they need root\n'
fi

printf '\n%s%-34s %5d s\n' "$report" total $(($(date +%s) - all_start))
if [ "$skipped" -gt 0 ]; then
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
else
  printf '%d passed, %d failed\n' "$passed" "$failed"
fi
[ "$failed" -eq 0 ]
