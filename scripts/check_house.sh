#!/usr/bin/env bash
# House rules that no compiler checks; prints file:line: what is wrong, and fails if anything is.
# One file at a time: check_house.awk. Across files: what stands here.
source "$(dirname "$0")/common.sh"
export LC_ALL=C # awk counts bytes
bad=0

# find_files NAME-PATTERN...: our files of those names, built and foreign ones left out.
find_files() {
    local names=()
    for pattern in "$@"; do
        names+=(-o -name "$pattern")
    done
    find . \( -path ./.git -o -path ./build \) -prune -o -type f \( "${names[@]:1}" \) -print0 |
        sort -z
}

# complain MESSAGE: reads file:line:text from grep, prints file:line: MESSAGE: text.
complain() {
    local found
    found=$(sed -E "s|^([^:]+:[0-9]+):[[:space:]]*|\1: $1: |")
    [[ -z $found ]] && return
    printf '%s\n' "$found"
    bad=1
}

check_c_files() {
    find_files '*.c' '*.h' | xargs -0 awk -f scripts/check_house.awk || bad=1
}

# A note for later must say where it is followed up; a path of one machine works nowhere else.
check_texts() {
    local texts=('*.c' '*.h' '*.cmake' CMakeLists.txt '*.sh' '*.awk' '*.md' '*.yaml' '*.json' run)
    complain 'open end without an issue number, as (#12)' < <(
        find_files "${texts[@]}" | grep -zv '/check_house\.' |
            xargs -0 grep -nE '\b(TODO|FIXME|XXX|HACK)\b' | grep -vE '(TODO|FIXME)\(#[0-9]+\)')
    complain 'path of one machine' < <(
        find_files "${texts[@]}" | grep -zv '/check_house\.' |
            xargs -0 grep -nE '(^|[^A-Za-z0-9_.>$}/-])/(home|root|work|tmp|opt|Users)/')
}

# Every C file is built, and every named one exists (CMake itself fails on the latter).
check_lists() {
    local file folder list name
    while IFS= read -r -d '' file; do
        folder=$(dirname "$file")
        case $file in
        ./tests/test_*.c) list="tests/rooms/*.cmake"; name=$(basename "$file" .c); name=${name#test_} ;;
        ./tests/fuzz/fuzz_*.c) list="tests/rooms/*.cmake"; name=$(basename "$file" .c); name=${name#fuzz_} ;;
        ./bench/bench_*.c) list="bench/rooms/*.cmake"; name=$(basename "$file" .c); name=${name#bench_} ;;
        ./tests/* | ./bench/*) list="tests/CMakeLists.txt tests/rooms/*.cmake tests/repo/*.sh bench/rooms/*.cmake"
            name=$(basename "$file") ;;
        *) list="$folder/CMakeLists.txt"; name=$(basename "$file") ;;
        esac
        # shellcheck disable=SC2086 # the lists are patterns of ours
        grep -qsE "(^|[ (/])${name//./\\.}([ )]|$)" $list || {
            echo "$file:1: is built by no list ($list)"
            bad=1
        }
    done < <(find_files '*.c')
}

# Pages that code, configs and pages name must exist.
check_pages() {
    local file line page
    while IFS=: read -r file line page; do
        [[ -e $page ]] && continue
        echo "$file:$line: names $page, which does not exist"
        bad=1
    done < <(find_files '*.c' '*.h' '*.md' '*.yaml' '*.cmake' CMakeLists.txt '*.sh' |
        grep -zv '/repo/house\.sh$' | xargs -0 grep -noE 'docs/[A-Za-z0-9_/-]+\.(md|svg|png|html)')
}

check_c_files
check_texts
check_lists
check_pages
exit $bad
