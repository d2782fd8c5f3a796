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

# ---- asked for and never told: they wait, in their order, and looking asks for nothing new
sed 's/name: outside/name: waiting/' asked.yaml >waiting.yaml
run ask waiting.yaml --waiting --json --db waiting.db
expect 0
is '#' 0
run ask waiting.yaml -n 4 --json --db waiting.db
cp out asked.json
printf '{"id": "%s", "metrics": {"cycles": 3}}' "$("$json" asked.json 1.id)" >told.json
run tell waiting.yaml told.json --db waiting.db
for again in 1 2; do
    run ask waiting.yaml --waiting --json --db waiting.db
    expect 0
    is '#' 3
    is 0.id "$("$json" asked.json 0.id)"
    is 1.id "$("$json" asked.json 2.id)"
    is 2.id "$("$json" asked.json 3.id)"
    is 2.params.tile "$("$json" asked.json 3.params.tile)"
done
run ask waiting.yaml -n 9 --json --db waiting.db # of a budget of 6
is '#' 2
run ask waiting.yaml -n 1 --json --db waiting.db
expect 0
is '#' 0
says err "nothing is left to ask"
run ask waiting.yaml --waiting --db waiting.db
expect 0
[[ $(wc -l <out) == 5 ]] || fail "$what: not five lines"

# ---- twelve processes tell at once: all land
cat >crowd.yaml <<'END'
version: 1
name: crowd
space: {parameters: [{name: a, kind: int, min: 1, max: 99}, {name: b, kind: ordinal, values: [0.1, 0.30000000000000004]}]}
evaluator: external
objectives: [{metric: cost, goal: min}]
optimizer: random
END
run ask crowd.yaml -n 12 --json --db crowd.db
expect 0
for i in {0..11}; do
    printf '{"id": "%s", "metrics": {"cost": %d}}' "$(value $i.id)" "$i" >told.$i.json
done
for i in {0..11}; do
    "$scantle" tell crowd.yaml told.$i.json --db crowd.db >/dev/null 2>told.$i.err || echo failed >>told.failed &
done
wait
[[ ! -e told.failed ]] || fail "tells at once: $(cat told.*.err)"
run trials crowd --db crowd.db --json
is trials.# 12

# ---- values are printed in every digit they need
sed 's/name: crowd/name: digits/; s/values: \[0.1, /values: [/' crowd.yaml >digits.yaml
run ask digits.yaml --db digits.db
expect 0
says out "b=0.30000000000000004"

# ---- the same study under another name is bad input
sed 's/name: crowd/name: mob/' crowd.yaml >mob.yaml
run ask mob.yaml --db crowd.db
expect 4
says err "under the name 'crowd'"

# ---- no point keeps the constraints: which, and how many points each rejects
sed 's/name: crowd/name: empty/; s/^space: {/&constraints: {never: a > 99, half: a > 50 \&\& b > 0, ok: a > 0}, /' crowd.yaml >empty.yaml
run ask empty.yaml --db empty.db --json
expect 0
is '#' 0
says err "of 198 points 'never' (a > 99) rejects 198, 'half' (a > 50 && b > 0) rejects 100, 'ok' (a > 0) rejects 0"
cat >barren.yaml <<'END'
version: 1
name: barren
template: fast
space: {constraints: {wide: pes_x > 256}}
networks: [mobilenet-v2]
objectives: [latency_s]
END
run search barren.yaml --db empty.db --no-progress
expect 2
says err "no point of the space of barren keeps its constraints"
says err "'wide' (pes_x > 256) rejects"

# ---- a space by itself
cat >tiles.yaml <<'END'
version: 1
name: tiles
parameters:
  - {name: banks, kind: log2, min: 2, max: 16, first: [0, 1]}
  - {name: share, kind: ordinal, values: [0.1, 0.30000000000000004]}
constraints: {few: banks < 4}
END
run space show tiles.yaml --json
expect 0
is name tiles
is points 12.0
is valid 6.0
is parameters.0.name banks
run space show tiles.yaml
expect 0
says out "0.1, 0.30000000000000004"
sed -i 's/kind: log2/kind: lgo2/' tiles.yaml
run space show tiles.yaml
expect 4
says err "tiles.yaml:4:"
finish
