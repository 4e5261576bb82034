#!/usr/bin/env bash
# Builds onnxc with its tests and runs them. Installs missing Debian packages when it may.
# usage: tests/run.sh [ctest arguments]      BUILD_DIR: default build/release
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build/release}

. "$root/tests/packages.sh"
install_packages $BUILD_PACKAGES $TEST_PACKAGES

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DONNXC_BUILD_TESTS=ON >/dev/null
cmake --build "$build"

log=$build/ctest.log
status=0
(cd "$build" && ctest --output-on-failure -j"$(nproc)" "$@") 2>&1 | tee "$log" || true
failed=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$log")
total=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\)$/\1/p' "$log")
grep 'tests passed' "$log" || status=1
[ "${failed:-1}" = 0 ] || status=1
echo "$((${total:-0} - ${failed:-0})) passed, ${failed:-1} failed"
exit $status
