#!/usr/bin/env bash
# clang-tidy and cppcheck over the library and the program, or clang-tidy over the files named.
source "$(dirname "$0")/common.sh"
# Configuring gives the compile commands; of what is built only the generated headers are needed.
mkdir -p build/clang
cmake --preset clang >build/clang/configure.log
cmake --build --preset clang --target scantle_commit scantle_onnx_schema -- --quiet

if (($#)); then
    files=("$@")
else
    mapfile -t files < <(find cli core floorplan flow model placement report search store surrogate tests/fuzz workloads -name '*.c')
fi
say "clang-tidy: ${#files[@]} files"
failed=0
printf '%s\0' "${files[@]}" |
    xargs -0 -P "$jobs" -n 2 clang-tidy-14 -p build/clang --quiet >build/clang/tidy.log 2>&1 ||
    failed=1
grep -vE '^[0-9]+ warnings? (generated|treated)|^Suppressed' build/clang/tidy.log || true
(($#)) && exit $failed

say "cppcheck"
cppcheck -I . -I include -j "$jobs" --quiet --std=c11 \
    --inline-suppr --error-exitcode=1 --template=gcc --enable=warning,performance,portability \
    --library=sqlite3,scripts/cppcheck.cfg --suppress=missingIncludeSystem "${files[@]}" || failed=1
exit $failed
