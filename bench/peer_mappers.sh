#!/usr/bin/env bash
# Another mapper and ours on the same problems: optima, times, and the other's mapping counted here.
# Usage: bench/peer_mappers.sh FOLDER SCANTLE [--case NAME] [--goal energy|delay|edp] [--runs N]
#     [--jobs N] [--loops]
# FOLDER is made outside the checkout; the peer is installed there, by the Python registry's client,
# in a virtual environment that stays for the next run. PYTHON names an interpreter, 3.12 or newer.
set -euo pipefail
version=1.0.467
here=$(cd "$(dirname "$0")" && pwd)
folder=$(realpath -m "${1:?folder outside the checkout}")
scantle=$(realpath "${2:?path of the program}")
shift 2
case $folder/ in
"$(dirname "$here")"/*)
    echo "$folder lies in the checkout; name one outside" >&2
    exit 2
    ;;
esac
python=${PYTHON:-python3}
if ! "$folder/venv/bin/python" -c "import accelforge" 2>/dev/null; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || {
        echo "the peer needs Python 3.12 or newer; name one in PYTHON" >&2
        exit 2
    }
    mkdir -p "$folder"
    "$python" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet "accelforge==$version"
fi
cd "$folder" # the peer writes files into its working directory
exec "$folder/venv/bin/python" -W ignore "$here/peers/compare.py" "$scantle" "$@"
