#!/usr/bin/env bash
# Installs what is missing, builds Release and runs every test. Arguments go to the configure step.
source "$(dirname "$0")/common.sh"
scripts/setup.sh build test
rm -f build/release/ctest.log # of an earlier run
build release -DSCANTLE_TESTS=ON -DSCANTLE_BENCH=ON "$@"

say "testing"
failed=0
ctest --preset release -j "$jobs" 2>&1 | tee build/release/ctest.log || failed=1

log=build/release/Testing/Temporary/LastTest.log
skipped=$(grep -aho 'SKIPPED: .*' "$log" | sort -u || true)
if [[ -n $skipped ]]; then
    say "not run, for want of reference data (SCANTLE_DATA, or data/ in shared/ beside the checkout):"
    printf '%s\n' "$skipped"
fi
awk '/tests passed, .* tests failed out of/ { bad = $4; all = $NF }
     END { printf "%d passed, %d failed\n", all - bad, bad }' build/release/ctest.log
exit $failed
