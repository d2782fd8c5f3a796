#!/usr/bin/env bash
# Databases: named by the environment, checked, and those that cannot be used.
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
budget: {trials: 16}
END

run search study.yaml --db whole.db
expect 0

# ---- the database from the environment; deletion
export SCANTLE_DB=named.db
run search study.yaml
expect 0
[[ -s named.db && ! -e scantle.db ]] || fail "SCANTLE_DB is not honoured"
run study list --json
expect 0
is 0.name small
run study delete small --json
expect 0
value deleted >/dev/null
run study list --json
is '#' 0
unset SCANTLE_DB
run study delete nothing
expect 4

# ---- databases that cannot be used
run best --db nowhere.db
expect 4
says err "nowhere.db"
[[ ! -e nowhere.db ]] || fail "reading made a database"
printf 'this is no database, but it is long enough to be taken for one: %0200d' 0 >foreign.db
run study list --db foreign.db
expect 5
run search study.yaml --db foreign.db
expect 5
mkdir folder.db
run search study.yaml --db folder.db
((code == 4 || code == 5)) || fail "$what: exit code $code"
cp whole.db cut.db
truncate -s 8192 cut.db
run export small --db cut.db
expect 5
run db verify --db cut.db
expect 5
run db upgrade --db whole.db --json
expect 0
is from "$(value to)"
run db verify --db whole.db --json
expect 0
is faults.# 0
run db verify --db whole.db
says out "0 faults"

finish

# an output never takes the place of the database or of what was read
cp named.db kept.db
run export small --db named.db -o ./named.db
expect 4
says err "is the database, which would be lost"
run report small --db named.db -o named.db
expect 4
cmp named.db kept.db || fail "the database was overwritten"
