#!/usr/bin/env bash
# import onnx: totals, options, YAML that reads back, refusals; and models as workloads.
source "$(dirname "$0")/common.sh"
models=$source_dir/tests/fuzz/corpus/onnx # small ones of our own

# ---- totals: conv 7 x 6 x 8 x 27, transposed 3 x 3 x 8 x 4 x 9, classifier 4 x 10
run import onnx "$models/cnn.onnx" --json
expect 0
quiet err
is name cnn
is macs 11704
is macs_by_op.Conv 9072
is macs_by_op.ConvTranspose 2592
is macs_by_op.Gemm 40
is batch 1
is opset 17
[[ $(value assumptions.#) == 1 ]] || fail "one open dimension is not one assumption"

run import onnx "$models/cnn.onnx"
expect 0
says out "11,704"
says out "dimension 'N' (0 of 'x') is open: taken as 1"

# ---- options behind the path, there and wherever a WORKLOAD stands
run import onnx "$models/cnn.onnx:N=3,bits=8" --json
is macs $((3 * 11704))
is bits 8
is batch 3
is assumptions.# 0
run workload show "$models/cnn.onnx:batch=3" --json
expect 0
is macs $((3 * 11704))
run evaluate tpu-v3 "$models/cnn.onnx" --json
expect 0
is feasible true

# ---- YAML that is the same network
run import onnx "$models/attention.onnx:seq=5" -o net.yaml --json
expect 0
macs=$(value macs)
run workload show net.yaml --json
expect 0
is macs "$macs"
run import onnx "$models/attention.onnx:seq=5" -o -
expect 0
cmp -s out net.yaml || fail "-o - writes another network than -o FILE"

# ---- refusals: all errors, nothing written
head -c 200 "$models/cnn.onnx" >half.onnx
run import onnx half.onnx -o refused.yaml
expect 4
quiet out
says err "half.onnx: error: in the model"
says err "the file is cut short"
[[ ! -e refused.yaml ]] || fail "a refused model leaves a file"
run import onnx "$models/cnn.onnx:n=3"
expect 4
says err "no dimension 'n' in the file (did you mean 'N'?)"
run import onnx nowhere.onnx
expect 4
says err "No such file"
run workload show half.onnx
expect 4
run import
expect 4

finish
