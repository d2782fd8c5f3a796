#!/usr/bin/env bash
# The long checks, some hours: everything of .ci/run, fuzzing for an hour, a thousand kills, the
# benchmarks and test coverage. What it measures lands in build/nightly/.
source "$(dirname "$0")/common.sh"
scripts/setup.sh build test ci night
mkdir -p build/nightly
failed=0

.ci/run || failed=1
scripts/fuzz.sh 3600 || failed=1
scripts/kills.sh 1000 || failed=1

say "benchmarks"
find build/release/bench -maxdepth 1 -name 'bench_*' -type f -executable -print0 | sort -z |
    xargs -0 -n 1 sh -c '"$1"' _ 2>&1 | tee build/nightly/bench.txt || failed=1

scripts/suite.sh coverage || failed=1
gcovr --root . --object-directory build/coverage --exclude tests/ --exclude bench/ --exclude build/ \
    --sort-percentage | tee build/nightly/coverage.txt || failed=1
exit $failed
