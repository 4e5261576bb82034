#!/usr/bin/env bash
# The rules of operators' derivatives against differences in double precision, as tables state them.
# Prints, for each row: name, errors of the first and second derivative, verdict. page.py writes the
# errors into docs/gradients.md.
# With FULL=1 also in float.
# usage: rules_test.sh ONNXC WORK_DIR [REGEX]
. "$(dirname "$0")/../cli/check.sh"

# build CASE_FILE ELEMENT: the program for this element type, in a folder of its name.
build() {
  "$onnxc" verify --export "exported_$2" "$1" >export.log
  mkdir -p "$2"
  "$onnxc" "$(find "exported_$2" -name model.onnx)" -o "$2/rules" >"$2/compile.log" 2>&1 ||
    grep error "$2/compile.log"
  ${CXX:-g++} -std=c++17 -O0 -DELEMENT="$2" -I. -I"$2" -o "$2/differences" \
    "$here/differences.cpp" "$2/rules.cpp"
}

python3 "$here/model.py" . "$here"/*.txt --only "${3:-}"
build rules.case double
double/differences | tee errors.tsv
check "the standard's tags" python3 "$here/tags.py" "$here"/*.txt
check "no error of the generated code" [ -s errors.tsv ]
check "every rule: $(grep -c FAIL errors.tsv) fail" [ "$(grep -c FAIL errors.tsv)" = 0 ]
if full; then
  build rules32.case float
  double/differences values >double.tsv
  float/differences values >float.tsv
  check "float and double agree" python3 "$here/precision.py" float.tsv double.tsv
fi
finish
