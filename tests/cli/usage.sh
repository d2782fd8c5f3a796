#!/usr/bin/env bash
# The command line itself: help, options, suggestions, exit codes.
source "$(dirname "$0")/common.sh"

# ---- help of every command: usage, options, an example; nothing on standard error
run manual -f markdown
expect 0
mapfile -t commands < <(sed -nE 's/^##+ `scantle (.*)`$/\1/p' out)
((${#commands[@]} >= 20)) || fail "the manual lists only ${#commands[@]} commands"
for command in "" "${commands[@]}"; do
    # shellcheck disable=SC2086 # one or two words
    run $command --help
    expect 0
    quiet err
    says out "Usage: scantle"
    says out "--json"
    [[ $(sed -n '/^Examples:/,$p' out | grep -c 'scantle') -gt 0 ]] || fail "$what: no example"
    awk 'length($0) > 100 { exit 1 }' out || fail "$what: a line passes 100 columns"
    # shellcheck disable=SC2086
    run $command -h
    expect 0
done

# ---- no command, wrong command, wrong option: usage goes to standard error, exit code 4
run
expect 4
quiet out
says err "scantle: error: a command is missing"
says err "Try 'scantle --help'"
run evalute tpu-v3 resnet50
expect 4
says err "unknown command 'evalute' (did you mean 'evaluate'?)"
run workload shwo resnet50
expect 4
says err "unknown command 'shwo' (did you mean 'show'?)"
run workload
expect 4
says err "a command is missing after workload"
run evaluate --jsn tpu-v3 resnet50
expect 4
quiet out
says err "unknown option '--jsn' (did you mean '--json'?)"
says err "Try 'scantle evaluate --help'"
run evaluate --zzzzzz=1 a b
expect 4
says err "unknown option '--zzzzzz'"
run evaluate -Z a b
expect 4
says err "unknown option '-Z'"
run --js evaluate a b # abbreviations are no options
expect 4
says err "unknown option '--js'"

# ---- every mistake of a command line in one run
run evaluate --jsn -j x --color pink a b c
expect 4
says err "--jsn"
says err "--threads: 'x' is not a whole number"
says err "--color: no such choice 'pink'"
says err "unexpected argument 'c'"

# ---- values
run evaluate tpu-v3
expect 4
says err "WORKLOAD is missing"
run evaluate --batch
expect 4
says err "--batch needs a value"
run evaluate --json=yes a b
expect 4
says err "--json takes no value"
for number in -1 1.5 1e3 '' ' 1' 0x10 18446744073709551616 99999999999999999999; do
    run evaluate --seed="$number" a b
    expect 4
    says err "--seed: '$number' is not a whole number"
done
run --seed=18446744073709551615 manual
expect 0
run -j 1025 manual
expect 4
says err "--threads: 1025 is not within 0 to 1024"
run evaluate -b 0 a b
expect 4
says err "--batch: 0 is less than 1"
run completion bsh
expect 4
says err "SHELL: no such choice 'bsh' (did you mean 'bash'?)"

# ---- forms: a cluster, a value in the word or after it, options before and after the command, --
run -qvj2 manual -fmarkdown
expect 0
cp out first
run manual -j 2 --format=markdown -q -v
expect 0
cmp -s out first || fail "the forms of options differ"
run completion -- bash
expect 0
run completion -- --json
expect 4
says err "SHELL: no such choice '--json'"

# ---- -C, and what it says of a folder that is none
mkdir sub
run -C sub manual -o here.1
expect 0
quiet out
[[ -s sub/here.1 ]] || fail "-C did not change the folder"
run -C nowhere manual
expect 4
says err "cannot change to 'nowhere'"

# ---- colour: none in a file, some if forced, none again under NO_COLOR unless forced
escape=$(printf '\033')
run nonsense
says_not err "$escape"
run --color=always manual --nonsense
says_not err "$escape" # settled before the option is read
run --color always design list
expect 0
says out "$escape[1m"
NO_COLOR=1 run --color auto design list
says_not out "$escape"
NO_COLOR=1 run --color always design list
says out "$escape[1m"

# ---- a hostile word cannot write to the terminal
run "$(printf 'x\033[31m\nscantle: error: fake')"
expect 4
says_not err "$escape"
[[ $(grep -c '^scantle: error' err) == 1 ]] || fail "a line end in a word makes a second message"

# ---- version
run --version
expect 0
says out "scantle $(sed -nE 's/^project\(scantle VERSION ([0-9.]+).*/\1/p' "$source_dir/CMakeLists.txt") "
says out "schema"
says out "sqlite"
run --version --json
expect 0
value version >/dev/null
value schema >/dev/null
value model_version >/dev/null
value libraries >/dev/null

finish
