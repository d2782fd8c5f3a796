#!/usr/bin/env bash
# Studies of recorded tables: searched, shown, reported, and held against the true front.
source "$(dirname "$0")/common.sh"

# 12 x 12 points, cost and size; three on the front: (0, 9), (1, 4), (2, 1), (3, 0) without (1, 4)
{
    echo "x,y,cost,size,state"
    for ((x = 0; x < 12; x++)); do
        for ((y = 0; y < 12; y++)); do
            state=ok
            ((x == 1 && y == 0)) && state=broken
            echo "$x,$y,$((x + 5 * y)),$(((x - 3) * (x - 3) + y)),$state"
        done
    done
} | gzip >table.csv.gz
cat >study.yaml <<'END'
version: 1
name: squares
evaluator: {table: table.csv.gz, parameters: [x, y], failed: {state: broken}}
objectives: [{metric: cost, goal: min}, {metric: size, goal: min}]
budget: {trials: 144}
END

run search study.yaml --json
expect 0
is trials 144
is failed 1
is feasible 143
run pareto squares --json
expect 0
is trials.# 3
is trials.0.params.x 0
is trials.2.params.x 3
run best squares -n 1
expect 0
run trials squares
says out recorded
run export squares
says out table:
run report squares -o page.html
expect 0
says page.html squares
run explain "$("$scantle" best squares -n 1 --json | grep -oE '"id": "[0-9a-f]{32}"' | tail -n 1 | cut -d'"' -f4)"
expect 4

# ---- against the true front
run study share study.yaml --at 10 --json
expect 0
is front 3
is shares.1.trials 144
is shares.1.share 1.0
run study compare study.yaml --optimizer random --optimizer nsga2 --seeds 3 --at 20 --at 144 --json
expect 0
is optimizers.# 2
is optimizers.1.optimizer nsga2
is optimizers.1.median.1 1.0
run study compare study.yaml --seeds 2 --at 10
expect 0
says out sobol
says_not out grid
run study compare study.yaml --at 10 --at 5
expect 4
says err ascend
run study compare study.yaml --at ten
expect 4
says err "'ten'"
run study compare study.yaml --optimizer nsga3
expect 4
says err nsga2

# ---- what is wrong with a table is said with its place
{ zcat table.csv.gz; echo "3,3,1,1,ok"; } >twice.csv
sed 's/table.csv.gz/twice.csv/' study.yaml >twice.yaml
run search twice.yaml
expect 4
says err "twice.csv:146:1: the parameters of line 41 again"
finish
