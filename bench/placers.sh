#!/usr/bin/env bash
# Every placer at equal processor time over several seeds on the netlists of a folder, as Markdown:
# bench/placers.sh BUILD DATA [SECONDS [SEEDS [JOBS]]] >docs/results/placement.md
# Each folder of DATA with a netlist.pb.txt.gz and initial.plc is a design; its legalized.plc, if
# there is one, is the given start. Budgets are moves, SECONDS times what a design's moves take on
# one processor, so that the figures come again on a busy machine.
set -euo pipefail
build=$1 data=$2 seconds=${3:-30} seeds=${4:-5} jobs=${5:-1}
anneal=$build/bench/bench_anneal
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

given() { # DESIGN: the placement that comes with it
    [ -e "$data/$1/legalized.plc" ] && echo "$data/$1/legalized.plc" || echo "$data/$1/initial.plc"
}

for folder in "$data"/*/; do
    design=$(basename "$folder")
    [ -e "$folder/netlist.pb.txt.gz" ] && [ -e "$folder/initial.plc" ] || continue
    rate=$("$anneal" "$folder/netlist.pb.txt.gz" "$(given "$design")" 50000 - - 1 |
        sed -n 's|.* \([0-9.e+]*\) moves/s|\1|p')
    moves=$(awk -v r="$rate" -v s="$seconds" 'BEGIN { printf "%d", int(r * s / 10000 + 1) * 10000 }')
    for start in given spiral analytic; do
        echo "$design $start $(given "$design") $moves"
    done
done >"$tmp/runs"

run() { # DESIGN START PLACEMENT MOVES
    "$anneal" "$data/$1/netlist.pb.txt.gz" "$3" "$4" - - "$seeds" "$2" >"$tmp/$1.$2"
}
export -f run
export anneal data seeds tmp
xargs -P "$jobs" -L 1 bash -c 'run "$@"' run <"$tmp/runs"

cat <<END2
# Placers side by side

Made by \`bench/placers.sh BUILD DATA $seconds $seeds\`: simulated annealing from each start, about $seconds s of processor time a run on one thread
(the moves below), $seeds seeds; proxy cost = wirelength + 0.5 density + 0.5 congestion, lower is better. "as given" is the placement that comes with
the design (\`legalized.plc\`, where there is none \`initial.plc\`), scored and legalised; spiral and analytic starts see of it only the canvas and what is fixed.

The cost is a proxy: its published rank correlation with figures after routing is weak (wirelength 0.26, worst slack 0.20, total negative slack 0.05;
Cheng et al., ISPD 2023, doi:10.1145/3569052.3578926). Nothing here says how a design routes.

Beside it, published: on ariane133 NanGate45 a public open annealer has 0.6845 after 128 s of processor time from its spiral start, at 2,100 moves a second.

| design | start | moves | cost of the start | median | least | most | median against as given |
|---|---|---|---|---|---|---|---|
END2
while read -r design start _ moves; do
    as_given=$(awk '/->/ { print $1; exit }' "$tmp/$design.given")
    awk '/->/ { print $6, $1 }' FS='[ ]' "$tmp/$design.$start" | sort -n |
        awk -v d="$design" -v s="$start" -v m="$moves" -v g="$as_given" '
            { cost[NR] = $1; begun = $2 }
            END { mid = cost[int((NR + 1) / 2)]
                  printf "| %s | %s | %d | %.4f | %.4f | %.4f | %.4f | %+.1f %% |\n",
                         d, s, m, begun, mid, cost[1], cost[NR], 100 * (mid / g - 1) }'
done <"$tmp/runs"
