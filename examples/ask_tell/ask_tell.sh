#!/usr/bin/env bash
# Drives a study whose figures come from outside: asks for points, runs a simulator on each, tells what
# it found. Usage: ask_tell.sh STUDY.yaml DATABASE. $SCANTLE names the program.
#
# The simulator here is `scantle systolic`, cycles of systolic arrays; put yours into evaluate().
# Interrupted at any place, the same command goes on, with the points that were asked for and never
# told first. To run several at once on one database, leave `ask --waiting` out of all but the first:
# it would hand out points that another is at work on.
set -euo pipefail
scantle=${SCANTLE:-scantle}
study=$1 database=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# M N K of each matrix product of a BERT-base layer over 128 tokens
products='128,768,768 128,768,768 128,768,768 128,768,768 128,3072,768 128,768,3072'

# evaluate ID rows=R cols=C dataflow=D: one point as ask prints it, in; one result as JSON, out.
evaluate() {
    local id=$1 rows cols dataflow
    shift
    local "$@"
    # what the layout could not route is no design: infeasible, with the reason
    if ((rows > 16 * cols || cols > 16 * rows)); then
        printf '{"id": "%s", "infeasible": "longer than 16 times its width"}' "$id"
        return
    fi
    {
        echo M,N,K,R,C,dataflow
        for product in $products; do
            echo "$product,$rows,$cols,$dataflow"
        done
    } >"$work/runs.csv"
    # a simulator that crashes is not the design's fault: failed, and the study goes on
    if ! "$scantle" systolic "$work/runs.csv" >"$work/cycles.csv" 2>"$work/log"; then
        printf '{"id": "%s", "failed": "the simulator ended with an error"}' "$id"
        return
    fi
    awk -F, -v id="$id" '
        NR > 1 { work += $1 * $2 * $3; macs = $4 * $5; cycles += $7 }
        END {
            printf "{\"id\": \"%s\", \"metrics\": {\"cycles\": %d, \"macs\": %d, \"utilization\": %.9g}}",
                id, cycles, macs, work / (cycles * macs)
        }' "$work/cycles.csv"
}

# ask OPTION...: points into a file, one a line.
ask() {
    "$scantle" ask "$study" --db "$database" "$@" >"$work/points"
}

# tell: the results of all those points.
tell() {
    local separator='[' point
    [[ -s $work/points ]] || return 0
    while read -r -a point; do
        printf '%s' "$separator"
        evaluate "${point[@]}"
        separator=','
    done <"$work/points" >"$work/results.json"
    printf ']\n' >>"$work/results.json"
    "$scantle" tell "$study" "$work/results.json" --db "$database" >"$work/log"
}

ask --waiting
tell
ask -n 16
while [[ -s $work/points ]]; do
    tell
    ask -n 16
done
"$scantle" pareto "$study" --db "$database"
