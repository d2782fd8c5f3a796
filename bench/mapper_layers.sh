#!/usr/bin/env bash
# Times the proof of the best mapping on the reference layers, one thread: median of so many runs.
# Usage: bench/mapper_layers.sh SCANTLE DATA [RUNS]   DATA: the folder that holds mapper/
set -euo pipefail
scantle=$1 data=$2 runs=${3:-5}

printf '%-12s %-7s %-14s %-8s %10s %10s\n' layer least value proved s steps
for layer in bert_gemm mbv1_dw rn50_conv3x; do
    for goal in edp energy delay ed2p; do
        folder=$data/mapper/$layer
        for ((i = 0; i < runs; i++)); do
            "$scantle" map --timeloop "$folder/arch.yaml" "$folder/problem.yaml" \
                --objective "$goal" --timing --json 2>/dev/null
        done | python3 -c '
import json, statistics, sys
text, at, found, decode = sys.stdin.read(), 0, [], json.JSONDecoder()
while at < len(text.rstrip()):
    document, at = decode.raw_decode(text, at)
    found.append(document)
    while at < len(text) and text[at].isspace():
        at += 1
one = found[0]
assert all(f["value"] == one["value"] for f in found)
seconds = statistics.median(f["seconds"] for f in found)
proved = "yes" if one["optimal"] else "gap %.1f %%" % (100 * one["gap"])
print("%-12s %-7s %-14.8g %-8s %10.3f %10d" % (sys.argv[1], sys.argv[2], one["value"], proved,
      seconds, one["nodes"] + one["evaluations"]))' "$layer" "$goal"
    done
done
