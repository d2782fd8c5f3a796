#!/usr/bin/env bash
# map --timeloop without a mapping: the best is found and proved, and is counted the same when it is
# given back; or the limits that rule out every mapping are named.
source "$(dirname "$0")/common.sh"

# problem M K N: a product of matrices.
problem() {
    cat <<END
problem:
  shape:
    name: GEMM
    dimensions: [M, K, N]
    data_spaces:
    - {name: A, projection: [[[M]], [[K]]]}
    - {name: B, projection: [[[K]], [[N]]]}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: $1, K: $2, N: $3}
END
}

# level NAME CLASS DEPTH [ATTRIBUTE]: one line of an architecture.
level() { echo "    - {name: '$1', class: $2, attributes: {word_bits: 8, width: 8, depth: $3${4:+, $4}}}"; }

begin() { printf 'architecture:\n  subtree:\n  - name: system\n    local:\n'; }
dram='    - {name: DRAM, class: DRAM, attributes: {word_bits: 8, block_size: 1, width: 8}}'
mac() { echo "    - {name: 'MAC${1:-}', class: intmac, attributes: {datawidth: 8${2:+, $2}}}"; }

# replays [OPTION...]: what the last run found, given back as a mapping, has the same counts.
replays() {
    local keys=(cycles energy_pj levels bound macs utilization) found again
    printf '{"mapping": %s}\n' "$(value mapping)" >found.yaml
    found=$("$json" out "${keys[@]}")
    run map --timeloop arch.yaml problem.yaml found.yaml --json "$@"
    expect 0
    quiet err # it breaks no constraint
    again=$("$json" out "${keys[@]}")
    [[ -n $found && $found == "$again" ]] || fail "$what: not the counts of the search"
}

# ---- by hand: a register file of 15 words at the MAC, a product of 3 x 7 and 7 x 5
# Whole words of DRAM are what costs. A row or a column at a time, A is read once and B three times, or
# A five times and B once: 21 + 105 or 105 + 35 words, and 15 sums. A and B both once do not fit.
problem 3 7 5 >problem.yaml
{ begin; echo "$dram"; level RF regfile 15; mac; } >arch.yaml
run map --timeloop arch.yaml problem.yaml --objective energy --json
expect 0
quiet err
is optimal true
is gap 0.0
is objective energy
# 3, 7 and 5 each at DRAM or RF, six orders where all are at one, two where two are: 2 * 6 + 6 * 2
# factorisations with orders, and any of eight sets of tensors in RF
is map_space.mappings 192
is map_space.exact true
is levels.0.tensors.0.reads 21
is levels.0.tensors.1.reads 105
is levels.0.tensors.2.updates 15
[[ $(value value) == "$(value energy_pj)" ]] || fail "$what: value is not the energy"
[[ $(value value) == "$(value lower_bound)" ]] || fail "$what: no proof"
replays
run map --timeloop arch.yaml problem.yaml --picture best.svg --timing
expect 0
says out "pJ*cycles, optimal"
says out "Words of one used instance"
says out " s" # the time of the search
says out "for M in 0..3"
says best.svg "<svg"
run map --timeloop arch.yaml problem.yaml --objective delay
says out "best delay  105 cycles, optimal"
run map --timeloop arch.yaml problem.yaml --node-budget 1 --json
expect 0
is optimal false
replays

# ---- several architectures: what is found is counted the same again
problem 6 8 10 >problem.yaml
{ begin; echo "$dram"; level GLB SRAM 60; level 'RF[0..3]' regfile 6 'meshX: 2'; mac '[0..3]' 'meshX: 2'; } >mesh.yaml
{ begin; echo "$dram"; level 'A[0..1]' regfile 9 'meshX: 2'; level 'B[0..7]' regfile 3 'meshX: 2'; mac '[0..7]' 'meshX: 2'; } >tree.yaml
{ begin; echo "$dram"; level BUF SRAM 40 'read_bandwidth: 2, write_bandwidth: 1'; mac '[0..11]'; } >slow.yaml
{ cat mesh.yaml
  echo 'constraints:'
  echo '- {target: GLB, type: spatial, factors: K=2, permutation: KMN, split: 1}'
  echo '- {target: RF, type: temporal, factors: M<=3, permutation: NKM}'
  echo '- {target: RF, type: bypass, keep: [Z], bypass: [B]}'
} >asked.yaml
for name in mesh tree slow asked; do
    cp $name.yaml arch.yaml
    for how in "" "--links none" "--links true --drain" "--reuse pre-2025"; do
        for goal in edp energy delay ed2p; do
            run map --timeloop arch.yaml problem.yaml $how --objective $goal --node-budget 20000 --json
            expect 0
            replays $how
        done
    done
