#!/usr/bin/env bash
# Models with sizes that data decide run without a heap: by bounds that onnxc finds, and by those of --dim.
. "$(dirname "$0")/check.sh"

models=$source_dir/tests/cli/no_heap.case
strict="-std=c++17 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror"
no_malloc() { ${CXX:-g++} $strict -c "$1.cpp" -o "$1.o" && ! nm -u "$1.o" | grep -E ' (malloc|free|calloc|_Zn|_Zd)'; }
"$onnxc" verify --export folders "$models" 2>export.log
awk '/^# options:/ { options = substr($0, 11) } /^=== / { print $2 options }' "$models" >list
while read -r name options; do
  # shellcheck disable=SC2086 # a list of options
  check "$name: right" "$onnxc" verify "$models:$name" -- --no-heap $options
  # shellcheck disable=SC2086
  check "$name: compiles" "$onnxc" folders/no_heap/"$name"/model.onnx -o "$name" -q --no-heap $options
  check "$name: refers to no allocator" no_malloc "$name"
done <list
check "nineteen models" [ "$(wc -l <list)" -ge 19 ]

# A size beyond its bound is BAD_SHAPE; the memory for it is not touched.
cat >beyond.cpp <<'END'
#include "Range_of_input.h"
alignas(64) static unsigned char arena[RANGE_OF_INPUT_ARENA_BYTES + 1];
int main() {
  const int64_t n = 9;
  int64_t y[16] = {-1}, dims[1];
  Range_of_input_inputs in = {};
  Range_of_input_outputs out = {};
  in.n = &n, out.y = y, out.y_capacity = 16, out.y_dims = dims;
  return Range_of_input_run(&in, &out, arena) == RANGE_OF_INPUT_BAD_SHAPE && y[0] == -1 ? 0 : 1;
}
END
runs_beyond() { ${CXX:-g++} -std=c++17 beyond.cpp Range_of_input.cpp -o beyond && ./beyond; }
check "beyond the bound" runs_beyond
finish
