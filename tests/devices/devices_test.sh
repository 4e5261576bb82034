#!/usr/bin/env bash
# Models that are spread over several devices compute what they compute on one: the programs of all
# devices run as threads, and their outputs are compared with those of the whole model.
. "$(dirname "$0")/../cli/check.sh"
here=$source_dir/tests/devices

# Every model, or some of each file.
thin "$(level 5 3 1)" chosen "$here/graphs.case" "$here/nets.case"
"$onnxc" verify --export cases chosen >export.log 2>&1
"$onnxc" verify --record cases >record.log 2>&1 || { cat record.log; exit 1; }

contradicts() { case $1 in *_contradicts | *product_SR_RS | *product_RS_RS | *product_SR_SR) ;; *) false ;; esac; }
mkdir exact close
for folder in cases/*/*/; do
  name=$(basename "$folder")
  case $name in
    *_exact) mv "$folder" exact/ ;;
    *) contradicts "$name" || mv "$folder" close/ ;;
  esac
done
check "the bits of one device" exits 0 "$onnxc" verify --devices c exact --rtol 0 --atol 0
check "within 1e-6 of one device" exits 0 "$onnxc" verify --devices c close --scaled 1e-6

# Cuts that leave parts of a result to no device.
"$onnxc" verify --export all "$here/graphs.case" >export.log 2>&1
for name in sum_contradicts product_SR_RS product_RS_RS product_SR_SR; do
  check "$name is refused" exits 1 "$onnxc" "all/graphs/$name/model.onnx" --devices c -o "out/$name"
  check "naming node and operand" grep -q 'error\[device-conflict\]: node 0 making "y".*: input "b"' exits.log
done
check "nothing is written" sh -c '[ ! -e out ]'

# In 16 bits the sum of all elements would be infinite.
mv all/graphs/mean_float16 mean
"$onnxc" verify --record mean >record.log 2>&1
check "a mean in float16" exits 0 "$onnxc" verify --devices c mean --scaled 1e-3 --fp strict

# What a device has: its share of the weights, two all-reduces for a block.
"$onnxc" verify --export nets "$here/nets.case" >export.log 2>&1
transformer=nets/nets/transformer_4/model.onnx
"$onnxc" "$transformer" -q -o whole/m
"$onnxc" "$transformer" -q -o parts/m --devices c
check "a program for each device" sh -c '[ "$(ls parts/*.cpp | wc -l)" = 4 ]'
check "two all-reduces" sh -c '[ "$(grep -c "= all_reduce<4>" parts/m_3.cpp)" = 2 ]'
check "no other messages" sh -c '! grep -Eq "= (send|receive)\(" parts/m_0.cpp'
weights() { sed -n 's/.*memory  *\([0-9]*\) bytes of weights.*/\1/p' "$1"; }
check "a share of the weights" [ $(($(weights parts/m_0.h) * 100)) -le $(($(weights whole/m.h) * 40)) ]
same() { cmp -s parts/m_1.cpp again/m_1.cpp && cmp -s parts/m_1.h again/m_1.h; }
"$onnxc" "$transformer" -q -o again/m --devices c
check "the same bytes again" same

# What a file may say, and no device can do.
cat >impossible.case <<'CASES'
=== shards
<ir_version: 11, opset_import: ["": 22], configuration: [{name: "c", num_devices: 3}]>
(float[2,4] x) => (float[2,4] y) {
  y = Neg (x) @ {configuration_id: "c", sharding_spec: [
    {tensor_name: "x", device: [0, 1, 2], sharded_dim: [{axis: 0, simple_sharding: [{num_shards: 3}]}]}]}
}
refused "-"

=== stages
<ir_version: 11, opset_import: ["": 22], configuration: [{name: "c", num_devices: 2}]>
(float[4] x) => (float[4] y) {
  h = Neg (x) @ {configuration_id: "c", pipeline_stage: 1}
  y = Abs (h) @ {configuration_id: "c", pipeline_stage: 0}
}
refused "-"