done
run map --timeloop asked.yaml problem.yaml
expect 0
quiet err

# ---- nothing fits
{ begin; echo "$dram"; level RF regfile 2; mac
  printf 'constraints:\n- {target: RF, type: bypass, keep: [A, B, Z]}\n'; } >arch.yaml
run map --timeloop arch.yaml problem.yaml --json --picture none.svg
expect 2
is feasible false
is cycles null
is reasons.# 4
is reasons.0.code keep
is reasons.0.where "RF: A"
is reasons.3.code capacity
is reasons.3.where RF
is reasons.3.need 3
is reasons.3.have 2
is reasons.3.excess 1
[[ ! -e none.svg ]] || fail "$what: a picture of nothing"
run map --timeloop arch.yaml problem.yaml
expect 2
says out "Why it does not fit"

# ---- factors that need not divide: 7 positions on 4 lanes take two steps, of 4 and 3; both files are
# ours again with remainders
problem 7 1 1 >problem.yaml
{ begin; echo "$dram"; level RF regfile 64; mac '[0..3]' 'meshX: 4'; } >arch.yaml
run map --timeloop arch.yaml problem.yaml --imperfect --objective delay --json
expect 0
is optimal true
is cycles 2
is imperfect.walked true
is imperfect.perfect_value 7.0
is imperfect.links_left_out true
grep -q '"M=4,3"' out || fail "$what: no remainder"
replays --links none
run map --timeloop arch.yaml problem.yaml --imperfect --objective delay --picture ragged.svg
expect 0
says out "perfect factors  7 cycles, optimal"
says out "links  left out"
says ragged.svg "</svg>"
run map --timeloop arch.yaml problem.yaml found.yaml --imperfect
expect 4
# A search that ends before it has found perfect factors does not say that none fit: 1 x 1 x 1 does.
problem 8 4 8 >larger.yaml
{
    begin
    echo "$dram"
    level GLB SRAM 64
    level 'RF[0..15]' regfile 12 'meshX: 4'
    level 'REG[0..15]' regfile 2 'meshX: 4'
    mac '[0..15]' 'meshX: 4'
} >deep.yaml
run map --timeloop deep.yaml larger.yaml --imperfect --node-budget 1
expect 0
says out "perfect factors  none found"
sed 's/depth: 64/depth: 1/' arch.yaml >tight.yaml # one of A, B and Z, and all are asked for
printf '%s\n' 'mapspace_constraints:' '- {target: RF, type: bypass, keep: [A, B, Z], bypass: []}' >asked.yaml
cat tight.yaml asked.yaml >both.yaml
run map --timeloop both.yaml problem.yaml --imperfect --json
expect 2
is reasons.0.code no_mapping
is imperfect.walked true
run map tpu-v3 resnet50 --imperfect
expect 4

# ---- usage
run map --timeloop arch.yaml
expect 4
run map --timeloop arch.yaml problem.yaml --objective speed
expect 4
run map --timeloop arch.yaml problem.yaml --node-budget some
expect 4
run map --timeloop arch.yaml problem.yaml found.yaml --node-budget 10
expect 4
says err "leave MAPPING out"
run map tpu-v3 resnet50 --objective energy
expect 4
run map --timeloop arch.yaml nowhere.yaml
expect 4

# ---- minima that others enumerated
data=${SCANTLE_DATA:-$source_dir/../shared/data}/mapper/optima
if [[ -d $data ]]; then
    for case in "$data"/b0[1357]*; do
        cp "$case"/arch.yaml "$case"/problem.yaml .
        for goal in energy delay edp ed2p; do
            run map --timeloop arch.yaml problem.yaml --objective $goal --json -q
            expect 0
            is optimal true
            want=$("$json" "$case/optima.json" "optimum.${goal/delay/cycles}.min")
            awk -v a="$(value value)" -v b="$want" 'BEGIN { exit !(a >= b * (1 - 1e-9) && a <= b * (1 + 1e-9)) }' ||
                fail "$what: $(value value), enumerated $want"
            replays -q
        done
    done
else
    echo "SKIPPED: no reference data (SCANTLE_DATA)"
fi

finish
