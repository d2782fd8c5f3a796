#!/usr/bin/env bash
# The main job: installs what is missing, builds, searches an accelerator for EfficientNet-B0 within
# the area and TDP of TPU-v3 shrunk to 7 nm, prints the best design beside it, and writes a report.
# Run again, it goes on where it stopped; remove build/demo to start over.
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

say "report: $PWD/$report"
