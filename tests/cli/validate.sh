#!/usr/bin/env bash
# validate and calibrate: pages, documents, a fit that is stored and judged, and bad tables.
source "$(dirname "$0")/common.sh"

# ---- validate: what needs data that are not there is said to be missing, and chips are compared
run validate --data nowhere --json -o page.md
expect 0
is sections.0.rows.0.note "not there: the folder of reference data has no such part"
is sections.6.rows.0.what "TPU-v3 peak"
value sections.6.rows.0.modelled >/dev/null
says page.md "# The model beside published and measured figures"
says page.md "| TPU-v3 peak | 123 |"

# ---- an A100's products: each line with its error, the aim where all sizes are large, and what is
# not read
mkdir -p data/systolic
printf '1024, 32768, 32768, 10.0ms, 220Tflops\n64, 64, 64, 0.02ms, 1Tflops\n64, 64, 64, 0.02, 1\n' >data/systolic/matmul_A100.csv
run validate --data data --json
expect 0
is sections.3.rows.0.what "M 1024, N 32768, K 32768"
is sections.3.rows.0.unit ms
is sections.3.rows.0.aim 20.0
value sections.3.rows.0.error >/dev/null
is sections.3.rows.1.aim null
is sections.3.rows.2.what "line 3"
is sections.3.rows.3.what "Sizes of 1,024 and up: mean error"

# ---- calibrate: runs of a machine of 100 cycles a tile, in six layers
{
    echo "K,C,P,Q,R,S,stride,mapping,cycles,layer"
    for layer in 1 2 3 4 5 6; do
        for tiles in 2 4 8 16; do
            echo "16,16,$((tiles * 4)),8,1,1,1,L3 P$tiles - L2 K16X - L1 C16X Q8 - L0 P4,$((1000 + tiles * (100 + layer))),layer $layer"
        done
    done
} >runs.csv
run calibrate runs.csv --name chip --folds 3 -o chip.yaml --json
expect 0
is rows 24
is groups 6
is folds 3
value held_out.mape >/dev/null
says chip.yaml "name: chip"
run calibrate runs.csv --use chip.yaml
expect 0
says out "the calibration"
says_not out "did not see the group"

sed 's/L3 P2 /L3 P1 /' runs.csv >short.csv
run calibrate short.csv
expect 4
says err "short.csv:2:17: error: mapping: covers P only to 4 of 8"
run calibrate runs.csv --folds 7
expect 4
says err "6 groups cannot be dealt to 7 folds"
run calibrate runs.csv --target time
expect 4
says err "runs.csv:1:1: error: no column time"
run calibrate runs.csv --use runs.csv
expect 4
run calibrate absent.csv
expect 4

# ---- a calibration times a design of one square array: said, and recorded with what it is
run evaluate gemmini mobilenet-v2 --calibration gemmini-16x16
expect 0
says out "calibration       gemmini-16x16: time of 36 of 64 ops by the calibration"
run evaluate gemmini mobilenet-v2 --calibration gemmini-16x16 --json
expect 0
is calibration.name gemmini-16x16
is op_list.0.calibrated true
value op_list.0.modelled_time_s >/dev/null
run evaluate gemmini mobilenet-v2 --calibration chip.yaml --json
expect 0
is calibration.name chip
is calibration.driver gemmini
run map gemmini mobilenet-v2 --op stem --calibration chip.yaml --json
expect 0
is calibration.name chip
is op_list.0.calibrated true
value op_list.0.modelled_cycles >/dev/null
run map gemmini mobilenet-v2 --op stem --calibration chip.yaml
says out "cycles by the calibration"
run evaluate tpu-v3 mobilenet-v2 --calibration chip.yaml
expect 4
says err "is of one square array"
run evaluate gemmini mobilenet-v2 --calibration chop.yaml
expect 4
says err "chop.yaml"
cat >measured.yaml <<'END'
version: 1
name: measured
template: fast
space: {restrict: {pes_x: [1, 2], pes_y: 1, systolic_x: 16, systolic_y: 16, l2_mode: disabled, l3_global: 1 MiB, gddr6_channels: 1, native_batch: 1, vector_multiplier: 1, l1_mode: private, l1_input: 64 KiB, l1_weight: 64 KiB, l1_output: 64 KiB}}
networks: [mobilenet-v2]
objectives: [latency_s]
optimizer: grid
calibration: chip.yaml
END
run search measured.yaml --db calibrated.db --no-progress
expect 0
run trials measured --db calibrated.db --json
is trials.0.state feasible
is trials.1.state failed
says out calibration
grep -aq 'calibration=chip:' calibrated.db || fail "the result's row does not name the calibration"

finish
