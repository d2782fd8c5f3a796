#!/usr/bin/env bash
# Lets every fuzz target look for new failures, all together for so many seconds (default 120).
# Inputs that fail land in build/fuzz/findings; keep them in tests/fuzz/corpus once mended.
# Usage: fuzz.sh [SECONDS [TARGET...]]
source "$(dirname "$0")/common.sh"
seconds=${1:-120}
build fuzz

targets=("${@:2}")
if ((${#targets[@]} == 0)); then
    mapfile -t targets < <(find build/fuzz/tests -maxdepth 1 -name 'fuzz_*' -type f -executable |
        sed 's|.*/fuzz_||' | sort)
fi
((${#targets[@]})) || { echo "no fuzz target was built" >&2; exit 1; }
each=$((seconds * jobs / ${#targets[@]}))
((each > 0)) || each=1
say "fuzzing ${#targets[@]} targets, $each s each, $jobs at a time"
mkdir -p build/fuzz/findings

# One target: new inputs go to a corpus of the build, beside the kept ones.
fuzz_one() {
    local name=$1 each=$2 log=build/fuzz/$1.log
    local corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus"
    if "build/fuzz/tests/fuzz_$name" -max_total_time="$each" -timeout=5 -rss_limit_mb=1024 \
        -malloc_limit_mb=512 -print_final_stats=1 -seed=1 \
        -artifact_prefix="build/fuzz/findings/$name-" \
        "$corpus" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        awk -v name="$name" '/stat::number_of_executed_units/ { print name ": " $2 " runs, sound" }' "$log"
    else
        tail -n 40 "$log"
        echo "$name: FAILED, see $log"
        return 1
    fi
}
export -f fuzz_one
export ASAN_OPTIONS=quarantine_size_mb=16
printf '%s\0' "${targets[@]}" | xargs -0 -P "$jobs" -I{} bash -c 'fuzz_one "$1" "$2"' _ {} "$each"
