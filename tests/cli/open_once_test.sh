#!/usr/bin/env bash
# Every command opens a model file once.
. "$(dirname "$0")/check.sh"

c++ -shared -fPIC -o counter.so "$source_dir/tests/cli/open_once.cpp" -ldl
"$onnxc" verify "$source_dir/tests/cli/shard.case" --export cases >/dev/null
cases=cases/shard
"$onnxc" verify --record $cases >/dev/null 2>&1
model=$cases/Feed_forward/model.onnx
"$onnxc" shard "$model" --devices 4 -o four.onnx 2>/dev/null

# opens COUNT COMMAND...: models are opened so many times, by onnxc and what it starts.
opens() {
  local want=$1
  shift
  rm -f opened.log
  OPENED=$PWD/opened.log LD_PRELOAD=$PWD/counter.so "$onnxc" "$@" >out.log 2>&1 || { cat out.log; return 1; }
  [ "$(wc -l <opened.log)" = "$want" ] || { cat opened.log; return 1; }
}

check "compile" opens 1 compile "$model" -o a
check "compile --measure" opens 1 compile "$model" -o a --measure --report a.html
check "compile over the RAM limit" opens 1 compile "$model" -o a --ram-limit 1M --dim N=1 --target cortex-m4f
check "compile --devices" opens 1 compile four.onnx -o a --devices devices_4
check "compile --device" opens 1 compile four.onnx -o a --devices devices_4 --device 2
check "check" opens 1 check four.onnx
check "inspect" opens 1 inspect "$model"
check "inspect --json" opens 1 inspect "$model" --json --layers
check "a report about a board" opens 1 compile "$model" -o a --target cortex-m4f --report a.html
check "bench" opens 1 bench "$model" --report a.json
check "bench --profile" opens 1 bench "$model" --profile
check "verify" opens 1 verify $cases/Feed_forward
check "shard" opens 1 shard "$model" --devices 4 -o again.onnx
check "python" opens 1 python "$model" -o package
check "report diff" opens 2 report diff "$model" four.onnx

finish
