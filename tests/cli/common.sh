# Sourced by the tests of the program: runs it in an empty folder and compares what it does.
# Usage of each test: NAME.sh PROGRAM JSON-READER SOURCE-DIR
set -uo pipefail
scantle=$1 json=$2 source_dir=$3
tmp=$(mktemp -d)
failures=$(mktemp) # a file, since fail may stand in a subshell
# A script that forgets to finish fails all the same.
trap 'code=$?; [[ ! -s $failures ]] || code=1; rm -rf "$tmp" "$failures"; exit "$code"' EXIT
cd "$tmp" || exit 1
unset SCANTLE_DB SCANTLE_DATA_DIR NO_COLOR
export LC_ALL=C.UTF-8

fail() { printf 'FAILED: %s\n' "$*" | tee -a "$failures" >&2; }

# run ARGUMENT...: the program; leaves $code and the files out and err.
run() {
    code=0
    "$scantle" "$@" >out 2>err </dev/null || code=$?
    what="scantle $*"
}

# expect CODE: the exit code of the last run.
expect() {
    ((code == $1)) && return
    fail "$what: exit code $code, not $1"
    head -n 5 out err >&2
}

# says FILE TEXT: the file holds the text. says_not: it does not.
says() { grep -qF -- "$2" "$1" || { fail "$what: $1 lacks: $2"; head -n 20 "$1" >&2; }; }
says_not() { ! grep -qF -- "$2" "$1" || fail "$what: $1 holds: $2"; }

# quiet FILE: the file is empty.
quiet() { [[ ! -s $1 ]] || { fail "$what: $1 is not empty"; head -n 5 "$1" >&2; }; }

# value PATH: the value at a dotted path of the JSON in out; fails if out is no JSON or lacks it.
value() { "$json" out "$1" 2>/dev/null || fail "$what: no JSON value at $1"; }

# is PATH VALUE: compares it.
is() {
    local found
    found=$("$json" out "$1" 2>/dev/null) || { fail "$what: no JSON value at $1"; return; }
    [[ $found == "$2" ]] || fail "$what: $1 is $found, not $2"
}

# small_network: net.yaml, a network that takes no time to evaluate.
small_network() {
    cat >net.yaml <<'END'
version: 1
name: net
inputs: {image: {height: 12, width: 12, channels: 3}}
ops:
  - {name: a, kind: conv, inputs: [image], channels: 16, kernel: [3, 3], padding: same}
  - {name: b, kind: conv, inputs: [a], channels: 32, kernel: [1, 1]}
END
}

finish() {
    [[ ! -s $failures ]] || exit 1
    echo "passed"
}
