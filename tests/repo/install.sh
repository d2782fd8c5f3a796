#!/usr/bin/env bash
# Installs the build to a folder of its own, moves that, then builds and runs a consumer of the
# library by find_package and by pkg-config, and the installed program.
# Usage: install.sh SOURCE_DIR BUILD_DIR C_COMPILER C_FLAGS
set -euo pipefail
source_dir=$1 build_dir=$2 cc=$3 flags=$4
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cmake --install "$build_dir" --prefix "$tmp/first" >"$tmp/log"
prefix="$tmp/moved here"
mv "$tmp/first" "$prefix"

mkdir "$tmp/consumer"
cp "$source_dir/tests/repo/consumer.c" "$tmp/consumer/"
cat >"$tmp/consumer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C)
find_package(scantle 0.1 REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE scantle::scantle)
END
cmake -S "$tmp/consumer" -B "$tmp/consumer/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" >>"$tmp/log"
cmake --build "$tmp/consumer/build" >>"$tmp/log" || {
    cat "$tmp/log"
    exit 1
}
data=() # a shared library finds its data itself
[[ -n $(find "$prefix" -name libscantle.a) ]] && data=("$prefix/share/scantle")
"$tmp/consumer/build/consumer" "${data[@]}"
echo "consumer by find_package: runs"

pc=$(find "$prefix" -name scantle.pc)
export PKG_CONFIG_PATH=${pc%/scantle.pc}
static=()
[[ -e ${pc%/pkgconfig/scantle.pc}/libscantle.a ]] && static=(--static)
eval "words=($(pkg-config "${static[@]}" --cflags --libs scantle))" # quoted as for a shell
# shellcheck disable=SC2086 # several flags
"$cc" $flags "$tmp/consumer/consumer.c" -o "$tmp/by-pkg-config" "${words[@]}"
LD_LIBRARY_PATH=${pc%/pkgconfig/scantle.pc} "$tmp/by-pkg-config" "${data[@]}"
echo "consumer by pkg-config: runs"

"$prefix/bin/scantle" --version
"$prefix/bin/scantle" design show tpu-v3 >"$tmp/log"
rm "$prefix/share/scantle/platforms/tpu-v3.yaml" # it finds its own data files, not those of the source folder
if "$prefix/bin/scantle" design show tpu-v3 >"$tmp/log" 2>&1; then
    echo "FAILED: the installed program reads the source folder's files"
    exit 1
fi
echo "installed program: finds its data files"
