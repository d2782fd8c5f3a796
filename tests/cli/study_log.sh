#!/usr/bin/env bash
# The trials of studies as one table to learn from.
source "$(dirname "$0")/common.sh"

small_network
# study NAME NETWORK SEED
study() {
    cat >"$1.yaml" <<END
version: 1
name: $1
template: fast
space: {restrict: {pes_x: [1, 2, 4], pes_y: [1, 2], l2_mode: disabled}}
networks: ["$2"]
map_budget: 30
objectives: [latency_s]
limits: {area_mm2: {max: 60}}
optimizer: random
seed: $3
budget: {trials: 12}
END
    run search "$1.yaml"
    expect 0
}
study one net.yaml 1
study two net.yaml:batch=4 2

run study log one two -o log.csv
expect 0
quiet out
[[ $(wc -l <log.csv) == 25 ]] || fail "log.csv has not a heading and 24 rows"
says log.csv study,network,
# 12 x 12 positions: 3 x 3 x 3 x 16, and 16 x 32; four samples have four times as many
for batch in 1 4; do
    macs=$((batch * 144 * (27 * 16 + 16 * 32)))
    [[ $(grep -c ",$macs," log.csv) == 12 ]] || fail "not 12 rows have $macs MACs"
done

run study log one two
expect 0
cmp -s out log.csv || fail "standard output and the file differ"
run study log one.yaml --json
expect 0
[[ $(value csv | grep -c '^one,net,') == 12 ]] || fail "$what: not 12 rows"

# ---- refused
run study log one one
expect 4
says err "'one' is named twice"
run study log one thre -o no.csv
[[ $code != 0 && ! -e no.csv ]] || fail "$what: a file for a study that is not there"
run study log
expect 4
mv net.yaml gone.yaml
run study log one -o no.csv
[[ $code != 0 && ! -e no.csv ]] || fail "$what: a file though the network is not there"
says err net.yaml
finish
