#!/usr/bin/env bash
# Studies from the command line: run, resume, look at, export, report; sweeps.
source "$(dirname "$0")/common.sh"
small_network

cat >study.yaml <<'END'
version: 1
name: small
template: fast
networks: [net.yaml]
objectives: [perf_per_tdp]
limits: {area_mm2: {max: 400}}
optimizer: {name: nsga2, population: 16}
batch: 16
seed: 7
budget: {trials: 64}
END

# ---- run: the outcome, the best designs; nothing on standard error, for it is no terminal
run search study.yaml --json
expect 0
quiet err
is study small
is stopped_by budget
is trials 64
is evaluated 64
[[ $(value feasible) -ge 1 && $(value best.trials.#) -ge 1 ]] || fail "$what: nothing feasible"
id=$(value id)
best=$(value best.trials.0.metrics.perf_per_tdp)
trial=$(value best.trials.0.id)
run export small
expect 0
cp out whole.csv
[[ $(wc -l <whole.csv) == 65 ]] || fail "export: not 64 rows and a header"

# ---- run again: nothing left to do, and the text form
run search study.yaml
expect 0
quiet err
says out "Best"
says out "Parameters of trial"
grep -qE '^l1_input +[0-9]+ KiB$' out || fail "$what: a size without its unit"
run search study.yaml --json
is evaluated 0

# ---- the same rows for any number of threads, and in two runs
for threads in 1 2 3; do
    run search study.yaml -j $threads --db threads$threads.db -q
    expect 0
    run export small --db threads$threads.db
    cmp -s out whole.csv || fail "$threads threads: another export"
done
run search study.yaml -n 23 --db two.db
expect 0
run search study.yaml --db two.db --json
expect 0
is trials 64
run export small --db two.db
cmp -s out whole.csv || fail "23 trials and then 64: another export"

# ---- another seed is another study
run search study.yaml --seed 8 -n 16 --json
expect 0
[[ $(value id) != "$id" ]] || fail "--seed 8 is the same study"
run export small
expect 4 # two studies have that name
run study list --json
is '#' 2

# ---- looking: by file, by the first digits of the ID
for word in study.yaml "${id:0:12}"; do
    run best "$word" -n 2 --json
    expect 0
    is trials.# 2
    is trials.0.metrics.perf_per_tdp "$best"
    run pareto "$word" --json
    expect 0
    is trials.# 1 # one objective
    run trials "$word" --json
    expect 0
    is trials.# 64
    is trials.63.index 63
    run study show "$word" --json
    expect 0
    is name small
    is trials 64
    run study show "$word"
    says out "networks: [net.yaml]"
done
run best study.yaml
expect 0
says out "perf_per_tdp"
run trials study.yaml -n 5
expect 0
[[ $(wc -l <out) == 6 ]] || fail "$what: not five rows"
run trials study.yaml
grep -qE ' area_mm2 by [0-9.e+]+ mm2$' out || fail "$what: does not say what misses by how much"
run trials study.yaml --json
[[ $(value trials.0.params.l3_global) =~ ^[0-9]+$ ]] || fail "$what: a whole number is no integer"
is units.l3_global B
run space show study.yaml --json
expect 0
is parameters.# 16
run space show study.yaml
expect 0
says out "pes_x"
says out "1 KiB, 2 KiB"
says out "not counted"
run export study.yaml --json
expect 0
value . >/dev/null
run export # two studies: one must be named
expect 4
says err "2 studies"
run export --db two.db # one alone need not
expect 0
cmp -s out whole.csv || fail "$what: another export"
run export study.yaml -o whole2.csv
expect 0
quiet out
cmp -s whole2.csv whole.csv || fail "$what: the file holds something else"
"$scantle" export study.yaml >/dev/full 2>err && fail "export to a full disk claims to be whole"

# ---- a trial's ID is a design, with the very figures of the trial
run evaluate "$trial" net.yaml --json
expect 0
is perf_per_tdp "$best"
run design show "${trial:0:8}" --json
expect 0
is template fast
run evaluate 0123456789ab net.yaml
expect 4
says err "0123456789ab"

# ---- report: one page without anything from a network
run report study.yaml -o page.html
expect 0
quiet out
grep -q '</html>' page.html || fail "$what: no whole page"
! grep -qE '(src|href)="https?:' page.html || fail "$what: the page needs a network"
run report study.yaml -f svg -o -
expect 0
says out "<svg"
run report study.yaml --json
expect 0
is written report.html
[[ -s report.html ]] || fail "$what: no report.html"

# ---- nothing feasible: exit code 2
sed 's/max: 400/max: 0.001/; s/name: small/name: none/' study.yaml >none.yaml
run search none.yaml -n 16 --db none.db --json
expect 2
is feasible 0
run best none --db none.db
expect 2

# ---- a baseline: the best design beside it, ratios that are ratios
sed 's/name: small/name: based/; $a baseline: tpu-v3-7nm' study.yaml >based.yaml
run search based.yaml --db based.db -q
expect 0
run best based --db based.db --json
expect 0
ratio=$(awk -v ours="$(value trials.0.metrics.perf_per_tdp)" \
    -v theirs="$(value baseline.values.perf_per_tdp)" 'BEGIN { printf "%.3g", ours / theirs }')
run best based --db based.db
expect 0
says out "Against the baseline tpu-v3-7nm"
grep -qE "^perf_per_tdp .* $ratio\$" out || fail "$what: no ratio of $ratio"

# ---- sweep: a grid
cat >sweep.yaml <<'END'
version: 1
name: grid
template: fast
space:
  restrict: {pes_x: [4, 8], pes_y: [4, 8], systolic_x: [32], systolic_y: [32],
    vector_multiplier: [1], l1_mode: [private], l1_input: [16 KiB], l1_weight: [16 KiB],
    l1_output: [16 KiB], l2_mode: [disabled], l3_global: [16 MiB], gddr6_channels: [8],
    native_batch: [8]}
networks: [net.yaml]
objectives: [latency_s]
optimizer: {name: grid}
END
run sweep sweep.yaml --db sweep.db --json
expect 0
is trials 4
is stopped_by exhausted

# ---- the files that --help shows, and the shipped sweep, are what they are said to be
for command in search sweep; do
    run $command --help
    expect 0
    says out "docs/formats/study.md"
    sed -n '/^    version: 1$/,$ s/^    //p' out >$command.yaml
    run space show $command.yaml --json
    expect 0
    is name example
done
run sweep sweep.yaml --db help.db --json
expect 0
is trials 4
run space show "$source_dir/configs/studies/sweep-example.yaml" --json
expect 0
is valid 27.0

finish
