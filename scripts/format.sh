#!/usr/bin/env bash
# Formats the C files in place; with --check only says, as file:line, what would change.
source "$(dirname "$0")/common.sh"
how=(-i)
[[ ${1-} == --check ]] && how=(--dry-run --Werror)
find . \( -path ./.git -o -path ./build \) -prune -o -name '*.[ch]' -print0 |
    xargs -0 clang-format-14 "${how[@]}"
