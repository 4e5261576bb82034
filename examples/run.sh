#!/usr/bin/env bash
# From nothing to a running model: installs what is missing, builds onnxc, then builds and runs the
# examples as projects of their own. tests/run.sh continues in the same folder.
# usage: examples/run.sh      BUILD_DIR: default build/release
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build/release}

. "$root/tests/packages.sh"
install_packages $BUILD_PACKAGES

[ -f "$build/CMakeCache.txt" ] ||
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DONNXC_BUILD_TESTS=OFF >/dev/null
cmake --build "$build" --target onnxc
examples=$build/examples
cmake --install "$build" --prefix "$examples/installed" >/dev/null

# An example with a toolchain file is firmware: it runs in QEMU.
run_firmware() { # example, name
  local tool
  for tool in arm-none-eabi-g++ qemu-system-arm; do
    command -v "$tool" >/dev/null || { echo "skipped: needs $tool"; return; }
  done
  cmake -S "$1" -B "$examples/$2" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$1/toolchain.cmake" \
    -Donnxc_DIR="$examples/installed/lib/cmake/onnxc" >/dev/null
  cmake --build "$examples/$2" >"$examples/$2.log" || { cat "$examples/$2.log"; exit 1; }
  cmake --build "$examples/$2" --target run
}

for example in "$root"/examples/*/; do
  name=$(basename "$example")
  echo "== $name"
  # One with a script of its own is in another language.
  if [ -f "$example/run.sh" ]; then
    status=0
    "$example/run.sh" "$build/onnxc" "$examples/$name" || status=$?
    [ "$status" = 0 ] || [ "$status" = 77 ] || exit 1
    continue
  fi
  [ ! -f "$example/toolchain.cmake" ] || { run_firmware "$example" "$name"; continue; }
  cmake -S "$example" -B "$examples/$name" -G Ninja -DCMAKE_PREFIX_PATH="$examples/installed" >/dev/null
  cmake --build "$examples/$name" >"$examples/$name.log" || { cat "$examples/$name.log"; exit 1; }
  (cd "$examples/$name" && "./$name")  # what it writes stays there
done
