#!/usr/bin/env bash
# Builds protobuf as a static library for another platform, from the source package of this Debian.
# usage: protobuf.sh PREFIX [CMAKE ARGUMENT...]
# PREFIX receives the library, its headers and its CMake package; a second run finds it finished.
# The arguments name the tool chain. LAUNCHER=ccache compiles through ccache.
set -eu
prefix=$(realpath -m "$1")
shift
[ ! -e "$prefix/done" ] || exit 0
mkdir -p "$prefix/source"
cd "$prefix"

# The sources of apt as they are configured, asked for source packages; apt itself is not changed.
fetch_source() {
  mkdir -p apt/parts apt/lists/partial
  for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"apt/parts/${list##*/}"
  done
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >"apt/parts/${list##*/}"
  done
  set -- -qq -o Dir::Etc::SourceList="$PWD/apt/none" -o Dir::Etc::SourceParts="$PWD/apt/parts" \
    -o Dir::State::Lists="$PWD/apt/lists" -o APT::Sandbox::User=root
  apt-get "$@" update
  # The release that the host's protoc has made its code for.
  (cd source && apt-get "$@" source "protobuf=$(dpkg-query -W -f='${source:Version}' libprotobuf-dev)" ||
    apt-get "$@" source protobuf)
}
tree() { find source -maxdepth 1 -type d -name 'protobuf-*' | head -n 1; }
[ -n "$(tree)" ] || fetch_source >fetch.log 2>&1 || { cat fetch.log >&2; exit 1; }

cmake -S "$(tree)" -B build -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_CXX_STANDARD=17 \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF -Dprotobuf_BUILD_TESTS=OFF \
  -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF -Dprotobuf_BUILD_SHARED_LIBS=OFF \
  -DCMAKE_CXX_COMPILER_LAUNCHER="${LAUNCHER:-}" "$@" >configure.log 2>&1 || { tail -n 30 configure.log >&2; exit 1; }
cmake --build build --target install >build.log 2>&1 || { tail -n 30 build.log >&2; exit 1; }
cp "$(tree)/LICENSE" "$prefix/LICENSE"
touch "$prefix/done"
