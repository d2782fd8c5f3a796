#!/usr/bin/env bash
# Runs every `$ scantle ...` line of README's console blocks, in order, in one fresh folder, and compares
# what it prints with what README says. A line `...` stands for any lines. Pictures that it draws must be
# those of the same name in docs/pictures. Usage: readme.sh SOURCE PROGRAM
set -euo pipefail
source_dir=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$program" "$work/bin/scantle"
export PATH="$work/bin:$PATH" SCANTLE_DATA_DIR="$source_dir/configs" NO_COLOR=1
unset SCANTLE_DB
cd "$work"
mkdir bench
cp -r "$source_dir/configs" .
cp -r "$source_dir/bench/peers" bench/

# check EXPECTED ACTUAL: lines equal, blanks at line ends apart; `...` matches any run of lines.
check() {
    awk 'NR == FNR { want[++n] = $0; next } { got[++m] = $0 }
         function trim(s) { sub(/[ \t]+$/, "", s); return s }
         function same(i, j,   k) {
             if (i > n) return j > m
             if (want[i] == "...") {
                 for (k = j; k <= m + 1; k++) if (same(i + 1, k)) return 1
                 return 0
             }
             return j <= m && trim(want[i]) == trim(got[j]) && same(i + 1, j + 1)
         }
         END {
             while (m && trim(got[m]) == "") m--
             while (n && trim(want[n]) == "") n--
             exit !same(1, 1)
         }' "$1" "$2"
}

commands=0 failed=0
run_pending() {
    [[ -n $command ]] || return 0
    commands=$((commands + 1))
    bash -c "$command" >out 2>&1 </dev/null || true
    if ! check expected out; then
        failed=$((failed + 1))
        printf 'README differs for: %s\n--- README\n%s\n--- printed\n%s\n' "$command" \
            "$(cat expected)" "$(cat out)"
    fi
    command=
}

inside=0 command=
while IFS= read -r line; do
    case $line in
    '```console') inside=1 ;;
    '```')
        ((inside)) && run_pending
        inside=0
        ;;
    '$ '*)
        if ((inside)); then
            run_pending
            command=${line#'$ '}
            : >expected
        fi
        ;;
    *) ((inside)) && printf '%s\n' "$line" >>expected ;;
    esac
done <"$source_dir/README.md"

for shown in "$source_dir"/docs/pictures/*.svg; do
    drawn=${shown##*/}
    if [[ -f $drawn ]] && ! cmp -s "$drawn" "$shown"; then
        failed=$((failed + 1))
        printf '%s is not what README draws\n' "docs/pictures/$drawn"
    fi
done
printf '%d commands of README run, %d differ\n' "$commands" "$failed"
((commands > 0 && failed == 0))
