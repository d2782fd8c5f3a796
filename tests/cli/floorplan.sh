#!/usr/bin/env bash
# place floorplan: a design's macros placed, files that place score reads to the same costs, the same
# result every time, and what is refused.
source "$(dirname "$0")/common.sh"

run place floorplan tpu-v3 --moves 5000 --seed 3 -o t.plc --netlist t.pb.txt --json
expect 0
is legal true
is feasible true
is hard_macros 40 # 4 HBM stacks, 32 banks of 1 MiB, 4 arrays
is tile.level MAC
proxy=$("$json" out proxy_cost)
run place score t.pb.txt --placement t.plc --json
expect 0
is legal true
is proxy_cost "$proxy"

cp t.plc first.plc
OMP_NUM_THREADS=1 run place floorplan tpu-v3 --moves 5000 --seed 3 -o t.plc -j 1 --json
expect 0
cmp -s t.plc first.plc || fail "another placement with the same seed"

run place floorplan fast:pes_x=64,pes_y=64,systolic_x=4,systolic_y=4 --macros 60 --moves 2000
expect 0
says out "L3 banks"
says out "DRAM channels"

# Twice as much canvas, the same blocks.
run place floorplan tpu-v3 --moves 100 --utilization 0.375 --json
expect 0
canvas=$("$json" out area.canvas_mm2) analytic=$("$json" out area.analytic_mm2)
awk -v c="$canvas" -v a="$analytic" 'BEGIN { r = c * 0.375 / a; exit !(r > 0.999999 && r < 1.000001) }' ||
    fail "canvas of $canvas mm2"

run place floorplan tpu-v3 --utilization 1.5
expect 4
says err "utilization"
run place floorplan tpu-v3 --aspect 100
expect 4
says err "--aspect"
run place floorplan tpu-v33
expect 4
says err "tpu-v3"
finish
