#!/usr/bin/env bash
# Line coverage of the compiler by the quick tests and by compiling the models of the cases, for each folder. Fails below the thresholds: import and
# sanitized text 95 %, the whole compiler 90 %.
# usage: tests/coverage.sh   BUILD_DIR: default build/coverage. Uncovered lines: BUILD_DIR/uncovered.txt
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build/coverage}

. "$root/tests/packages.sh"
install_packages $BUILD_PACKAGES $TEST_PACKAGES

# Workers and the children of tests end by _exit, which would lose their counts.
mkdir -p "$build"
cat >"$build/exit.c" <<'C'
void __gcov_dump(void);
void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) {
  __gcov_dump();
  __real__exit(code);
}
C
gcc -c "$build/exit.c" -o "$build/exit.o"

cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=None -DONNXC_BUILD_TESTS=ON \
  -DCMAKE_CXX_FLAGS="-O0 --coverage -fprofile-update=atomic" \
  -DCMAKE_EXE_LINKER_FLAGS="-Wl,--wrap=_exit $build/exit.o" \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
cmake --build "$build" --target onnxc unit_tests
find "$build" -name '*.gcda' -delete

# Models are only compiled to source: what that runs of the compiler needs no run of the result.
compile_models() {
  local models=$build/models out=$build/compiled
  "$build/onnxc" verify "$root/tests/conformance/cases" --export "$models" >/dev/null 2>&1 || true
  mkdir -p "$out"
  find -L "$models" /usr/share/libonnx-testdata/data/node -name model.onnx -print0 2>/dev/null |
    timeout 3600 xargs -0 -P "$(nproc)" -I{} \
      sh -c 'timeout 60 "$1" -q "$2" -o "$3/$$/m" >/dev/null 2>&1; rm -rf "$3/$$"' - "$build/onnxc" {} "$out" ||
    true
}

# Faults run every command hundreds of times over and add no lines. What a time limit ends leaves no
# counts: the unit tests have none.
run_tests() {
  "$build/unit_tests" >"$build/unit_tests.log" 2>&1 || true
  (cd "$build" && timeout 3600 ctest -j"$(nproc)" -R '^(conformance_own|cli|devices|gradient|text|training)' -E 'golden_compiles|generated_code') || true
}

compile_models
run_tests
python3 "$root/tests/coverage.py" "$root" "$build"
