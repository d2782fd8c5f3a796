#!/usr/bin/env bash
# workload and design: lists, fixed JSON forms, published totals, export and read back.
source "$(dirname "$0")/common.sh"

# ---- lists
run workload list
expect 0
for name in efficientnet-b0 efficientnet-b7 resnet50 resnet50-v1 resnet50-v2 mobilenet-v2 \
    mobilenet-v3-large mobilenet-v3-small bert-base bert-large vit-b16 unet llama2-7b llama2-70b llama3-8b; do
    grep -q "^$name " out || fail "workload list lacks $name"
done
run workload list --json
expect 0
[[ $(value '#') -ge 15 ]] || fail "workload list --json is short"
value 0.name >/dev/null
value 0.about >/dev/null
run design list --json
expect 0
value 0.name >/dev/null
run design list
for name in fast tpu-v3 tpu-v3-7nm; do
    grep -q "^$name " out || fail "design list lacks $name"
done

# ---- totals as published (multiply-accumulates of one sample, parameters)
while read -r name macs parameters; do
    run workload show "$name" --json
    expect 0
    quiet err
    is macs "$macs"
    is parameters "$parameters"
    is ops "$(value op_list.#)"
    value name >/dev/null
    value batch >/dev/null
    for key in name kind macs; do value op_list.0.$key >/dev/null; done
done <<'END'
efficientnet-b0 385814752 5288548
resnet50 4089184256 25557032
mobilenet-v2 300774272 3504872
mobilenet-v3-large 216589760 5483032
bert-base:seq=128 11174215680 109482240
vit-b16 17563828224 86567656
END
run workload show mobilenet-v2:batch=7 --json
is macs $((7 * 300774272))
is batch 7
is parameters 3504872

# ---- the text form says the same
run workload show efficientnet-b0
expect 0
says out "385,814,752"
says out "5,288,548"

# ---- export reads back equal, wherever it is written
run workload export efficientnet-b0
expect 0
cp out by_stdout.yaml
run workload export efficientnet-b0 -o by_option.yaml
expect 0
quiet out
cmp -s by_stdout.yaml by_option.yaml || fail "-o writes something else"
run workload show efficientnet-b0 --json
cp out first.json
run workload show by_option.yaml --json
expect 0
cmp -s out first.json || fail "the exported network reads back as another"

# ---- designs
for name in fast tpu-v3 tpu-v3-7nm fast:pes_x=4,l3_global=32MiB; do
    run design show "$name" --json
    expect 0
    for key in name template values levels area_mm2 area tdp_w tdp; do value $key >/dev/null; done
    run design show "$name"
    expect 0
    says out "TDP"
done
run design show fast:pes_x=4,l3_global=32MiB --json
is values.pes_x 4
is values.l3_global 33554432
is units.l3_global B
spec=$(value spec)
run design show fast:pes_x=4,l3_global=32MiB
grep -qE '^l3_global +32 MiB$' out || fail "$what: a size without its unit"
run design show fast:pes_x=4,l3_global=32MiB --json
cp out first.json
run design show "$spec" --json
expect 0
cmp -s out first.json || fail "the canonical spec opens another design"

# ---- another data folder, by the environment
cp -r "$source_dir/configs" data
sed -i 's/^clock: 940 MHz/clock: 470 MHz/' data/platforms/tpu-v3.yaml
SCANTLE_DATA_DIR=$PWD/data run design show tpu-v3 --json
expect 0
is clock_hz 470000000.0
SCANTLE_DATA_DIR=$PWD/nowhere run design show tpu-v3
expect 4
says err "nowhere"

finish
