#!/usr/bin/env bash
# The examples in examples/: run as they are, and hold their outcome against every point of the space.
source "$(dirname "$0")/common.sh"
export SCANTLE=$scantle
folder=$source_dir/examples/ask_tell

# The true front, from all points: cycles of the closed forms, summed over the products, on few MACs.
awk 'BEGIN {
    split("128 128 128 128 128 128", m); split("768 768 768 768 3072 768", n); split("768 768 768 768 768 3072", k)
    split("os ws is", flows)
    for (r = 4; r <= 256; r *= 2) for (c = 4; c <= 256; c *= 2) for (f = 1; f <= 3; f++) {
        if (r * c > 16384 || r > 16 * c || c > 16 * r) continue
        cycles = work = 0
        for (p = 1; p <= 6; p++) {
            if (flows[f] == "os") { down = m[p]; across = n[p]; time = k[p] }
            if (flows[f] == "ws") { down = k[p]; across = n[p]; time = m[p] }
            if (flows[f] == "is") { down = k[p]; across = m[p]; time = n[p] }
            folds = int((down + r - 1) / r) * int((across + c - 1) / c)
            cycles += folds * (time + (f == 1 ? r : 2 * r) + c - 2)
            work += m[p] * n[p] * k[p]
        }
        if (work / (cycles * r * c) >= 0.2) print cycles, r * c
    }
}' | sort -n -k1,1 -k2,2 | awk 'best == "" || $2 < best { print; best = $2 }' >front.txt
[[ $(wc -l <front.txt) -ge 3 ]] || fail "the space has no front worth the name"

# front DATABASE: cycles and MACs of the study's front, each pair once.
front() {
    run pareto "$folder/study.yaml" --db "$1" --json
    expect 0
    local i
    for ((i = 0; i < $(value trials.#); i++)); do
        printf '%.0f %.0f\n' "$(value trials.$i.metrics.cycles)" "$(value trials.$i.metrics.macs)"
    done | sort -n -k1,1 -k2,2 -u
}

# check NAME DATABASE: the whole space was told, what cannot be built with its reason.
check() {
    front "$2" >found.txt
    cmp -s found.txt front.txt || fail "$1: another front: $(paste -sd';' found.txt)"
    run study show array-shape --db "$2" --json
    expect 0
    # 7 * 7 shapes, less 128 x 256, 256 x 128 and 256 x 256, in 3 dataflows
    is trials 138
    is failed 0
    run trials array-shape --db "$2"
    says out "longer than 16 times its width"
}

# ... after an evaluator that died with sixteen points in its hands
run ask "$folder/study.yaml" -n 16 --db shell.db
expect 0
"$folder/ask_tell.sh" "$folder/study.yaml" shell.db >out 2>err || fail "ask_tell.sh: exit code $?: $(cat err)"
[[ $(wc -l <out) -gt $(wc -l <front.txt) ]] || fail "ask_tell.sh prints no front"
check ask_tell.sh shell.db
cp out shell.txt
"$folder/ask_tell.sh" "$folder/study.yaml" shell.db >out 2>err || fail "ask_tell.sh again: exit code $?"

if python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
    python3 "$folder/ask_tell.py" "$folder/study.yaml" python.db >out 2>err || fail "ask_tell.py: exit code $?: $(cat err)"
    check ask_tell.py python.db
    # two evaluators, one seed: the same trials, since the optimiser saw the same figures
    "$scantle" export array-shape --db shell.db | cut -d, -f1-6 >a.csv
    "$scantle" export array-shape --db python.db | cut -d, -f1-6 >b.csv
    cmp -s a.csv b.csv || fail "shell and Python were asked for other points"
    python3 "$folder/ask_tell.py" "$folder/nowhere.yaml" python.db >out 2>err && fail "ask_tell.py: no error for a missing study"
    says err "nowhere.yaml"
else
    echo "SKIPPED: examples/ask_tell/ask_tell.py: no python3 of 3.8 or later"
fi
finish
