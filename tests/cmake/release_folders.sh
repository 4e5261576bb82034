# shellcheck shell=bash
# Sourced by the tests of releases: build folders of small programs in place of the compiler for each system.
release=$source_dir/compiler/cmake/packaging/release/release.py
version=$("$onnxc" --version | sed 's/onnxc //')
git -C "$source_dir" rev-parse HEAD >commit 2>/dev/null || { echo "skipped: needs the repository"; exit 77; }

parts() { # version of a library
  printf '[\n  {"name": "protobuf", "version": "%s", "package": "libprotobuf-dev", "licence": "BSD-3-Clause", ' "$1"
  printf '"file": "libprotobuf.a", "sha256": "%064d"},\n' 1
  printf '  {"name": "fmt", "version": "9.1.0", "package": "libfmt-dev", "licence": "MIT", "file": "", "sha256": ""}\n]\n'
}

# linux: a static program that runs here; arm: one for another processor; windows, wasm: bytes with their marks.
make_build_folders() {
  local folder
  mkdir -p linux arm windows wasm/package
  printf '#include <stdio.h>\nint main(void) { return puts("onnxc %s") < 0; }\n' "$version" >program.c
  ${CC:-gcc} -static -s program.c -o linux/onnxc || return 1
  cp linux/onnxc arm/onnxc
  printf '\267' | dd of=arm/onnxc bs=1 seek=18 conv=notrunc status=none  # e_machine: AArch64
  printf 'MZ a program' >windows/onnxc.exe
  printf '{"name": "onnxc", "version": "%s", "bin": {"onnxc": "onnxc.js"}}\n' "$version" >wasm/package/package.json
  printf '\0asm' >wasm/package/onnxc_node.wasm
  for folder in linux arm windows wasm; do
    parts "3.21.12-3" >$folder/parts.json
    echo "terms of others" >$folder/THIRD_PARTY_LICENSES
  done
}

make_release() { "$python" "$release" "$@"; }
