#!/usr/bin/env bash
# explain and diff: fixed JSON forms, text, one op, what does not fit, the same for any threads.
source "$(dirname "$0")/common.sh"
small_network

run explain tpu-v3 net.yaml --json
expect 0
quiet err
is feasible true
is op null
for key in time_s bound distance bounds.0.bound bounds.0.relief_s levels.0.name levels.0.ratio \
    op_list.0.name op_list.0.second_bound steps.0.set steps.0.change; do value $key >/dev/null; done
cp out one.json
for threads in 1 3; do
    run explain tpu-v3 net.yaml --json -j $threads
    cmp -s out one.json || fail "$what: differs from the default"
done
op=$(cp one.json out; value op_list.0.name)
run explain tpu-v3 net.yaml --op "$op"
expect 0
says out "second bound"
says out "What one step of each parameter changes"
run explain tpu-v3 net.yaml --op "${op}x"
expect 4
says err "did you mean '$op'?"

# ---- what does not fit: level, tensor and bytes
sed 's/min: 1 KiB, max: 1 MiB, default: 16 KiB/min: 1, max: 1 MiB, default: 1/' \
    "$source_dir/configs/templates/fast.yaml" >tiny.yaml
run explain ./tiny.yaml net.yaml --json
expect 2
is feasible false
is misfits.0.level L1
is misfits.0.tensor input
is misfits.0.over_bytes 2.0
run explain ./tiny.yaml net.yaml
expect 2
says out "What does not fit"

# ---- a trial of the database: on the network of its study, on each where there are several
cat >one.yaml <<'END'
version: 1
name: one
template: fast
space: {restrict: {pes_x: 2, pes_y: 2, systolic_x: 16, systolic_y: 16, l2_mode: disabled, l3_global: 1 MiB, gddr6_channels: 1, native_batch: 1, vector_multiplier: 1, l1_mode: private, l1_input: 64 KiB, l1_weight: 64 KiB, l1_output: 64 KiB}}
networks: [net.yaml]
objectives: [latency_s]
optimizer: grid
END
sed 's/name: one/name: two/; s/pes_x: 2/pes_x: 4/; s/\[net.yaml\]/[net.yaml, {network: mobilenet-v2, weight: 2}]/' one.yaml >two.yaml
for study in one two; do
    run search $study.yaml --db trials.db --no-progress --json
    expect 0
    export "$study=$(value best.trials.0.id)"
done
run explain "$one" --db trials.db --json
expect 0
is workload net
is feasible true
cp out trial.json
run explain "$one" net.yaml --db trials.db --json
cmp -s out trial.json || fail "$what: differs from the study's own network"
run explain "$one" --op a --db trials.db --json
expect 0
is op a
# ... under the rules of the study, which options pass over
sed 's/name: one/name: plain/; s/^optimizer/rules: {mapping: plain}\n&/' one.yaml >plain.yaml
run search plain.yaml --db plain.db --no-progress --json
expect 0
plain=$(value best.trials.0.id)
run explain "$plain" net.yaml --mapping-rule plain --db plain.db --json
cp out trial.json
run explain "$plain" --db plain.db --json
expect 0
cmp -s out trial.json || fail "$what: not under the rules of its study"
run explain "$plain" net.yaml --db plain.db --json
cp out searched.json
! cmp -s searched.json trial.json || fail "$what: the rules make no difference"
run explain "$plain" --mapping-rule search --db plain.db --json
cmp -s out searched.json || fail "$what: the option does not pass over the study's rule"
run explain "$two" --db trials.db --json
expect 0
is '#' 2
is 0.workload net
is 1.workload mobilenet-v2
run explain "$two" --db trials.db
expect 0
says out "mobilenet-v2"
run explain "$two" --op a --db trials.db
expect 4
says err "--op a is of one network and the study has 2 (net, ...): name it as WORKLOAD"
run explain tpu-v3 --db trials.db
expect 4
says err "WORKLOAD is missing"
run explain 0123456789ab --db trials.db
expect 4
run explain 0123456789ab --db absent.db
expect 4

# ---- diff
run diff fast fast:pes_x=16 net.yaml --json
expect 0
is values.# 1
is values.0.name pes_x
is totals.2.name latency_s
for key in op_list.0.name op_list.0.effect_s op_list.0.a_bound; do value $key >/dev/null; done
run diff tpu-v3 tpu-v3-7nm
expect 0
says out "area_mm2"
run diff tpu-v3 no-such-design net.yaml
expect 4
run explain 415f0cf79c86 --db none.db
expect 4
says err "no trial '415f0cf79c86': there is no database none.db"
finish
