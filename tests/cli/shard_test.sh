#!/usr/bin/env bash
# shard: the annotations pass the checks, a second run changes nothing, all devices together compute
# what one does, and no more is sent than has to be.
. "$(dirname "$0")/check.sh"

"$onnxc" verify "$source_dir/tests/cli/shard.case" --export cases >/dev/null
cases=cases/shard
"$onnxc" verify --record $cases >record.log 2>&1 || cat record.log

# shard NAME N BY [OPTION...]: NAME_N_BY/model.onnx with the data of the case.
shard() {
  local name=$1 n=$2 by=$3
  shift 3
  mkdir -p "sharded/${name}_${n}_$by"
  cp -r "$cases/$name"/test_data_set_0 "sharded/${name}_${n}_$by"
  "$onnxc" shard "$cases/$name/model.onnx" --devices "$n" --by "$by" -o "sharded/${name}_${n}_$by/model.onnx" "$@"
}

# sound FOLDER N BY: no message of the checks, and shard finds the same again.
sound() {
  "$onnxc" check "$1/model.onnx" 2>problems.log || { cat problems.log; return 1; }
  [ "$(wc -l <problems.log)" = 1 ] || { cat problems.log; return 1; }
  "$onnxc" shard "$1/model.onnx" --devices "$2" --by "$3" -o again.onnx 2>/dev/null
  cmp "$1/model.onnx" again.onnx
}

for name in Feed_forward Heads Shared_heads Joined_heads Image Calls; do
  for by in tensors stages; do
    for n in 1 2 3; do
      check "$name by $by on $n" shard $name $n $by
      check "$name by $by on $n: sound" sound sharded/${name}_${n}_$by $n $by
    done
  done
done

# ---- results ------------------------------------------------------------------------------------
run=(Feed_forward_3_tensors Heads_2_tensors Shared_heads_2_tensors Joined_heads_2_tensors Image_3_tensors Calls_2_stages)
if full; then mapfile -t run < <(cd sharded && ls -d *_3_* "${run[@]}" | sort -u); fi
for folder in "${run[@]}"; do
  n=${folder%_*} n=${n##*_}
  check "$folder computes the same" "$onnxc" verify "sharded/$folder" --devices "devices_$n"
done

# ---- traffic ------------------------------------------------------------------------------------
sends() {
  local text=$1
  shift
  check "$*" shard "$@"
  cp check.log said.log
  check "$* sends $text" grep -q "| a run sends $text\$" said.log
}
# One all-reduce: each of two devices sends half of the result, and then its half of the sum.
sends 'about 32 bytes \* N' Feed_forward 2 tensors
sends 'about 64 bytes \* N' Feed_forward 3 tensors
sends '960 bytes' Heads 2 tensors
sends '384 bytes' Shared_heads 2 tensors
sends '960 bytes' Joined_heads 2 tensors
sends '0 bytes' Heads 1 tensors
check "heads are not cut" sh -c "'$onnxc' compile sharded/Heads_2_tensors/model.onnx --devices devices_2 -o out/heads 2>&1 |
  { ! grep -q gathered; }"

# ---- memory -------------------------------------------------------------------------------------
check "weights that fit" shard Feed_forward 2 tensors --memory-per-device 400
check "weights that do not" says 1 'error[cannot-shard]: --memory-per-device: a device has weights of 312 bytes' \
  shard Feed_forward 2 tensors --memory-per-device 300
# An embedding of 4800 bytes is cut only where it has to be: then its rows are gathered.
check "a table that does not fit" shard Joined_heads 2 tensors --memory-per-device 10400
cp check.log said.log
check "its rows are sent" grep -q "| a run sends 1.4 KiB\$" said.log
check "and right" "$onnxc" verify sharded/Joined_heads_2_tensors --devices devices_2
check "stages that fit" shard Feed_forward 2 stages --memory-per-device 400
check "stages that do not" says 1 'the weights do not fit in as many sequences of nodes' \
  shard Feed_forward 2 stages --memory-per-device 380

# ---- files --------------------------------------------------------------------------------------
"$onnxc" shard "$mlp" --devices 2 -o two.onnx 2>/dev/null
"$onnxc" shard two.onnx --devices 3 --by stages -o both.onnx 2>/dev/null
"$onnxc" inspect both.onnx >both.log
check "configurations stand side by side" [ "$(grep -c '^devices  *"devices_[23]": ' both.log)" = 2 ]
check "both can be used" "$onnxc" compile both.onnx --devices devices_2 -o out/both
check "to standard output" sh -c "'$onnxc' shard '$mlp' --devices 2 -o - 2>/dev/null | cmp - two.onnx"
check "too many devices" says 1 'error[cannot-shard]: --devices: nothing can be cut into 500 parts' \
  "$onnxc" shard "$mlp" --devices 500 -o out.onnx
cat >without_axes.case <<'CASES'
=== without_axes
<ir_version: 8, opset_import: ["": 17]>
(float x, sparse_tensor(float[3,4]) s) => (float y, sparse_tensor(float[3,4]) t) {
  y = Softmax (x)
  t = Identity (s)
}
refused "-"
CASES
"$onnxc" verify --export . without_axes.case 2>/dev/null
check "a scalar and a sparse tensor" says 1 'error[cannot-shard]: --devices: nothing can be cut into 2 parts' \
  "$onnxc" shard without_axes/without_axes/model.onnx --devices 2 -o out.onnx
check "no devices" exits 2 "$onnxc" shard "$mlp" --devices 0 -o out.onnx
check "no model" exits 5 "$onnxc" shard none.onnx --devices 2 -o out.onnx
finish
