#!/usr/bin/env bash
# Builds onnxc from the sources that this action belongs to and installs it, unless a cache has it.
# usage: build.sh FOLDER
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
[ ! -x "$1/bin/onnxc" ] || exit 0
. "$root/tests/packages.sh"
install_packages $BUILD_PACKAGES
cmake -S "$root" -B "$1/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DONNXC_BUILD_TESTS=OFF
cmake --build "$1/build"
cmake --install "$1/build" --prefix "$1"
rm -rf "$1/build"
