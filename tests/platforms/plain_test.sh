#!/usr/bin/env bash
# Without the vector extensions of GCC and Clang, kernels give what they give with them: integers bit by bit, floats
# within 2e-6 of the largest element, for the models of tests/firmware/sweep.txt.
# usage: plain_test.sh ONNXC WORK_DIR
# Every eighth of them, with SLOW=1 every third, with FULL=1 all.
. "$(dirname "$0")/../cli/check.sh"
sweep=$source_dir/tests/firmware/sweep.py suite=/usr/share/libonnx-testdata/data/node
needs onnx numpy
[ -d "$suite" ] || { echo "skipped: needs libonnx-testdata"; exit 77; }

build_and_run() { # folder, compiler and flags
  mkdir -p "$1"
  # shellcheck disable=SC2086
  $2 -std=c++17 -Wall -Wextra -Werror -ffp-contract=off -O1 -I. "$source_dir/tests/firmware/sweep_run.cpp" sweep.cpp \
    -o "$1/sweep" && (cd "$1" && ./sweep)
}

"$onnxc" verify --export own "$case_files" "$source_dir/tests/firmware/sweep.case" 2>export.log
list=$source_dir/tests/firmware/sweep.txt
grep -vE '^(#|without)' "$list" | awk -v every="$(level 8 3 1)" '(NR - 1) % every == 0' >some.txt
list=$work/some.txt
check "the cases become a model" "$python" "$sweep" merge "$work/groups" 1 "$list" own "$suite"
cd groups/0
check "onnxc" "$onnxc" sweep.onnx -o sweep --no-heap -q
check "with extensions" build_and_run vectors g++
compilers=g++
! slow || ! installed clang++ || compilers="g++ clang++"
for compiler in $compilers; do
  check "$compiler without" build_and_run "plain-$compiler" "$compiler -DONNXC_NO_VECTOR_EXTENSIONS"
  check "$compiler: the same results" "$python" "$sweep" compare . vectors/results.bin "plain-$compiler/results.bin"
done
finish
