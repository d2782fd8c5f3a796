#!/usr/bin/env bash
# evaluate, map and whatif: fixed JSON forms, feasible and not, the same for any number of threads.
source "$(dirname "$0")/common.sh"
small_network

# ---- a feasible design
run evaluate tpu-v3 mobilenet-v2 --json
expect 0
quiet err
is feasible true
is reasons.# 0
for key in latency_s throughput_per_s energy_j power_w tdp_w area_mm2 perf_per_tdp utilization \
    model_version; do value $key >/dev/null; done
for key in name time_s bound; do value op_list.0.$key >/dev/null; done
cp out one.json
run workload show mobilenet-v2 --json
ops=$(value ops)
cp one.json out
is op_list.# "$ops"
for threads in 1 2 3; do
    run evaluate tpu-v3 mobilenet-v2 --json -j $threads
    cmp -s out one.json || fail "$what: differs from the default"
done
run evaluate tpu-v3 mobilenet-v2
expect 0
says out "perf/TDP"
says out "Energy by level and tensor"
grep -qE '^op .* HBM +VMEM +REG$' out || fail "$what: levels in another order than the design's"
grep -qE '^batch +64$' out || fail "$what: no batch"
# shares of time, by op and by kind, sum to all of it; so do the parts of the energy
for section in Ops "By kind" "Energy by part"; do
    sum=$(awk -v section="$section" '$0 ~ "^" section { on = 1; next } /^$/ { on = 0 }
        on && $1 != "all" { for (i = 2; i <= NF; i++) if ($i == "%") { sum += $(i - 1); break } }
        END { printf "%d", sum + 0.5 }' out)
    # each line is rounded to a tenth
    ((sum >= 97 && sum <= 103)) || fail "$what: $section: $sum % in all"
done
awk '/^Energy by part/ { on = 1; next } /^$/ { on = 0 } on && $1 == "all" { found = $4 }
    END { exit found != "100.0" }' out || fail "$what: the parts' total is not the energy"
[[ $(grep -cE 'conv +[0-9]' out) -ge 50 ]] || fail "$what: no table of ops"

# ---- elements wider than the MACs, and narrower on the chip than in the network
says_not out precision
run evaluate fast net.yaml --json
is precision.element_bits 16
is precision.mac_bits 16
sed 's/^name: net/&\nprecision: 32/' net.yaml >wide.yaml
run evaluate fast wide.yaml
expect 0
says out "precision         elements of 32 bits on MACs of 16"
run evaluate tpu-v3 wide.yaml
expect 0
says out "precision         elements of 16 bits on this chip, 32 in the network"
# ... or than the register of a MAC: named, not a run of no time
sed '/operand_bits/d' "$source_dir/configs/platforms/tpu-v3.yaml" >as_given.yaml
run evaluate as_given.yaml mobilenet-v2:bits=32
expect 2
says out "op stem, level REG: needs 4 B, has 2 B"

# ---- a run that asks more of a level without a limit than its peak: power above TDP is said
sed 's/peak: {read.*/peak: {read: 1, write: 1, unit: B\/cycle}/' "$source_dir/configs/platforms/a100.yaml" >slow_peak.yaml
sed 's/12/256/g; s/channels: 3/channels: 256/; s/channels: 16/channels: 512/; s/channels: 32/channels: 512/' net.yaml >big.yaml
run evaluate slow_peak.yaml big.yaml
expect 0
says out "note              power above TDP: "

# ---- the batch counts
run evaluate tpu-v3 mobilenet-v2 -b 3 --json
expect 0
is batch 3

# ---- an infeasible one: exit code 2, null metrics, area and TDP still there, and the reason
# (the template with scratchpads of one byte, of which half is filled while half is used)
sed 's/min: 1 KiB, max: 1 MiB, default: 16 KiB/min: 1, max: 1 MiB, default: 1/' \
    "$source_dir/configs/templates/fast.yaml" >tiny.yaml
infeasible=tiny.yaml
run evaluate $infeasible mobilenet-v2 --json
expect 2
is feasible false
is latency_s null
is energy_j null
[[ $(value tdp_w) != null && $(value area_mm2) != null ]] || fail "$what: no area or TDP"
is reasons.0.code capacity
for key in where excess; do value reasons.0.$key >/dev/null; done
run evaluate $infeasible mobilenet-v2
expect 2
says out "Why it is infeasible"

# ---- map: text, JSON, one op, a mapping saved and scored again
run map tpu-v3 net.yaml --json
expect 0
is feasible true
op=$(value op_list.0.name)
for key in cycles lower_bound gap mapping; do value op_list.0.$key >/dev/null; done
run map tpu-v3 net.yaml --op "$op" --json --save mapping.yaml
expect 0
is op_list.# 1
cycles=$(value op_list.0.cycles)
run map tpu-v3 net.yaml --op "$op" --mapping mapping.yaml --json
expect 0
is op_list.0.cycles "$cycles"
run map tpu-v3 net.yaml --op "$op"
expect 0
says out "$op: "
says out "of capacity; "
run map tpu-v3 net.yaml --op nothing
expect 4
says err "nothing"
# a file of one mapping says itself of which op it is
run map tpu-v3 net.yaml --mapping mapping.yaml --json
expect 0
is op_list.# 1
is op_list.0.cycles "$cycles"

# ---- the mappings of a whole network, saved and scored again to the same text
run map tpu-v3 net.yaml --save all.yaml
expect 0
quiet err
cp out found
run map tpu-v3 net.yaml --mapping all.yaml
expect 0
cmp -s out found || fail "$what: the mappings score otherwise than when they were found"
run map tpu-v3 net.yaml --mapping all.yaml --op b --json
expect 0
is op_list.# 1
is op_list.0.name b
sed 's/op: "b"/op: "c"/' all.yaml >other.yaml
run map tpu-v3 net.yaml --mapping other.yaml
expect 4
says err "other.yaml:"
says err "the network maps no op 'c'"
says err "no mapping of op 'b'"

# ---- time spent only where it is asked for
run map tpu-v3 net.yaml --op a
grep -qE ', [0-9.]+ [num]?s$' out && fail "$what: time without --timing"
run map tpu-v3 net.yaml --op a --timing
grep -qE ', [0-9.]+ [num]?s$' out || fail "$what: no time"
run map tpu-v3 net.yaml --op a --timing --json
value op_list.0.seconds >/dev/null
# ---- constraints: 16 outputs K of op a, 3 inputs C
printf '%s\n' 'version: 1' 'levels:' '  - {level: MXU, spatial: {factors: [K=8, C=3]}}' >asked.yaml
run map tpu-v3 net.yaml --op a --constraints asked.yaml
expect 0
says out "for K in 0..8 on X"
says out "for C in 0..3 on Y"
printf '%s\n' 'version: 1' 'levels:' '  - {level: REG, keep: [output]}' >none.yaml
run map tpu-v3 net.yaml --op a --constraints none.yaml
expect 2
says out "map space: 0 mappings"
says out "REG: output: has to be kept"
says out "REG: output: has to pass by" # the registers hold weights
run map tpu-v3 net.yaml --op a --constraints nowhere.yaml
expect 4
run map tpu-v3 net.yaml --op a --constraints asked.yaml --mapping mapping.yaml
expect 4
says err "--constraints are for the search"

run map tpu-v3 net.yaml --loops
expect 0
[[ $(grep -c "multiply-accumulates" out) == 2 ]] || fail "$what: not the loops of both ops"

# ---- a picture of one op
run map tpu-v3 net.yaml --op a --picture a.svg
expect 0
quiet err
says a.svg "<title>Mapping of a on tpu-v3"
says a.svg "</svg>"
run map tpu-v3 net.yaml --picture all.svg
expect 4
says err "--op"
[[ ! -e all.svg ]] || fail "$what: a picture all the same"
run map $infeasible net.yaml --json
expect 2
run map $infeasible net.yaml --op a --picture no.svg
expect 2
[[ ! -e no.svg ]] || fail "$what: a picture of what does not fit"

# ---- whatif: several variants, the base among them, ratios that are ratios
run whatif fast net.yaml --set pes_x=4 --set pes_x=16,l3_global=8MiB --json
expect 0
is variants.# 2
is variants.0.set pes_x=4
for key in latency_s tdp_w perf_per_tdp; do
    awk -v base="$(value base.$key)" -v new="$(value variants.0.$key)" \
        -v ratio="$(value variants.0.ratio.$key)" \
        'BEGIN { exit !(ratio - new / base < 1e-9 && new / base - ratio < 1e-9) }' ||
        fail "$what: the ratio of $key is none"
done
run whatif fast net.yaml --set pes_x=4
expect 0
says out "(base)"
says out "Ops that change"
run whatif fast mobilenet-v2 --set l3_global=1MiB # the op that loses most comes first
expect 0
lost() { # seconds lost, as the table says them; sorted means it falls from row to row
    awk '/^Ops that change/ { on = 1; next } on && $1 != "op" {
        scale["ns"] = 1e-9; scale["us"] = 1e-6; scale["ms"] = 1e-3; scale["s"] = 1
        print $6 * scale[$7] }' out
}
[[ $(lost | wc -l) -ge 2 ]] || fail "$what: fewer than two ops change"
cmp -s <(lost) <(lost | sort -gr) || fail "$what: not by the time lost"
run whatif fast net.yaml --set pes_x=4
run whatif fast net.yaml --set pes_x=8 # the base's own value: nothing changes
says out "Ops that change: 0 of"
run whatif fast net.yaml --sensitivity --json
expect 0
[[ $(value variants.#) -ge 16 ]] || fail "$what: too few variants"
says out '"l3_global=8MiB"' # as --set takes it
run whatif fast net.yaml
expect 4
says err "--set"
run whatif fast net.yaml --set pes_w=4
expect 4
says err "did you mean 'pes_"

# ---- switches: each part of the method left out; padding and both ways of a softmax are shown
cat >odd.yaml <<'END'
version: 1
name: odd
inputs: {image: {height: 13, width: 13, channels: 3}}
ops:
  - {name: a, kind: conv, inputs: [image], channels: 130, kernel: [3, 3], padding: same}
  - {name: b, kind: conv, inputs: [a], channels: 131, kernel: [1, 1]}
END
run evaluate tpu-v3 odd.yaml --mapping-rule plain
expect 0
says out "rules             mapping plain"
grep -qE '^padding +[0-9.]+ %$' out || fail "$what: no share of padding"
says out "Padding"
# 131 channels over 128 columns: two rounds of 66
grep -qE '^b +K +131 +132 +0.8 %$' out || fail "$what: 131 channels are not padded to 132"
run evaluate tpu-v3 odd.yaml --mapping-rule plain --padding off --json
expect 0
is rules.mapping plain
is rules.padding off
is rules.softmax best
[[ $(value padding_share) =~ ^0(\.0)?$ ]] || fail "$what: padded"
is op_list.1.padding.dims.# 0
run map tpu-v3 odd.yaml --op b --mapping-rule plain
expect 0
says out "K 131 to 132"
says out "% of the MACs are padding"
run map tpu-v3 odd.yaml --op b --mapping-rule plain --json
dims=$(value op_list.0.padding.dims.#)
((dims > 0)) || fail "$what: no padded dimension"
run map tpu-v3 odd.yaml --padding off
expect 0
says_not out "are padding"
run map tpu-v3 odd.yaml --padding off --mapping all.yaml
expect 4
says err "--mapping-rule and --padding are for the search"
run evaluate tpu-v3 bert-base:seq=128
expect 0
says out "Softmax, in three passes and in two"
says_not out "rules  "
for way in three two; do
    run evaluate tpu-v3 bert-base:seq=128 --softmax $way --json
    expect 0
    is rules.softmax $way
    softmax=$(awk '/"kind": "softmax"/ { print n } /"kind":/ { n++ }' out | head -n 1)
    is op_list.$softmax.variant $way-pass
    for other in three-pass two-pass; do
        for key in time_s energy_j; do value op_list.$softmax.variants.$other.$key >/dev/null; done
    done
done
run evaluate tpu-v3 net.yaml --softmax four
expect 4
says err "four"

# ---- --map-nodes where it changes nothing says so: dimensions wanted first, rules that fix or do not pad
for words in "evaluate eyeriss net.yaml" "map eyeriss net.yaml" "explain eyeriss net.yaml" \
    "evaluate fast net.yaml --padding off" "whatif fast net.yaml --set pes_x=2 --mapping-rule plain" \
    "diff fast eyeriss net.yaml"; do
    run $words --map-nodes 100
    expect 0
    says err "--map-nodes has no effect"
done
run map eyeriss net.yaml # nobody asked for a proof
expect 0
quiet err
for design in fast edge simba tpu-v3; do # one grid; plain MACs; arrays under one buffer
    run evaluate $design net.yaml --map-nodes 100
    expect 0
    quiet err
done
run map fast net.yaml --constraints nothing.yaml --map-nodes 100
expect 4
says err "leave --mapping and --constraints out"
cat >proof.yaml <<'END'
version: 1
name: proof
template: fast
networks: [net.yaml]
objectives: [latency_s]
rules: {padding: off}
map_nodes: 100
budget: {trials: 1}
END
run search proof.yaml --db proof.db --json
says err "study proof: map_nodes has no effect without padding"
finish
