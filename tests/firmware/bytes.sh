# shellcheck shell=bash
# Sourced by the tests: models of bytes, which boards have to run as this machine does. Wants cli/check.sh before it.
here=$source_dir/tests/firmware
small="-fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections -fdata-sections"

# The flags of bytes_app.cpp: model.
app_flags() {
  case $1 in
    sine) echo "$(model_flags sine) -DINPUT_SIZE=1 -DOUTPUT_SIZE=1 -DRUNS=256" ;;
    mixed) echo "$(model_flags mixed) -DINPUT_SIZE=128 -DOUTPUT_SIZE=3 -DRUNS=8" ;;
    attention) echo "$(model_flags attention) -DINPUT_SIZE=64 -DOUTPUT_SIZE=64 -DRUNS=8" ;;
    recurrent) echo "$(model_flags recurrent) -DINPUT_SIZE=20 -DOUTPUT_SIZE=6 -DRUNS=8" ;;
    gesture) echo "$(model_flags gesture) -DINPUT_SIZE=384 -DOUTPUT_SIZE=4 -DRUNS=3" ;;
  esac
}

generate() { # model, folder, target, more options
  "$onnxc" "$1.onnx" -o "$2/$1" --target "$3" --no-heap --io int8 -q "${@:4}"
}

# What this machine gives, in NAME.want: model.
host_outputs() {
  generate "$1" host generic &&
    g++ -std=c++17 -O1 -Ihost $(app_flags "$1") "$here/bytes_app.cpp" "host/$1.cpp" -o "host/$1" && "host/$1" >"$1.want"
}

# Whether a board printed the same, perhaps with colours and more: model.
same_outputs() {
  tr -d '\r' <"$1.got" | sed 's/\x1b\[[0-9]*m//g' | grep -o '^outputs [0-9]*' | cmp - "$1.want"
}

make_models() {
  needs numpy onnx
  check "models" "$python" "$here/bytes_models.py" .
  cat >recurrent.case <<'END'
=== recurrent
<ir_version: 10, opset_import: ["": 22]>
(int8[4,1,5] x) => (int8[1,1,6] y) <
  float xs = {0.02}, int8 xz = {-4}, float hs = {0.0078125}, int8 zero = {0},
  int8[1,24,5] w = integers(1, -128, 128), float ws = {0.01}, int8[1,24,6] r = integers(2, -128, 128), float rs = {0.008}
> {
  xr = DequantizeLinear (x, xs, xz)
  wr = DequantizeLinear (w, ws, zero)
  rr = DequantizeLinear (r, rs, zero)
  "", h = LSTM <hidden_size = 6> (xr, wr, rr)
  y = QuantizeLinear (h, hs, zero)
}
given int8[4,1,5] x = full(0)
END
  check "a recurrent model" "$onnxc" verify --export exported recurrent.case
  cp exported/recurrent/recurrent/model.onnx recurrent.onnx
  for model in sine gesture mixed attention recurrent; do check "$model on this machine" host_outputs "$model"; done
}
