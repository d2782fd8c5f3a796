#!/usr/bin/env bash
# Installs the Debian packages of the named groups (build, test, ci, night) that are missing, and
# says which and why. Asks nothing, changes nothing when all is there.
source "$(dirname "$0")/common.sh"

missing=()
while read -r group package reason; do
    [[ -n $group && " $* " == *" $group "* ]] || continue
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] && continue
    say "needs $package: $reason"
    missing+=("$package")
done < <(sed 's/#.*//' scripts/packages.txt)
((${#missing[@]})) || exit 0

if ! command -v apt-get >/dev/null; then
    echo "no apt-get here: install what corresponds to the packages above, then run again" >&2
    exit 1
fi
as_root=()
if ((EUID != 0)); then
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
fi
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a \
        apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null
}
say "installing ${#missing[@]} packages"
apt update
apt install -y --no-install-recommends "${missing[@]}" >/dev/null
