#!/usr/bin/env bash
# The long checks, some hours: everything of .ci/run, valgrind, fuzzing for an hour, a thousand kills,
# the benchmarks and test coverage. What it measures lands in build/nightly/.
source "$(dirname "$0")/common.sh"
scripts/setup.sh build test ci night
mkdir -p build/nightly
failed=0

.ci/run || failed=1
scripts/suite.sh valgrind || failed=1
scripts/suite.sh clang || failed=1
scripts/fuzz.sh 3600 || failed=1
scripts/kills.sh 1000 || failed=1

say "exact mapper against walks of whole map spaces"
build/release/tests/test_mapper_exact 5000 10000 20000 '*' inf || failed=1

say "a netlist of 1,000 macros and 100,000 nets, placed within ten minutes"
bench/big_netlist.sh 1000 100000 1 >build/nightly/big.pb.txt
build/release/cli/scantle place build/nightly/big.pb.txt --halo 1 --time 300 -o build/nightly/big.plc --json ||
    failed=1
build/release/cli/scantle place score build/nightly/big.pb.txt --placement build/nightly/big.plc --halo 1 --json |
    tee build/nightly/big.json
grep -q '"legal": true' build/nightly/big.json || failed=1

say "benchmarks"
# bench NAME ARGUMENT...: one program of bench/, under a title.
bench() {
    printf '\n# %s\n' "$*"
    "build/release/bench/bench_$1" "${@:2}" || failed=1
}
benches() {
    rm -f build/nightly/bench.db*
    bench core
    bench arch configs
    bench workloads
    bench count
    bench systolic
    bench net configs quality
    bench net configs monotone
    bench net configs warm
    bench search "${SCANTLE_DATA:-../shared/data}"
    bench store build/nightly/bench.db
    bench platforms configs
}
benches >build/nightly/bench.txt 2>&1
cat build/nightly/bench.txt

scripts/suite.sh coverage || failed=1
gcovr --root . --object-directory build/coverage --exclude tests/ --exclude bench/ --exclude build/ \
    --sort-percentage | tee build/nightly/coverage.txt || failed=1
exit $failed
