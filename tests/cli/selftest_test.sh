#!/usr/bin/env bash
# --selftest: the code carries recorded data and finds what differs. --io int8: integers at the interface, with the scale
# and zero point of each port in the header, in place of floats that the model quantises at once.
. "$(dirname "$0")/check.sh"

cat >data.case <<'END'
=== right
<ir_version: 8, opset_import: ["": 17]>
(float[2,3] x, int32[3] k) => (float[2,3] y, int32[3] m, bool[3] b) {
  y = Exp (x)
  m = Neg (k)
  b = Less (k, m)
}
given float[2,3] x = {0, 1, 2, -1, -2, 0}
given int32[3] k = {1, -2, 3}
expect float[2,3] y = {1, 2.7182817, 7.389056, 0.36787945, 0.13533528, 1}
expect int32[3] m = {-1, 2, -3}
expect bool[3] b = {0, 1, 0}
=== wrong
<ir_version: 8, opset_import: ["": 17]>
(float[2,3] x, int32[3] k) => (float[2,3] y, int32[3] m, bool[3] b) {
  y = Exp (x)
  m = Neg (k)
  b = Less (k, m)
}
given float[2,3] x = {0, 1, 2, -1, -2, 0}
given int32[3] k = {1, -2, 3}
expect float[2,3] y = {1, 2.7182817, 7.389056, 0.36787945, 0.13533528, 1}
expect int32[3] m = {-1, 3, -3}
expect bool[3] b = {0, 1, 0}
=== scaled
<ir_version: 8, opset_import: ["": 17]>
(float[2,4] x) => (float[2,4] y, float[2,4] z) {
  scale = Constant <value = float {0.5}> ()
  zero = Constant <value = uint8 {7}> ()
  by = Constant <value = float {0.25}> ()
  from = Constant <value = int8 {-3}> ()
  q = QuantizeLinear (x, scale, zero)
  f = DequantizeLinear (q, scale, zero)
  r = Relu (f)
  p = QuantizeLinear (r, by, from)
  y = DequantizeLinear (p, by, from)
  z = Exp (r)
}
given float[2,4] x = {0, 1.3, -2, 40, 7.24, 0.26, -0.1, 3}
expect float[2,4] y = {0, 1.5, 0, 32.5, 7, 0.5, 0, 3}
expect float[2,4] z = {1, 4.481689, 1, 2.3538527e17, 1096.6332, 1.6487213, 1, 20.085537}
=== bytes
<ir_version: 8, opset_import: ["": 17]>
(int8[4] x) => (float[4] y) {
  scale = Constant <value = float {0.125}> ()
  zero = Constant <value = int8 {5}> ()
  f = DequantizeLinear (x, scale, zero)
  y = Exp (f)
}
given int8[4] x = {5, 13, -3, 5}
expect float[4] y = {1, 2.7182817, 0.36787945, 1}
END
unpack data.case
set_of() { echo "data/$1/test_data_set_0"; }
generate() { # case, options...
  "$onnxc" "data/$1/model.onnx" -o "$1" "${@:2}"
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
check "data of another model are refused" says 1 "holds 8 elements of float" "$onnxc" data/right/model.onnx -o no --selftest "$(set_of scaled)"
check "no data are refused" says 1 "nowhere/input_0.pb is missing" "$onnxc" data/right/model.onnx -o no --selftest nowhere
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
cat >narrow.case <<'END'
=== narrow
<ir_version: 10, opset_import: ["": 21]>
(float16[4] x, bfloat16[2] z, float8e4m3fn[3] e, int4[3] n) => (float16[4] y, bfloat16[2] u, float8e4m3fn[3] f, int4[3] m) {
  y = Neg (x)
  u = Identity (z)
  f = Identity (e)
  m = Identity (n)
}
given float16[4] x = {1, 2, 3, 4}
given bfloat16[2] z = {1, 2}
given float8e4m3fn[3] e = {1, 2, 3}
given int4[3] n = {1, -2, 3}
expect float16[4] y = {-1, -2, -3, -4}
expect bfloat16[2] u = {1, 2}
expect float8e4m3fn[3] f = {1, 2, 3}
expect int4[3] m = {1, -2, 3}
=== half
<ir_version: 10, opset_import: ["": 21]>
(float16[4] x) => (float16[4] y) { y = Neg (x) }
given float16[4] x = {1, 2, 3, 4}
expect float16[4] y = {-1, -2, -3.1, -4}
=== quanta
<ir_version: 10, opset_import: ["": 21]>
(float[3] x) => (float[3] y, int8[3] q) <float s = {0.5}, int8 z = {0}> {
  q = QuantizeLinear (x, s, z)
  y = DequantizeLinear (q, s, z)
}
given float[3] x = {1, 2, 3}
expect float[3] y = {1, 2.5, 3}
expect int8[3] q = {2, 4, 7}
END
unpack narrow.case
ends() { # STATUS NAME OPTION...: the self test ends so
  local status=$1 name=$2 folder
  shift 2
  folder=narrow/$name
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
check "verify alike" exits 4 "$onnxc" verify narrow.case:quanta
check "with --quanta" exits 0 "$onnxc" verify narrow.case:quanta --quanta 1
finish
