#!/usr/bin/env bash
# Return on investment, from a study's best trial and its baseline.
source "$(dirname "$0")/common.sh"
small_network
cat >study.yaml <<'END'
version: 1
name: small
template: fast
networks: [net.yaml]
baseline: tpu-v3-7nm:native_batch=8
objectives: [perf_per_tdp]
limits: {area_mm2: {max: baseline}}
optimizer: random
batch: 8
seed: 7
budget: {trials: 24}
END
run search study.yaml --db roi.db -q
expect 0
run best small -n 1 --json --db roi.db
cp out best.json
best() { "$json" best.json "$1"; }

# ---- bought baseline, free building: r * (price + energy of the baseline) - (chip + energy)
sed 's/^provisioning: {value: 10,/provisioning: {value: 0,/; s/^defects: {value: 0.1,/defects: {value: 0,/; s/^rest: {value: 500,/rest: {value: 0,/' \
    "$source_dir/configs/economics/datacenter.yaml" >mine.yaml
run roi small --db roi.db --economics mine.yaml --baseline-price 9000 --design-cost 40e6 --volume 12345 --json
expect 0
is trial "$(best trials.0.id)"
is baseline_spec tpu-v3-7nm:native_batch=8
is design.node 7nm
is baseline.chip_usd null
awk -v tp="$(best trials.0.metrics.throughput_per_s)" -v bt="$(best baseline.values.throughput_per_s)" \
    -v mm="$(best trials.0.metrics.area_mm2)" -v w="$(best trials.0.metrics.power_w)" \
    -v bw="$(best baseline.values.power_w)" -v saved="$(value saved_per_unit_usd)" \
    -v even="$(value break_even_units)" -v roi="$(value volumes.0.roi)" '
    function energy(watt) { return watt / 1000 * 1.1 * 3 * 8766 * 0.067 }
    function near(a, b) { return a - b < 1e-6 * b && b - a < 1e-6 * b }
    BEGIN {
        pi = atan2(0, -1)
        chip = 9346 / (pi * 150 * 150 / mm - pi * 300 / sqrt(2 * mm))
        want = tp / bt * (9000 + energy(bw)) - chip - energy(w)
        exit !(near(saved, want) && even >= 40e6 / want && even < 40e6 / want + 1 && near(roi, 12345 * want / 40e6))
    }' || fail "saves $(value saved_per_unit_usd), not what the formula says"

# ---- the text, with what is recalled; another trial; another node
run roi study.yaml --db roi.db
expect 0
says out "break-even"
says out "recalled figures  electricity, pue"
says out "100,000"
run best small -n 2 --json --db roi.db
second=$(value trials.1.id)
run roi small --db roi.db --trial "${second:0:6}" --node 16nm --json
expect 0
is trial "$second"
is design.node 16nm
is design_cost_usd 106300000.0

# ---- what is wrong
run roi small --db roi.db --trial 0000000
expect 4
says err "no feasible trial '0000000'"
run roi small --db roi.db --volume 1.5
expect 4
says err "'1.5' is no whole number above 0"
run roi small --db roi.db --node 3nm
expect 4
says err "no costs of a node '3nm', only of 65nm"
sed 's/unit: USD\/kWh/unit: USD\/MWh/' mine.yaml >other.yaml
run roi small --db roi.db --economics other.yaml
expect 4
says err "other.yaml:9:35: error: electricity is in USD/kWh"
sed '/baseline/d; s/name: small/name: alone/' study.yaml >alone.yaml
run search alone.yaml --db alone.db -q
run roi --db alone.db
expect 4
says err "no baseline to replace"
# Where nothing is feasible, best and pareto say so.
sed 's/name: small/name: none/; s/max: baseline/max: 0.01 mm2/; s/trials: 24/trials: 8/' study.yaml >none.yaml
run search none.yaml --db roi.db -q
expect 2
for command in best pareto; do
    run "$command" none --db roi.db
    expect 2
    says err "no trial of the study is feasible"
done
finish
