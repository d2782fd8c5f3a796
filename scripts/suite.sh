#!/usr/bin/env bash
# Builds one preset of CMakePresets.json and runs its tests. Usage: suite.sh PRESET [ctest argument...]
source "$(dirname "$0")/common.sh"
build "$1"
say "testing ($1)"
ctest --preset "$1" -j "$jobs" "${@:2}"
