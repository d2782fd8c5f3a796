#!/usr/bin/env bash
# Hostile and broken files: exit code 4, a message with the place, nothing on standard output, and
# all that in under 0.1 s of processor time (a busy machine does not count); 0.2 s for what unpacks
# to the limit of 64 MiB before it is refused.
source "$(dirname "$0")/common.sh"
limit_ms=100
grep -qaE '__[at]san_init' "$scantle" && limit_ms=1000 # sanitizers slow everything down
TIMEFORMAT="%3U %3S"

# refused FILE COMMAND...: the command refuses the file.
refused() {
    local file=$1 user system ms limit=$limit_ms
    [ "$file" = bomb.yaml ] && limit=$((2 * limit_ms))
    shift
    { time run "$@"; } 2>spent
    read -r user system <spent
    ms=$((10#${user/./} + 10#${system/./}))
    expect 4
    quiet out
    grep -qE "^$file(:[0-9]+:[0-9]+)?: error: ." err || fail "$what: no place: $(head -n 2 err)"
    grep -qE "$escape" err && fail "$what: a control character reaches the terminal"
    ((ms < limit)) || fail "$what: took $ms ms"
    (($(wc -c <err) < 100000)) || fail "$what: a message of $(wc -c <err) bytes"
}
escape=$(printf '\033')

# The base that the cases below break.
good_workload=$'version: 1\nname: net\ninputs: {image: {height: 8, width: 8, channels: 3}}\nops:\n'
good_workload+=$'  - {name: a, kind: conv, inputs: [image], channels: 4, kernel: [1, 1]}\n'

printf '%s' "$good_workload" >good.yaml
run workload show good.yaml --json
expect 0
is macs 768 # 8 * 8 positions, 4 filters of 3 channels

mkdir folder.yaml
: >empty.yaml
printf 'version: 1\nname: a\0b\n' >nul.yaml
head -c 100000 /dev/zero | tr '\0' '[' >nesting.yaml
{ printf 'version: 1\nops: '; head -c 100000 /dev/zero | tr '\0' '{'; } >nesting_maps.yaml
yes ' - ' | head -n 50000 | tr -d '\n' >nesting_items.yaml
{
    printf 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n'
    for i in 1 2 3 4 5 6 7 8 9; do
        printf 'a%d: &a%d [' $i $i
        for _ in 1 2 3 4 5 6 7 8 9; do printf '*a%d, ' $((i - 1)); done
        printf '*a%d]\n' $((i - 1))
    done
} >aliases.yaml
printf 'a: &a [*a, *a]\n' >self.yaml
printf '%s%s' "$good_workload" $'name: other\n' >duplicate.yaml
sed 's/height: 8/height: 1e999/' good.yaml >infinite.yaml
sed 's/height: 8/height: 99999999999999999999/' good.yaml >digits.yaml
sed 's/height: 8/height: -8/' good.yaml >negative.yaml
sed 's/height: 8/height: .nan/' good.yaml >nan.yaml
sed 's/height: 8/height: 8.5/' good.yaml >fraction.yaml
sed 's/channels: 4/channels: 9000000000000000000/' good.yaml >product.yaml
sed 's/channels: 4/chanels: 4/' good.yaml >unknown_key.yaml
sed 's/\[image\]/[nothing]/' good.yaml >unknown_name.yaml
printf '%s%s' "$good_workload" $'---\nversion: 1\n' >documents.yaml
printf 'version: 1\nname: "open\n' >unclosed.yaml
printf 'version: 1\nname: \xff\xfe\n' >encoding.yaml
printf 'version: 1\nname: "\\e[31mred"\nnonsense\n' >escape.yaml
printf 'just text\n' >scalar.yaml
printf '[1, 2]\n' >list.yaml
printf 'version: 2\n' >version.yaml
head -c 5000 "$scantle" >program.yaml
gzip -c good.yaml | head -c 40 >cut.yaml
head -c 70000000 /dev/zero | gzip -1 >bomb.yaml # over the 64 MiB that a file may unpack to

common="folder empty nul nesting nesting_maps nesting_items aliases self documents unclosed encoding
        escape scalar list version program cut bomb"
for name in $common duplicate infinite digits negative nan fraction product unknown_key unknown_name; do
    refused $name.yaml workload show $name.yaml
done
for name in $common duplicate; do
    refused $name.yaml design show $name.yaml
    refused $name.yaml space show $name.yaml
    refused $name.yaml search $name.yaml
    refused $name.yaml evaluate $name.yaml resnet50
    refused $name.yaml evaluate tpu-v3 $name.yaml
    refused $name.yaml ask $name.yaml
done

# ---- a rate that is none, or so small that no time is finite
for rate in 0 1e-308; do
    sed "s/shared: bus/shared: $rate/" "$source_dir/configs/platforms/gemmini.yaml" >rate.yaml
    refused ./rate.yaml evaluate ./rate.yaml good.yaml --json
    says err "not a rate above 0"
done

# ---- the places are the right ones, and near names are suggested
run workload show duplicate.yaml
says err "duplicate.yaml:6:1: error: "
run workload show infinite.yaml
says err "infinite.yaml:3:26: error: "
run workload show digits.yaml
says err "digits.yaml:3:26: error: "
run workload show unknown_key.yaml
says err "(did you mean 'channels'?)"

# ---- what is no file and no name
run workload show nowhere.yaml
expect 4
says err "nowhere.yaml"
run workload show resnet5
expect 4
says err "did you mean 'resnet50'"
run evaluate tpu-v4x resnet5 # both faults in one run
expect 4
says err "tpu-v"
says err "resnet5"
run design show fast:pes_z=8
expect 4
says err "did you mean 'pes_"
run design show fast:pes_x=7
expect 4
run workload show bert-base:seq=0
expect 4
run workload show bert-base:seq=99999999999999999999
expect 4
run workload show resnet50:batch=9000000000000000000
expect 4

# ---- paths that are none
run design list --db ''
expect 4
says err "--db: the path is empty"
run search study.yaml --db=
expect 4
says err "--db: the path is empty"
SCANTLE_DATA_DIR=/nowhere run design list
expect 4
quiet out
says err "SCANTLE_DATA_DIR: '/nowhere' is no folder"
mkdir no-data
SCANTLE_DATA_DIR=$PWD/no-data run design list
expect 4
quiet out
says err "no-data: is it scantle's?"

# ---- nothing is left behind by a study that does not open
[[ ! -e scantle.db ]] || fail "a database was made for a study that does not open"

finish
