#!/usr/bin/env bash
# Decision trees give the same results as tables, as code, and as tables of small numbers.
. "$(dirname "$0")/check.sh"
"$onnxc" verify --export own "$case_files/tree_regressors.case"

thin "$(level 6 3 1)" cases "$case_files"/tree_*.case
for options in "--trees ifelse" "--optimize size"; do
  # shellcheck disable=SC2086
  check "cases pass with $options" "$onnxc" verify cases -- $options
done

model=own/tree_regressors/TreeEnsembleRegressor_1_LEQ/model.onnx
"$onnxc" "$model" -o code --trees ifelse -q
check "code has no tables of splits" [ "$(grep -c "_splits\\[" code.cpp)" = 0 ]
check "code has trees" grep -q "static float tree_9" code.cpp
"$onnxc" "$model" -o table -q
check "tables have no code" [ "$(grep -c "tree_9" table.cpp)" = 0 ]
check "fixed sizes take no heap" [ "$(grep -c allocator_ table.h)" = 0 ]
check "trees are one or the other" exits 2 "$onnxc" "$model" -o none --trees both
finish
