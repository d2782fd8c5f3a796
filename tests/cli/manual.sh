#!/usr/bin/env bash
# docs/manual.md is what the program prints; the manual page renders.
source "$(dirname "$0")/common.sh"

run manual -f markdown
expect 0
diff -u "$source_dir/docs/manual.md" out >difference || {
    fail "docs/manual.md is out of date: scantle manual -f markdown -o docs/manual.md"
    head -n 30 difference
}
run manual
expect 0
says out ".TH SCANTLE 1"
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z out 2>warnings || fail "the manual page does not render"
    [[ ! -s warnings ]] || { fail "the manual page has warnings"; head -n 5 warnings; }
fi
run manual --json
expect 0
value manual >/dev/null

finish
