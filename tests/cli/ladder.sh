#!/usr/bin/env bash
# --ablate: the ladder of ablations, of a study and of one design.
source "$(dirname "$0")/common.sh"
small_network

# ---- one design: each row is what evaluate says under the same rules
run evaluate tpu-v3 net.yaml --ablate --json
expect 0
is rungs.# 7
cp out ladder.json
names=(datapath mapping padding fusion softmax attention tiles)
rules=("--mapping-rule plain --padding off --softmax three --fusion off"
    "--padding off --softmax three" "--softmax three" "--softmax three --fusion on" "--fusion on"
    "--fusion on --attention cascade" "--fusion on --attention cascade --tiles on")
for i in {0..6}; do
    run evaluate tpu-v3 net.yaml --json ${rules[i]}
    expect 0
    [[ $("$json" ladder.json "rungs.$i.rung") == "${names[i]}" ]] || fail "rung $i is not ${names[i]}"
    is latency_s "$("$json" ladder.json "rungs.$i.latency_s")"
    is energy_j "$("$json" ladder.json "rungs.$i.energy_j")"
    is rules.mapping "$("$json" ladder.json "rungs.$i.rules.mapping")"
    is rules.fusion "$("$json" ladder.json "rungs.$i.rules.fusion")"
    is rules.attention "$("$json" ladder.json "rungs.$i.rules.attention")"
    is rules.tiles "$("$json" ladder.json "rungs.$i.rules.tiles")"
done
first=$("$json" ladder.json rungs.0.latency_s) last=$("$json" ladder.json rungs.6.latency_s)
awk -v a="$first" -v b="$last" -v r="$("$json" ladder.json rungs.6.over_first)" \
    'BEGIN { exit !(a / b - r < 1e-9 && r - a / b < 1e-9) }' || fail "over_first is no ratio"
run evaluate tpu-v3 net.yaml --ablate -b 8
expect 0
says out "batch 8"
says out "over rung before"
run evaluate tpu-v3 net.yaml --ablate --fusion on
expect 4
says err "--ablate sets the rules itself"
sed '/operand_bits/d' "$source_dir/configs/platforms/tpu-v3.yaml" >as_given.yaml
run evaluate as_given.yaml mobilenet-v2:bits=32 --ablate --json # does not fit: null, and no ratio
expect 2
is rungs.0.feasible false
is rungs.0.latency_s null
is rungs.1.over_previous null

# ---- a study: seven studies, of which the table tells the best
cat >study.yaml <<'END'
version: 1
name: small
template: fast
networks: [net.yaml]
baseline: tpu-v3-7nm:native_batch=8
objectives: [perf_per_tdp]
limits: {area_mm2: {max: baseline}}
optimizer: {name: nsga2, population: 8}
batch: 8
seed: 7
budget: {trials: 500}
END
run search study.yaml --ablate -n 16 --json
expect 0
quiet err
is study small
is metric perf_per_tdp
is rungs.# 7
is rungs.2.study small/padding
is rungs.2.trials 16
is rungs.2.evaluated 16
value rungs.6.over_same >/dev/null
cp out ladder.json
run study list --json
is '#' 7
for i in {0..6}; do
    run best "small/${names[i]}" -n 1 --json
    expect 0
    is trials.0.id "$("$json" ladder.json "rungs.$i.best.id")"
    is trials.0.metrics.perf_per_tdp "$("$json" ladder.json "rungs.$i.best.value")"
done
run evaluate "$("$json" ladder.json rungs.0.best.id)" net.yaml --json ${rules[0]}
expect 0
is perf_per_tdp "$("$json" ladder.json rungs.0.best.value)"

# ---- the same command again computes nothing; more trials go on
run search study.yaml --ablate -n 16 --json
expect 0
is rungs.0.evaluated 0
is rungs.6.evaluated 0
run search study.yaml --ablate -n 24
expect 0
says out "over baseline, plain"
says out "datapath  the datapath alone"
run search study.yaml --ablate -n 24 --seed 8 --json # another seed: other studies
expect 0
is rungs.0.evaluated 24

# ---- what has no ladder
cp study.yaml rung.yaml
printf 'rung: padding\n' >>rung.yaml
run search rung.yaml --ablate --db no.db
expect 4
says err "rung.yaml:12:7: error: the study is a rung already"
run search rung.yaml -n 16 # by itself it is that rung's study
expect 0
says out "small/padding"
printf 'version: 1\nname: s\nspace: {parameters: [{name: x, kind: int, min: 1, max: 2}]}\nobjectives: [{metric: c, goal: min}]\n' >outside.yaml
run search outside.yaml --ablate --db no.db
expect 4
says err "only studies of our model"
finish
