#!/usr/bin/env bash
# docs/firmware.md, block by block, and the example it is about.
# usage: docs_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cmake/check_projects.sh"
. "$source_dir/tests/docs/page.sh"
. "$source_dir/tests/firmware/boards.sh"
unset CXX CXXFLAGS

check "install" install_onnxc "$work/installed"
export ONNXC_ROOT=$work/installed ONNXC_SOURCE=$source_dir PATH=$work/installed/bin:$PATH
run_page "$source_dir/docs/firmware.md"

# The example: it builds, passes its self test and recognises every word.
runs_example() {
  cmake -S "$examples/keyword_spotting" -B example -G Ninja -Donnxc_DIR="$work/installed/lib/cmake/onnxc" \
    -DCMAKE_TOOLCHAIN_FILE="$examples/keyword_spotting/toolchain.cmake" &&
    cmake --build example && cmake --build example --target run >example.log 2>&1
}
heard_all() { [ "$(grep -cE 'said (.*), heard \1$' example.log)" = 6 ]; }
check "examples/keyword_spotting: builds and runs" runs_example
check "examples/keyword_spotting: its self test passes" grep -q 'self test: pass' example.log
check "examples/keyword_spotting: every word is recognised" heard_all
finish
