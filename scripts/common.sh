# Sourced by the other scripts: strict mode, the repository's top as working folder, core count.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8
jobs=$(nproc)

say() { printf '== %s\n' "$*"; }

# build PRESET [cmake argument...]: configure and build one preset of CMakePresets.json.
build() {
    local preset=$1
    shift
    say "building ($preset)"
    mkdir -p "build/$preset"
    cmake --preset "$preset" "$@" >"build/$preset/configure.log" 2>&1 || {
        cat "build/$preset/configure.log"
        return 1
    }
    cmake --build --preset "$preset" -j "$jobs" -- --quiet
}
