#!/usr/bin/env bash
# What a terminal shows: the progress line, colours; and how to be rid of them.
source "$(dirname "$0")/common.sh"
small_network
script -qec true /dev/null >/dev/null 2>&1 </dev/null || {
    echo "SKIPPED: script(1) gives no terminal here (a container without pseudo-terminals?)"
    exit 0
}
escape=$(printf '\033')

cat >study.yaml <<'END'
version: 1
name: small
template: fast
networks: [net.yaml]
objectives: [perf_per_tdp]
optimizer: {name: random}
batch: 4
budget: {trials: 240} # a second at most, and longer than it takes until the line is painted again
END

# terminal ARGUMENT...: run on a terminal; leaves what it shows in the file out.
terminal() {
    what="on a terminal: scantle $*"
    local command
    printf -v command '%q ' "$scantle" "$@"
    TERM=xterm script -qec "$command" /dev/null >out 2>&1 </dev/null
}

terminal search study.yaml --db one.db
says out "$(printf '\r')$escape[K" # painted over
grep -qE '[0-9]+/240 trials  [0-9.e+]+/s' out || fail "$what: no rate"
grep -qE 'best [0-9.e+-]+  [0-9]+ % feasible  ETA [0-9]+:[0-9]{2}' out || fail "$what: no best, share, ETA"
says out "$escape[1mBest"

for off in --no-progress -q; do
    terminal search study.yaml --db two$off.db $off
    says_not out "/240 trials"
done

terminal workload list
says out "$escape[1m"
NO_COLOR=1 terminal workload list
says_not out "$escape["
terminal workload list --color never
says_not out "$escape["
terminal workload shwo
says out "$escape[1;31merror:$escape[0m"

finish
