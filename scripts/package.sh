#!/usr/bin/env bash
# Makes the Debian package of the release build and checks what it holds and depends on.
source "$(dirname "$0")/common.sh"
build release -DSCANTLE_TESTS=ON -DSCANTLE_BENCH=ON
say "packaging"
rm -f build/release/*.deb
(cd build/release && cpack -G DEB >cpack.log) || {
    cat build/release/cpack.log
    exit 1
}
deb=$(find build/release -maxdepth 1 -name 'scantle_*.deb')
contents=$(dpkg-deb --contents "$deb")
for file in bin/scantle libscantle.so.0 include/scantle/error.h scantle.pc scantle-config.cmake; do
    grep -q "/$file" <<<"$contents" || {
        echo "the package lacks $file" >&2
        exit 1
    }
done
dpkg-deb --field "$deb" Package Version Architecture Depends
