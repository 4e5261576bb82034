#!/usr/bin/env bash
# Builds onnxc for another system: its libraries from Debian's source packages, then the compiler.
# usage: build.sh wasm|windows|linux-aarch64|linux-s390x|linux-i386 [FOLDER]     FOLDER: build/SYSTEM by default
# The static program for this processor needs none of it: cmake --preset static.
# LAUNCHER=ccache compiles through ccache; LEVEL=-O1 is quicker than the optimisation of a release.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
system=$1
folder=$(realpath -m "${2:-$root/build/$system}")
libraries=${ONNXC_LIBRARIES:-$folder/libraries}
. "$root/tests/packages.sh"

packages="g++ cmake ninja-build protobuf-compiler libprotobuf-dev libfmt-dev libcli11-dev dpkg-dev"
tool_chain=$here/$system.cmake
flags=${LEVEL:-}
case $system in
  wasm)
    packages="$packages emscripten brotli nodejs"
    tool_chain=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake
    flags="$flags -fwasm-exceptions"
    # emcc starts the compiler itself.
    export EM_COMPILER_WRAPPER=${LAUNCHER:-} LAUNCHER=
    ;;
  windows)
    packages="$packages g++-mingw-w64-x86-64-posix"
    tool_chain=$here/windows/tool_chain.cmake
    ;;
  linux-aarch64 | linux-s390x) packages="$packages g++-${system#linux-}-linux-gnu" ;;
  linux-i386) packages="$packages g++-i686-linux-gnu" ;;
  *) echo "build.sh: no system $system" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086
install_packages $packages

"$here/protobuf.sh" "$libraries" -DCMAKE_TOOLCHAIN_FILE="$tool_chain" -DCMAKE_CXX_FLAGS="$flags"
# Headers alone; the folder that holds them on this machine has those of its own C library, too.
for name in fmt CLI; do
  ln -sfn "/usr/include/$name" "$libraries/include/$name"
done

mkdir -p "$folder"
cd "$root"
cmake --preset "$system" -B "$folder" -DONNXC_LIBRARIES="$libraries" -DCMAKE_CXX_COMPILER_LAUNCHER="${LAUNCHER:-}" \
  >"$folder/configure.log" 2>&1 || { tail -n 30 "$folder/configure.log" >&2; exit 1; }
cmake --build "$folder"
