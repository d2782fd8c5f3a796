#!/usr/bin/env bash
# import timeloop and scalesim: what they write is what the other commands take.
source "$(dirname "$0")/common.sh"

# ---- timeloop: M4 N6 K5 on three PEs
mkdir -p set
cat >set/arch.yaml <<'END'
architecture:
  version: 0.4
  nodes:
  - !Component {name: DRAM, class: DRAM, attributes: {width: 8, datawidth: 8, n_banks: 2}}
  - !Container {name: PE, spatial: {meshX: 3}}
  - !Component {name: buffer, class: regfile, attributes: {depth: 11, width: 8, datawidth: 8}}
  - !Component {name: mac, class: intmac, attributes: {datawidth: 8}}
END
cat >set/problem.yaml <<'END'
problem:
  shape:
    name: product
    dimensions: [M, N, K]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: rows, N: 6, K: 5}
END
echo 'macro: {rows: 4}' >set/names.yaml
cat >mapping.yaml <<'END'
mapping:
- {target: DRAM, type: temporal, factors: M=0 N=2, permutation: M N K}
- {target: PE, type: spatial, factors: N=3}
- {target: buffer, type: temporal, factors: K=5}
END
run import timeloop set mapping.yaml -o ours --json
expect 0
is macs 120
is compute.instances 3
is counts.cycles 40
is levels.2.total_words 33
says err "'n_banks' has no effect here"
run map ours/platform.yaml ours/network.yaml --op product --mapping ours/mapping.yaml --json
expect 0
run design show ours/platform.yaml --json
is macs 3
# ---- a limit one way only: the other has none, but power is charged a block of one byte for it
mkdir -p oneway
sed 's/n_banks: 2/read_bandwidth: 5/' set/arch.yaml >oneway/arch.yaml
run import timeloop oneway -o oneway --json
expect 0
says oneway/platform.yaml "peak: {read: 5, write: 1, unit: B/cycle}"
run design show oneway/platform.yaml --json
# 6 bytes a cycle at 1 GHz of 160 to 320 pJ a byte of DDR4, and little else
[[ $(value tdp_w) =~ ^[0-3]\.[0-9]+$ ]] || fail "$what: a TDP of $(value tdp_w) W"
# ---- K as 2 tiles of 3 and 2: no step is empty, and the form of ours says so too
sed -e 's/N=2,/N=2 K=2,/' -e 's/K=5/K=3,2/' -e 's/factors: \(K=3,2\)/factors: "\1"/' \
    -e 's/K=2,/K=2,/' mapping.yaml >tiles.yaml
run import timeloop set tiles.yaml -o tiled --json
expect 0
is macs 120
is counts.compute_cycles 40
[[ $(grep ^clip tiled/mapping.yaml) == 'clip: ['*']' ]] || fail "$what: no clip"
run map tiled/platform.yaml tiled/network.yaml --op product --mapping tiled/mapping.yaml --json
expect 0
is op_list.0.compute_cycles 40.0
is op_list.0.clip.# 1
run map tiled/platform.yaml tiled/network.yaml --op product --mapping tiled/mapping.yaml
says out 'last iterations are smaller'
sed '/^clip/d' tiled/mapping.yaml >padded.yaml
run map tiled/platform.yaml tiled/network.yaml --op product --mapping padded.yaml --json
expect 0
is op_list.0.compute_cycles 48.0
sed 's/^clip.*/clip: [Z]/' tiled/mapping.yaml >wrong.yaml
run map tiled/platform.yaml tiled/network.yaml --op product --mapping wrong.yaml
expect 4
says err 'wrong.yaml:3:8: error:'
run import timeloop set mapping.yaml
expect 0
says out 'no cycle time in the file: taken as 1 GHz'
says out "no energy table: the reference tool's built-in energies"
echo '{% set x = 1 %}' >set/arch.yaml
run import timeloop set
expect 4
says err "set/arch.yaml:1:1: error: '{%' begins a template (Jinja)"
run import timeloop
expect 4
says err 'FILE is missing'

# ---- scalesim: a strided convolution, its last window over the edge, and a depthwise one
cat >net.csv <<'END'
Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, Strides,
conv, 224, 224, 3, 3, 3, 32, 2,
conv_dw, 112, 112, 3, 3, 32, 1, 1
END
printf '[architecture_presets]\nArrayHeight: 8\nArrayWidth: 4\nIfmapSramSzkB: 64\nFilterSramSzkB: 64\n' >array.cfg
printf 'OfmapSramSzkB: 64\nDataflow: os\nBandwidth: 10\n' >>array.cfg
run import scalesim array.cfg net.csv -o theirs --json
expect 0
is macs $((112 * 112 * 27 * 32 + 110 * 110 * 9 * 32))
is parameters $((27 * 32 + 9 * 32))
is array.rows 8
run evaluate theirs/platform.yaml theirs/network.yaml --json
expect 0
run import scalesim net.csv
expect 0
says out 'no padding'
printf 'Dataflow: rs\n' >array.cfg
run import scalesim array.cfg net.csv
expect 4
says err 'array.cfg:1:10: error: Dataflow must be os, ws or is'

finish
