#!/usr/bin/env bash
# Completion scripts load, and complete what the tables say.
source "$(dirname "$0")/common.sh"

for shell in bash zsh fish; do
    run completion $shell
    expect 0
    quiet err
    cp out complete.$shell
    command -v $shell >/dev/null || continue
    $shell -n complete.$shell || fail "$shell does not parse its script"
done
run completion bash --json
expect 0
value script >/dev/null

source ./complete.bash
# completes 'EXPECTED WORDS' WORD...: what bash offers for the last word.
completes() {
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _scantle
    [[ ${COMPREPLY[*]} == "$expected" ]] || fail "[$*]: ${COMPREPLY[*]}, not $expected"
}
rm -f ./*
mkdir folder
touch file.yaml
completes "evaluate" scantle evalu
completes "list show export" scantle workload ""
completes "list show export" scantle -q workload ""
completes "tpu-v3 tpu-v3-7nm" scantle evaluate tpu-v3
completes "efficientnet-b0" scantle workload show efficientnet-b0
completes "file.yaml" scantle evaluate file
completes "--batch" scantle evaluate --ba
completes "--threads" scantle evaluate --thr
completes "auto always never" scantle evaluate --color ""
completes "never" scantle evaluate --color = nev
completes "man markdown" scantle manual -f ""
completes "folder" scantle -C fol
completes "" scantle evaluate --batch ""
completes "bash zsh fish" scantle completion ""

finish
