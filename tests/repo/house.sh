#!/usr/bin/env bash
# scripts/check_house.sh on a small tree: silent when it is sound, and each fault is found at its
# line. Usage: house.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

sound_tree() {
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree"/{scripts,core,include/scantle,docs,tests/rooms}
    cd "$tmp/tree"
    cp "$source_dir"/scripts/{common.sh,check_house.sh,check_house.awk} scripts/
    echo '# A page' >docs/page.md
    echo 'scantle_layer(core LEVEL 0 SOURCES a.c mem.c)' >core/CMakeLists.txt
    echo 'scantle_test(a USES core)' >tests/rooms/core.cmake
    echo 'int main(void);' >tests/test_a.c
    printf '/* malloc() here */\nvoid *sc_malloc(size_t n)\n{\n    return malloc(n);\n}\n' >core/mem.c
    printf '/* see docs/page.md; never free() this */\nchar *x = "printf(1) /* \\" abort()";\n' >core/a.c
    printf '#include <stdint.h>\n#include "scantle/b.h"\n' >include/scantle/a.h
}

# expect 'LINE' or expect sound: what the check prints, whole.
expect() {
    local said=sound
    said=$(bash scripts/check_house.sh 2>&1) && [[ -z $said ]] && said=sound
    [[ $said == "$1" ]] && return
    printf 'FAILED: expected: %s\n  got: %s\n' "$1" "$said"
    failures=1
}

sound_tree
expect sound

sound_tree
echo '    char *copy = malloc(3);' >>core/a.c
expect './core/a.c:3: malloc() outside core/mem.c: allocate through sc_malloc and its family'

sound_tree
echo '    free(copy); /* a' >>core/a.c
expect './core/a.c:3: free() outside core/mem.c: allocate through sc_malloc and its family'

sound_tree
echo '    free(copy); /* house: the C library allocated it */' >>core/a.c
expect sound

sound_tree
echo '    sc_free(a), item->free(b), v.free(c); fputs("", stderr);' >>core/a.c
expect './core/a.c:3: the library never prints or reads its environment'

sound_tree
echo '#pragma omp parallel for reduction(+ : sum)' >>core/a.c
expect './core/a.c:3: an OpenMP reduction depends on the thread count: combine in index order'

sound_tree
{ echo 'int f(void)' && echo '{' && printf '    g();\n%.0s' {1..61} && echo '}'; } >>core/a.c
expect './core/a.c:4: function of 61 lines passes 60'

sound_tree
printf 'int f(void);\n%.0s' {1..599} >>core/a.c
expect './core/a.c:601: file passes 600 lines'

sound_tree
printf '/* %0100d */\n' 0 >>core/a.c
expect './core/a.c:3: line passes 100 columns'

sound_tree
printf '/* %085d éééééééé */\n' 0 >>core/a.c
expect sound

sound_tree
printf '#include <gsl/gsl_rng.h>\n' >>include/scantle/a.h
expect './include/scantle/a.h:3: a public header includes only <stddef.h>, <stdint.h>, <stdbool.h> and scantle/'

sound_tree
note='TO''DO' # written so that the check does not find it in this file
echo "/* $note: later */" >>core/a.c
echo "/* $note(#12): later */" >>core/a.c
expect "./core/a.c:3: open end without an issue number, as (#12): /* $note: later */"

sound_tree
place=/wo''rk/shared
echo "see $place" >>docs/page.md
expect "./docs/page.md:2: path of one machine: see $place"

sound_tree
touch core/b.c
expect './core/b.c:1: is built by no list (./core/CMakeLists.txt)'

sound_tree
touch tests/test_b.c
expect './tests/test_b.c:1: is built by no list (tests/rooms/*.cmake)'

sound_tree
page=docs/absent.md
echo "See $page." >>docs/page.md
expect "./docs/page.md:2: names $page, which does not exist"

exit $failures
