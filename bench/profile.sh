#!/usr/bin/env bash
# Share of processor time by room of the house, from a sampled profile (perf) of one command.
# Usage: bench/profile.sh BUILD COMMAND [ARGUMENT...], e.g.
#   bench/profile.sh build/release build/release/cli/scantle search STUDY.yaml --db x.db -j 1
# BUILD must hold the objects of the program that COMMAND runs.
set -euo pipefail
build=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
perf record --quiet -F 499 -o "$work/perf.data" "$@" >"$work/out" 2>"$work/err" || {
    cat "$work/err" >&2
    exit 1
}
# symbol -> room: the folder of the object that defines it
find "$build" -path '*/scantle_*.dir/*.o' -print0 | xargs -0 nm -A --defined-only |
    awk '$(NF - 1) ~ /^[tT]$/ {
             room = $1
             sub(/\/CMakeFiles\/.*/, "", room)
             sub(/^.*\/(model\/)/, "model/", room)
             if (room !~ /^model\//) sub(/^.*\//, "", room)
             print $NF, room
         }' >"$work/rooms"
perf report -i "$work/perf.data" --no-children --sort symbol --stdio 2>/dev/null |
    awk 'NR == FNR { room[$1] = $2; next }
         /%/ && !/^#/ {
             share = $1
             sub(/%/, "", share)
             name = $3
             sub(/\..*/, "", name)
             where = name in room ? room[name] : "libraries and kernel"
             sum[where] += share
         }
         END { for (where in sum) printf "%6.1f %%  %s\n", sum[where], where }' \
        "$work/rooms" - | sort -rn
