#!/usr/bin/env bash
# The main job: installs what is missing, builds, searches an accelerator for EfficientNet-B0 within
# the area and TDP of TPU-v3 shrunk to 7 nm, and writes a report. Run again, it goes on where it
# stopped; remove build/demo to start over.
source "$(dirname "$0")/common.sh"
scripts/setup.sh build
build release -DSCANTLE_TESTS=OFF -DSCANTLE_BENCH=OFF

scantle=build/release/cli/scantle
mkdir -p build/demo
database=build/demo/scantle.db
report=build/demo/report.html

say "searching (configs/studies/efficientnet-b0.yaml)"
"$scantle" search configs/studies/efficientnet-b0.yaml --db "$database"
"$scantle" report efficientnet-b0 --db "$database" --output "$report" --quiet

# figure NAME: the first metric of that name in a JSON text.
figure() { awk -F'[:,]' -v name="\"$1\"" '$1 ~ name "$" { print $2; exit }'; }
best=$("$scantle" best efficientnet-b0 --db "$database" --top 1 --json)
baseline=$("$scantle" evaluate tpu-v3-7nm efficientnet-b0 --json)

say "compared with TPU-v3 shrunk to 7 nm, both by the same model"
row() { # row LABEL UNIT NAME
    awk -v label="$1" -v unit="$2" -v ours="$(figure "$3" <<<"$best")" \
        -v theirs="$(figure "$3" <<<"$baseline")" \
        'BEGIN { printf "%-12s %10.4g %10.4g  %-8s %5.2f x\n", label, ours, theirs, unit, ours / theirs }'
}
printf '%-12s %10s %10s\n' "" "best" "baseline"
row perf/TDP "1/(s W)" perf_per_tdp
row throughput 1/s throughput_per_s
row TDP W tdp_w
row area mm2 area_mm2

say "report: $PWD/$report"
