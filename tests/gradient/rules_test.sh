#!/usr/bin/env bash
# The rules of operators' derivatives against differences in double precision, as tables state them.
# Prints, for each row: name, errors of the first and second derivative, verdict. page.py writes the
# errors into docs/gradients.md.
# usage: rules_test.sh ONNXC WORK_DIR [REGEX]
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/check.sh"

python3 "$here/model.py" . "$here"/*.txt --only "${3:-}"
rm -rf exported && "$onnxc" verify --export exported rules.case >export.log
"$onnxc" "$(find exported -name model.onnx)" -o rules >compile.log 2>&1 || grep error compile.log
${CXX:-g++} -std=c++17 -O1 -I. -o differences "$here/differences.cpp" rules.cpp
./differences | tee errors.tsv
check "the standard's tags" python3 "$here/tags.py" "$here"/*.txt
check "no error of the generated code" [ -s errors.tsv ]
check "every rule: $(grep -c FAIL errors.tsv) fail" [ "$(grep -c FAIL errors.tsv)" = 0 ]
finish
