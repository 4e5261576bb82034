#!/usr/bin/env bash
# The package for node installs in an empty folder without network, and its command compiles.
. "$(dirname "$0")/../cli/check.sh"
package=${ONNXC_PACKAGE:-$source_dir/build/wasm/package}
[ -e "$package/onnxc_node.wasm" ] || { echo "skipped: no package"; exit 77; }
installed npm || { echo "skipped: needs npm"; exit 77; }

mkdir -p packed user
check "npm pack" sh -c "cd '$package' && npm pack --pack-destination '$work/packed'"
cp "$mlp" user/model.onnx
cd user || exit 1
echo '{"name": "user", "version": "1.0.0"}' >package.json
check "npm install" npm install --offline --no-audit --no-fund ../packed/onnxc-*.tgz
check "the version" sh -c "[ \"\$(npx --no-install onnxc --version)\" = \"\$('$onnxc' --version)\" ]"
check "compile" npx --no-install onnxc model.onnx -o theirs/m -q
"$onnxc" model.onnx -o ours/m -q
check "the same bytes" diff -r ours theirs
# Weights beyond 4 GiB of a file.
far_weights() {
  "$python" - <<'END' || return 1
from onnx import TensorProto, helper, save
w = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
for key, value in ("location", "weights.bin"), ("offset", str(5 << 30)), ("length", "8"):
    w.external_data.add(key=key, value=value)
x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [2]) for n in "xy")
graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "far", [x], [y], [w])
save(helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)]), "far.onnx")
with open("weights.bin", "wb") as file:
    file.write(b"none of these")
    file.seek(5 << 30)
    file.write(bytes(range(8)))
END
  npx --no-install onnxc far.onnx -o far_theirs/m -q && "$onnxc" far.onnx -o far_ours/m -q && diff -r far_ours far_theirs || return 1
  rm weights.bin
}
if "${python:=/usr/bin/python3}" -c 'import onnx' 2>/dev/null; then check "weights beyond 4 GiB" far_weights; fi
check "a refusal" says 1 "error" npx --no-install onnxc check package.json
check "what it cannot do" says 5 "this build starts no programs" npx --no-install onnxc verify "$examples/01_mlp"
check "the licences of others" grep -q protobuf node_modules/onnxc/THIRD_PARTY_LICENSES
finish
