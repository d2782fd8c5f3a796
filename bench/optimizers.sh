#!/usr/bin/env bash
# Every built-in optimiser on test functions and recorded tables, and public ones beside them: one
# table of medians and quartiles. docs/benchmarks.md says what is measured and how.
# Usage: bench/optimizers.sh FOLDER BENCH_OPTIMIZERS [--peers] [--held] [--only PROBLEM]... [--seeds N]
#     [--optimizer NAME]... [--at N,N,...]
# FOLDER is made outside the checkout and keeps the figures of the peers for the next run; ours are
# measured anew. --held takes the functions held back in place of all others, and keeps files of
# their own. With --peers public optimisers are installed there, in a virtual environment, by the
# Python registry's client. PYTHON names an interpreter, 3.10 or newer. Recorded tables are those of
# bench/tables whose data is there: SCANTLE_DATA or ../shared/data beside the checkout.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -m "${1:?folder outside the checkout}")
bench=$(realpath "${2:?path of bench_optimizers}")
shift 2
case $folder/ in
"$(dirname "$here")"/*)
    echo "$folder lies in the checkout; name one outside" >&2
    exit 2
    ;;
esac
peers=0 held=0 seeds=10 at=50,100,200,500 only=() optimizers=()
while (($# > 0)); do
    case $1 in
    --peers) peers=1 ;;
    --held) held=1 ;;
    --only) only+=("${2:?problem}"); shift ;;
    --optimizer) optimizers+=(-o "${2:?name}"); shift ;;
    --seeds) seeds=${2:?number}; shift ;;
    --at) at=${2:?numbers}; shift ;;
    *)
        echo "unknown argument $1" >&2
        exit 2
        ;;
    esac
    shift
done
mkdir -p "$folder/tables"

# The studies of recorded tables, told where the data lies; those without it are named and left out.
data=$(realpath -m "${SCANTLE_DATA:-$here/../../shared/data}")
problems=() wanted=problem suffix=
if ((held)); then
    wanted=held suffix=-held
fi
for file in "$here"/tables/*.yaml; do
    own=$folder/tables/${file##*/}
    sed "s|table: ../../../shared/data/|table: $data/|" "$file" >"$own"
    ((held)) && continue
    if [[ -e $(sed -n 's/^  table: //p' "$own") ]]; then
        problems+=("$own")
    else
        echo "SKIPPED: no data for ${file##*/} in $data" >&2
    fi
done
while read -r kind name; do
    [[ $kind == "$wanted" ]] && problems+=("$name")
done < <("$bench" list)
chosen=()
for problem in "${problems[@]}"; do
    name=$(basename "$problem" .yaml)
    [[ ${#only[@]} -eq 0 || " ${only[*]} " == *" $name "* ]] && chosen+=("$problem")
done
[[ ${#chosen[@]} -gt 0 ]] || {
    echo "no problem of that name" >&2
    exit 2
}

arguments=()
for problem in "${chosen[@]}"; do
    arguments+=(-p "$problem")
done
"$bench" run "${arguments[@]}" "${optimizers[@]}" -s "$seeds" -a "$at" >"$folder/ours$suffix.csv"

if ((peers)); then
    packages=(optuna==5.0.0 pymoo==0.6.2)
    python=${PYTHON:-python3}
    if ! "$folder/venv/bin/python" -c "import optuna, pymoo" 2>/dev/null; then
        echo "installing ${packages[*]} and what they need into $folder/venv" >&2
        "$python" -m venv "$folder/venv"
        "$folder/venv/bin/pip" install --quiet "${packages[@]}"
    fi
    arguments=()
    for problem in "${chosen[@]}"; do
        arguments+=(--problem "$problem")
    done
    "$folder/venv/bin/python" "$here/peers/optimizers.py" "$bench" "$folder/peers$suffix.csv" \
        "${arguments[@]}" --seeds "$seeds" --at "$at"
fi
results=("$folder/ours$suffix.csv")
[[ -e $folder/peers$suffix.csv ]] && results+=("$folder/peers$suffix.csv")
"$bench" table -a "$at" "${results[@]}"
