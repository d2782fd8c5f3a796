#!/usr/bin/env bash
# Ctrl-C in two stages.
source "$(dirname "$0")/common.sh"
small_network

cat >long.yaml <<'END'
version: 1
name: long
template: fast
networks: [net.yaml]
objectives: [perf_per_tdp]
limits: {area_mm2: {max: 400}}
optimizer: {name: nsga2, population: 4}
batch: 4
seed: 7
budget: {trials: 1000000}
END
db='the "long" one.db'

# start TRIALS: the search in the background, once the database holds that many trials.
start() {
    "$scantle" search long.yaml --db "$db" >outcome 2>messages &
    pid=$!
    for _ in {1..1200}; do
        sleep 0.05
        run study list --db "$db" --json
        (($("$json" out 0.trials 2>/dev/null || echo 0) >= $1)) && return
    done
    fail "no $1 trials within a minute"
}

# stopped: the exit code of the search, which does not get for ever to end.
stopped() {
    # Polled: a subshell that waits, and is killed at once, can run the shell's own exit trap.
    for _ in {1..400}; do
        kill -0 $pid 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL $pid 2>/dev/null
    code=0
    wait $pid || code=$?
    what="scantle search, interrupted"
}

# ---- the first finishes what is in flight, prints the command that goes on, exit code 3
start 1
kill -INT $pid
stopped
expect 3
program=$scantle # quoted where a shell would need it
[[ $program == *[!A-Za-z0-9_./-]* ]] && program="'$program'"
says messages "to go on: $program search long.yaml --db '$db'"
says outcome "interrupt"
run study list --db "$db" --json
trials=$(value 0.trials)
says messages "stopped after $trials trials"

# ---- the very same command goes on
start $((trials + 1))
kill -TERM $pid
stopped
expect 3
run trials long --db "$db" --json
[[ $(value trials.#) -gt $trials ]] || fail "the second run added nothing"

# ---- the second signal stops at once; what was committed is whole
start 1
kill -INT $pid
sleep 0.01
kill -INT $pid 2>/dev/null
stopped
((code == 130 || code == 3)) || fail "$what: exit code $code"
run db verify --db "$db"
expect 0

finish