=== thirds_of_halves
<ir_version: 11, opset_import: ["": 22], configuration: [{name: "c", num_devices: 5}]>
(float[N,4] x) => (float[N,4] y) {
  h = Neg (x) @ {configuration_id: "c", sharding_spec: [
    {tensor_name: "x", device: [0, 1], sharded_dim: [{axis: 0, simple_sharding: [{num_shards: 2}]}]}]}
  y = Abs (h) @ {configuration_id: "c", sharding_spec: [
    {tensor_name: "h", device: [2, 3, 4], sharded_dim: [{axis: 0, simple_sharding: [{num_shards: 3}]}]}]}
}
refused "-"

=== crumbs
<ir_version: 11, opset_import: ["": 22], configuration: [{name: "c", num_devices: 2}]>
(float[2000000000] x) => (float[2000000000] y) {
  y = Neg (x) @ {configuration_id: "c", sharding_spec: [{tensor_name: "x", device: [0, 1], sharded_dim: [
    {axis: 0, simple_sharding: [{dim_value: 1000000000, num_shards: 1}, {dim_value: 2, num_shards: 2}]}]}]}
}
refused "-"

=== open_rank
<ir_version: 11, opset_import: ["": 22], configuration: [{name: "c", num_devices: 2}]>
(float[4] x, int64[n] s) => (float[] y) {
  r = Reshape (x, s)
  y = Neg (r) @ {configuration_id: "c", sharding_spec: [
    {tensor_name: "r", device: [0, 1], sharded_dim: [{axis: 0, simple_sharding: [{num_shards: 2}]}]}]}
}
refused "-"

=== open_rank_elsewhere
<ir_version: 11, opset_import: ["": 22], configuration: [{name: "c", num_devices: 2}]>
(float[4] x, int64[n] s) => (float[] y) {
  r = Reshape (x, s) @ {configuration_id: "c", sharding_spec: [{tensor_name: "r", device: [0]}]}
  y = Neg (r) @ {configuration_id: "c", sharding_spec: [{tensor_name: "r", device: [1]}]}
}
refused "-"
CASES
"$onnxc" verify --export impossible impossible.case >export.log 2>&1
check "shards without elements" exits 1 "$onnxc" impossible/impossible/shards/model.onnx --devices c -o out/m
check "are counted" grep -q 'making "y".*: "x" has 3 shards for 2 elements' exits.log
check "stages that go back" exits 1 "$onnxc" impossible/impossible/stages/model.onnx --devices c -o out/m
check "are named" grep -q 'making "y".*: pipeline_stage 0 needs "h" of the later stage 1' exits.log
check "parts of unknown overlap" exits 1 "$onnxc" impossible/impossible/thirds_of_halves/model.onnx --devices c -o out/m
check "are named" grep -q 'making "y".*: cannot move parts of a dynamic dimension' exits.log
check "too many pieces" exits 1 "$onnxc" impossible/impossible/crumbs/model.onnx --devices c -o out/m
check "are named" grep -q 'making "y".*: cuts an axis of 2000000000 into more than 1000 pieces' exits.log
check "axes of an open rank" exits 1 "$onnxc" impossible/impossible/open_rank/model.onnx --devices c -o out/m
check "are named" grep -q 'making "y".*: "r" has no known rank, as a tensor that is cut needs' exits.log
check "a tensor of open rank stays" exits 1 "$onnxc" impossible/impossible/open_rank_elsewhere/model.onnx --devices c -o out/m
check "as it says" grep -q '"r": f32.* cannot be sent to another device' exits.log

# What is requested must be there.
check "an unknown configuration" exits 1 "$onnxc" "$transformer" --devices d -o out/m
check "names the known ones" grep -q 'no configuration "d"; it has "c"' exits.log
check "one source for several programs" exits 2 "$onnxc" "$transformer" --devices c -o -

finish
