#!/usr/bin/env bash
# Standard output that cannot be written is never claimed whole.
source "$(dirname "$0")/common.sh"

# ---- full disk
code=0
"$scantle" workload list >/dev/full 2>err || code=$?
what="scantle workload list > /dev/full"
expect 1
says err "cannot write to standard output: No space left on device"

# ---- closed stream: written data is an error, and no file of ours takes its place
code=0
"$scantle" manual >&- 2>err || code=$?
what="scantle manual >&-"
expect 1
says err "cannot write to standard output"
code=0
"$scantle" manual -o page.1 >&- 2>err || code=$?
what="scantle manual -o page.1 >&-"
expect 0
[[ -s page.1 ]] || fail "$what: no file"
code=0
"$scantle" manual -o page.1 >&- 2>&- <&- || code=$?
what="scantle manual with no streams at all"
expect 0
"$scantle" manual >expected.1
cmp -s page.1 expected.1 || fail "$what: the file holds something else"

# ---- closed pipe: the reader wants no more, so nothing is said; ended as SIGPIPE ends a program
mkfifo pipe
exec 3<>pipe 4>pipe 3<&- # a writing end, and no reader any more
for arguments in manual "manual --json" "workload export resnet50" "workload show resnet50"; do
    code=0
    # shellcheck disable=SC2086 # words of a command line
    "$scantle" $arguments >&4 2>err || code=$?
    what="scantle $arguments > closed pipe"
    expect 141
    quiet err
done
exec 4>&-

# ---- files that -o cannot write
run manual -o nowhere/page.1
((code == 1 || code == 4)) || fail "$what: exit code $code"
says err "nowhere/page.1"
run manual -o .
((code == 1 || code == 4)) || fail "$what: exit code $code"

# ---- and known before anything is searched for: no result goes to standard output either
for words in "map tpu-v3 efficientnet-b0 --save" "map tpu-v3 resnet50 --op conv1 --picture" \
    "validate -o" "systolic topology.csv -o" "calibrate table.csv --target a -o"; do
    run $words nowhere/file
    ((code == 1 || code == 4)) || fail "$what: exit code $code"
    quiet out
    says err "nowhere/file"
done

# ---- a limit on the size of files is an error like a full disk, not a signal
small_network
cat >limited.yaml <<'END'
version: 1
name: limited
template: fast
networks: [net.yaml]
objectives: [perf_per_tdp]
budget: {trials: 500}
END
code=0
(ulimit -f 100 && exec "$scantle" search limited.yaml --db limited.db -q) >out 2>err || code=$?
what="scantle search with a limit on the size of files"
expect 5
says err "limited.db"
run db verify --db limited.db
expect 0
code=0
(ulimit -f 1 && exec "$scantle" manual -o limited.1) >out 2>err || code=$?
what="scantle manual -o with a limit on the size of files"
expect 1
says err "limited.1"
[[ ! -e limited.1 ]] || fail "$what: a part of the file stands"

# ---- what stands at -o survives a failure, and no temporary file stays
ls -A | grep -q tmp && fail "temporary files are left: $(ls -A)"

finish
