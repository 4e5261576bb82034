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
  for model in sine gesture mixed attention; do check "$model on this machine" host_outputs "$model"; done
}
