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
check "a refusal" says 1 "error" npx --no-install onnxc check package.json
check "what it cannot do" says 5 "this build starts no programs" npx --no-install onnxc verify "$examples/01_mlp"
check "the licences of others" grep -q protobuf node_modules/onnxc/THIRD_PARTY_LICENSES
finish
