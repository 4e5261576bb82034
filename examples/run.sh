#!/usr/bin/env bash
# From nothing to a running model: installs what is missing, builds onnxc, then builds and runs the
# examples as projects of their own.
# usage: examples/run.sh      BUILD_DIR: default build/examples
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build/examples}

. "$root/tests/packages.sh"
install_packages $BUILD_PACKAGES

cmake -S "$root" -B "$build/onnxc" -G Ninja -DCMAKE_BUILD_TYPE=Release -DONNXC_BUILD_TESTS=OFF >/dev/null
cmake --build "$build/onnxc"
cmake --install "$build/onnxc" --prefix "$build/installed" >/dev/null

for example in "$root"/examples/*/; do
  name=$(basename "$example")
  echo "== $name"
  cmake -S "$example" -B "$build/$name" -G Ninja -DCMAKE_PREFIX_PATH="$build/installed" >/dev/null
  cmake --build "$build/$name" >"$build/$name.log" || { cat "$build/$name.log"; exit 1; }
  "$build/$name/$name"
done
