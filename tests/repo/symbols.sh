#!/usr/bin/env bash
# The shared library shows exactly the functions that the public headers declare SC_API.
# Usage: symbols.sh SOURCE_DIR LIBRARY
set -euo pipefail
export LC_ALL=C
source_dir=$1 library=$2

declared=$(cat "$source_dir"/include/scantle/*.h |
    grep -v '^#define' | tr '\n' ' ' | sed 's|/\*|\n&|g; s|\*/|&\n|g' | grep -v '^/\*' | tr '\n' ' ' |
    grep -oE 'SC_API [^;(]*\(' | grep -oE 'sc_[a-z0-9_]+\($' | tr -d '(' | sort)
shown=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
[[ -n $declared && -n $shown ]]
if difference=$(diff <(printf '%s\n' "$declared") <(printf '%s\n' "$shown")); then
    echo "$(wc -l <<<"$shown") functions, as declared"
    exit 0
fi
sed -n 's/^< /declared SC_API, but not in the library: /p
        s/^> /in the library, but not declared SC_API: /p' <<<"$difference"
exit 1
