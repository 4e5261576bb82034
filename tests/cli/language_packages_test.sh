#!/usr/bin/env bash
# The packages for Rust and Go: ports that are called like words of the language, other types, and what they refuse.
# usage: language_packages_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/check.sh"
command -v cargo go >/dev/null || { echo "skipped: needs cargo or go"; exit 77; }
unpack "$here/language_packages.case"
export GOFLAGS=-mod=mod GOCACHE=$work/go/cache CARGO_HOME=$work/cargo
without_onnxc=$(dirname "$(command -v cargo || echo /)"):/usr/bin:/bin
! PATH=$without_onnxc command -v onnxc >/dev/null || without_onnxc=""
packages=$source_dir/compiler/cmake/packaging

rust_project() { # folder, case, options of the build script
  mkdir -p "$1/src"
  printf '[package]\nname = "%s"\nversion = "1.0.0"\nedition = "2021"\n[build-dependencies]\n' "$1" >"$1/Cargo.toml"
  echo "onnxc-build = { path = \"$packages/rust\" }" >>"$1/Cargo.toml"
  echo "fn main() { onnxc_build::Model::new(\"$work/language_packages/$2/model.onnx\").name(\"$2\")$3.compile(); }" >"$1/build.rs"
  cp "$here/programs/language_packages_$2.rs" "$1/src/main.rs"
}
rust() {
  local status=0
  (cd "$1" && cargo run --offline --target-dir "$work/rust_target") >"$1.said" 2>&1 || status=$?
  cat "$1.said"
  return $status
}
if installed cargo; then
  rust_project rust_words words ""
  rust_project rust_open open ""
  rust_project rust_fixed open '.option("--dim").option("rows=2")'
  export ONNXC_EXECUTABLE=$onnxc
  check "rust: names and types" rust rust_words
  check "rust: without warnings" sh -c "! grep -q '^warning' rust_words.said"
  check "rust: an open size" says 101 "not a tensor of a fixed size: \`const float* x;  /* [rows,2] */\`; fix open sizes with --dim" rust rust_open
  check "rust: a size that is given" rust rust_fixed
  export ONNXC_EXECUTABLE=/no/onnxc
  check "rust: no program" says 101 "cannot run /no/onnxc" rust rust_words
  unset ONNXC_EXECUTABLE
  [ -z "$without_onnxc" ] || PATH=$without_onnxc check "rust: no program on PATH" says 101 "there is no onnxc on PATH; install it, or set ONNXC_EXECUTABLE" rust rust_words
fi

go_project() { # folder, case, options of onnxc
  mkdir -p "$1"
  printf 'module user\n\ngo 1.18\n\nrequire onnxc v0.0.0\n\nreplace onnxc => %s\n' "$packages/go" >"$1/go.mod"
  cp "$work/language_packages/$2/model.onnx" "$1/$2.onnx"
  { cat "$here/programs/language_packages_$2.go"; echo "//go:generate go run onnxc/generate $2.onnx$3"; } >"$1/main.go"
}
golang() { (cd "$1" && go generate && go vet && go run .); }
if installed go; then
  go_project go_words words ""
  go_project go_open open ""
  go_project go_fixed open " --dim rows=2"
  export ONNXC_EXECUTABLE=$onnxc
  check "go: names and types" golang go_words
  check "go: an open size" says 1 "not a tensor of a fixed size: \`const float* x;  /* [rows,2] */\`; fix open sizes with --dim" golang go_open
  check "go: a size that is given" golang go_fixed
  unset ONNXC_EXECUTABLE
  [ -z "$without_onnxc" ] || PATH=$without_onnxc check "go: no program on PATH" says 1 "there is no onnxc on PATH; install it, or set ONNXC_EXECUTABLE" golang go_words
fi
finish
