#!/usr/bin/env bash
# --selftest: the code carries recorded data and finds what differs. --io int8: integers at the interface, with the scale
# and zero point of each port in the header, in place of floats that the model quantises at once.
. "$(dirname "$0")/check.sh"

unpack "$here/selftest.case"
set_of() { echo "selftest/$1/test_data_set_0"; }
generate() { # case, options...
  "$onnxc" "selftest/$1/model.onnx" -o "$1" "${@:2}"
}

found() { # name, what its self test prints
  ${CXX:-g++} $strict -O1 $sanitizers -I. $(model_flags "$1") "$here/programs/selftest.cpp" "$1.cpp" -o "$1" &&
    ./"$1" >"$1.out" && cat "$1.out" && [ "$(cat "$1.out")" = "$2" ]
}
generate right --selftest "$(set_of right)" 2>summary.log
check "the summary tells what that costs" grep -q 'self test: [0-9]* bytes of recorded data' summary.log
check "right results pass" found right pass
generate wrong --selftest "$(set_of wrong)" -q
check "a wrong one is found" found wrong "m 1 2 3"
check "the header is C" is_c wrong
generate right --selftest "$(set_of right)" -q --hook --steps --weights string --threads 2
check "with all other options" ${CXX:-g++} $strict -fsyntax-only right.cpp
check "data of another model are refused" says 1 "holds 8 elements of float" "$onnxc" selftest/right/model.onnx -o no --selftest "$(set_of scaled)"
check "no data are refused" says 1 "nowhere/input_0.pb is missing" "$onnxc" selftest/right/model.onnx -o no --selftest nowhere
check "dynamic sizes are refused" exits 1 "$onnxc" "$source_dir/tests/golden/dynamic.onnx" -o no --selftest nowhere

# Scales and zero points, and integers in place of floats.
define() { grep -qF "#define $1 $2" "$3"; }
generate scaled -q --report scaled.json
check "the input's scale" define SCALED_INPUT_X_SCALE 0.5f scaled.h
check "its zero point" define SCALED_INPUT_X_ZERO_POINT "(7)" scaled.h
check "the output's scale" define SCALED_OUTPUT_Y_SCALE 0.25f scaled.h
check "its zero point" define SCALED_OUTPUT_Y_ZERO_POINT "(-3)" scaled.h
check "not of others" sh -c '! grep -q OUTPUT_Z_SCALE scaled.h'
check "the report has them" grep -q '"zero_point": *-3' scaled.json
check "the floats stay" grep -q 'const float\* x;' scaled.h
generate bytes -q
check "bytes that are dequantised at once" define BYTES_INPUT_X_SCALE 0.125f bytes.h
generate scaled --io int8 --selftest "$(set_of scaled)" -q
check "bytes in" grep -q 'const uint8_t\* x;' scaled.h
check "bytes out" grep -q 'int8_t\* y;' scaled.h
check "what the model does not quantise stays" grep -q 'float\* z;' scaled.h
check "no conversion is left" sh -c '! grep -qE "fn::quantize\(x|reals" scaled.cpp'
check "the recorded data become bytes" found scaled pass
check "a model that quantises nothing is refused" says 1 "error[io]" "$onnxc" "$mlp" -o no --io int8

# Narrow types, and results that are quanta away.
ends() { # STATUS NAME OPTION...: the self test ends so
  local status=$1 name=$2 folder
  shift 2
  folder=selftest/$name
  "$onnxc" "$folder/model.onnx" -o "$name" -q --selftest "$folder/test_data_set_0" "$@"
  # shellcheck disable=SC2086
  g++ $strict -O1 $sanitizers -I. $(model_flags "$name") -DSTATUS \
    "$here/programs/selftest.cpp" "$name.cpp" -o "run_$name"
  exits "$status" "./run_$name"
}
check "narrow types" ends 0 narrow
check "a float16 that differs" ends 9 half
check "one quantum is too much" ends 9 quanta
check "but not with --quanta" ends 0 quanta --quanta 1
check "verify alike" exits 4 "$onnxc" verify "$here/selftest.case:quanta"
check "with --quanta" exits 0 "$onnxc" verify "$here/selftest.case:quanta" --quanta 1
finish
