#!/usr/bin/env bash
# ask and tell: points for an evaluator outside, and its results.
source "$(dirname "$0")/common.sh"

cat >asked.yaml <<'END'
version: 1
name: outside
space:
  parameters:
    - {name: tile, kind: log2, min: 1, max: 64}
    - {name: mode, kind: categorical, values: [a, b]}
objectives: [{metric: cycles, goal: min}]
optimizer: {name: random}
budget: {trials: 6}
END
run ask asked.yaml -n 4 --json --db asked.db
expect 0
is '#' 4
cp out asked.json
first=$(value 0.id) second=$(value 1.id) third=$(value 2.id)
[[ $(value 0.params.tile) =~ ^[0-9]+$ ]] || fail "$what: a whole number is no integer"
printf '[{"id": "%s", "metrics": {"cycles": 11.5}}, {"id": "%s", "infeasible": "too big"}]' \
    "$first" "$second" >results.json
run tell asked.yaml results.json --json --db asked.db
expect 0
is told 2
run tell asked.yaml results.json --json --db asked.db # the same again
expect 0
is told 0
printf '{"id": "%s", "failed": "it crashed"}' "$third" | "$scantle" tell asked.yaml --db asked.db \
    >out 2>err || fail "tell from standard input: exit code $?"
printf '[{"id": "%s", "metrics": {"cycles": 12}}]' "$first" >other.json
run tell asked.yaml other.json --db asked.db # told otherwise before
expect 4
says err "told otherwise"
printf '{"id": "0123456789ab", "metrics": {"cylces": 12}}' >other.json
run tell asked.yaml other.json --db asked.db # what is wrong with the id comes first
expect 4
says err "never asked"
fourth=$("$json" asked.json 3.id)
printf '{"id": "%s", "metrics": {"cycles": 12, "cylces": 13}}' "$fourth" >other.json
run tell asked.yaml other.json --db asked.db
expect 0
says err "warning: metric 'cylces'"
run trials outside --db asked.db
expect 0
says out "too big"
says out "it crashed"
run best outside --db asked.db --json
expect 0
is trials.0.id "$first"
is trials.0.metrics.cycles 11.5
for text in '' '[' '{"id": "x"}' '[{"id": "none", "metrics": {"cycles": 1}}]' \
    "[{\"id\": \"$first\", \"metrics\": {\"cycles\": 1e999}}]" \
    "[{\"id\": \"$first\", \"id\": \"$first\", \"metrics\": {\"cycles\": 1}}]"; do
    printf '%s' "$text" >bad.json
    run tell asked.yaml bad.json --db asked.db
    expect 4
    quiet out
done
printf '[]\0' >bad.json
run tell asked.yaml bad.json --db asked.db
expect 4
head -c 300000 /dev/zero | tr '\0' '[' >bad.json
run tell asked.yaml bad.json --db asked.db
expect 4
run tell asked.yaml nowhere.json --db asked.db
expect 4

finish
