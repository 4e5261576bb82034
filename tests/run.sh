#!/usr/bin/env bash
# Builds onnxc with its tests and runs them. Installs missing Debian packages when it may.
# usage: tests/run.sh [ctest arguments]      BUILD_DIR: default build/release
#   SLOW=1: larger samples of cases, more compilers and targets.   FULL=1: all cases, more sanitizers; takes hours.
#   NO_SKIP=1: a test that is skipped, for want of a package, counts as failed.
#   TIMES=1: instead, tests one at a time, and which have become slower than tests/times.tsv says.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build/release}

. "$root/tests/packages.sh"
install_packages $BUILD_PACKAGES $TEST_PACKAGES

sanitizers=address
[ -z "${FULL:-}" ] || sanitizers=address,undefined
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DONNXC_BUILD_TESTS=ON \
  -DONNXC_KERNEL_TEST_SANITIZERS=$sanitizers >/dev/null
cmake --build "$build"

[ -z "${TIMES:-}" ] || exec python3 "$root/tests/times.py" --build "$build" "$@"

log=$build/ctest.log
status=0
(cd "$build" && ctest --output-on-failure -j"$(nproc)" "$@") 2>&1 | tee "$log" || true
failed=$(sed -n 's/^[0-9]*% tests passed, \([0-9]*\) tests failed out of [0-9]*$/\1/p' "$log")
total=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\)$/\1/p' "$log")
skipped=$(grep -cE 'Test +#[0-9]+: .*\*\*\*Skipped' "$log" || true)
grep 'tests passed' "$log" || status=1
if [ -n "${NO_SKIP:-}" ]; then
  grep -E 'Test +#[0-9]+: .*\*\*\*Skipped' "$log" || true
  failed=$((${failed:-1} + skipped)) skipped=0
fi
[ "${failed:-1}" = 0 ] || status=1
skipped_packages
# Seconds of each test, the longest first.
sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*$/\2\t\1/p' "$log" | sort -rg >"$build/times.tsv"
echo "$((${total:-0} - ${failed:-0} - skipped)) passed, ${failed:-1} failed, $skipped skipped"
exit $status
