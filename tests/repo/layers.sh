#!/usr/bin/env bash
# The layer check on small copies of a tree: a sound one configures, and each kind of forbidden
# include or use stops the configure step with its message. Usage: layers.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0

# A sound tree: core, model/arch over it, search beside it, the program on top.
sound_tree() {
    rm -rf "$tmp/tree"
    mkdir -p "$tmp/tree"/{core,model/arch,search,cli,include/scantle}
    cd "$tmp/tree"
    echo 'int sc_core(void);' >core/core.h
    echo 'typedef int sc_status;' >include/scantle/error.h
    printf '#include "core/core.h"\n#include "scantle/error.h"\n#include <stdio.h>\n' >core/core.c
    printf '#include "model/arch/arch.h"\n#include "core/core.h"\n' >model/arch/arch.c
    touch model/arch/arch.h search/problem.h search/study.h
    printf '#include "core/core.h"\n#include "search/problem.h"\n' >search/opt_random.c
    printf '#include <scantle/error.h>\n' >cli/main.c
    cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(tree LANGUAGES C)
include("$source_dir/cmake/Layers.cmake")
scantle_layer(core LEVEL 0 SOURCES core/core.c)
scantle_layer(model/arch LEVEL 2.0 SOURCES model/arch/arch.c USES core)
scantle_layer(search LEVEL 3 SOURCES search/opt_random.c USES core)
scantle_check_layers()
END
}

# expect 'MESSAGE' or expect sound: configure the tree as it stands now.
expect() {
    local said=configured
    if cmake -S . -B "$tmp/build" -G Ninja >"$tmp/log" 2>&1; then
        [[ $1 == sound ]] && return
    else
        said=$(tr -s ' \n' ' ' <"$tmp/log") # cmake breaks its messages into lines
        [[ $1 != sound && $said == *"$1"* ]] && return
    fi
    printf 'FAILED: expected: %s\n  got: %s\n' "$1" "$said"
    failures=1
}

sound_tree
expect sound

sound_tree
sed -i '1i #include "model/arch/arch.h"' core/core.c
expect 'core/core.c: includes model/arch/ but core/ does not declare USES model/arch'

sound_tree
sed -i '1i #  include <search/study.h>' core/core.h
expect 'core/core.h: includes search/ but core/ does not declare USES search'

sound_tree
sed -i '1i #include "../search/study.h"' core/core.c
expect 'name headers by folder, without ..'

sound_tree
sed -i 's|core/core.c)|core/core.c USES search)|' CMakeLists.txt
expect 'core/ (level 0) may not use search/ (level 3)'

sound_tree
sed -i 's|arch.c USES core|arch.c USES core colour|' CMakeLists.txt
expect 'model/arch/ declares USES colour, which is no layer'

sound_tree
sed -i '1i #include "core/core.h"' cli/main.c
expect 'cli/main.c: includes core/ but cli/ does not declare USES core'

sound_tree
sed -i '1i #include "core/core.h"' include/scantle/error.h
expect 'include/scantle/error.h: includes core/'

sound_tree
sed -i '1i #include "search/study.h"' search/opt_random.c
expect 'includes search/study.h: an optimiser sees the problem'

exit $failures
