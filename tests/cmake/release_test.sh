#!/usr/bin/env bash
# What release.py makes of build folders: names, checksums, the list of parts, how it was made, the same bytes twice.
# usage: release_test.sh ONNXC WORK_DIR      the static program of build/static is taken where it is
. "$(dirname "$0")/../cli/check.sh"
needs jsonschema yaml
. "$here/release_folders.sh"
installed dpkg-deb || { echo "skipped: needs dpkg"; exit 77; }
schema() { "$python" "$here/check_schema.py" "$here/schemas/$1.json" "$2"; }
export SOURCE_DATE_EPOCH=1700000000

check "build folders" make_build_folders
mkdir -p deb/DEBIAN debian
printf 'Package: onnxc\nVersion: %s\nArchitecture: amd64\nMaintainer: x <x@x.invalid>\nDescription: x\nDepends: %s\n' \
  "$version" "libc6 (>= 2.34), libfmt9 (>= 9.1.0+ds1)" >deb/DEBIAN/control
dpkg-deb --root-owner-group -b deb "debian/onnxc_${version}_amd64.deb" >/dev/null
parts "3.21.12-4" >debian/parts.json
real=$(dirname "$onnxc")
[ ! -f "$source_dir/build/static/parts.json" ] || real=$source_dir/build/static
mkdir compiler unpacked
ln -s "$real"/* compiler/  # a name that is the same everywhere
rm -f compiler/*.deb
folders="linux arm windows wasm debian"

check "a release" make_release out $folders
names="SHA256SUMS onnxc-$version-linux-aarch64.tar.gz onnxc-$version-linux-x86_64.tar.gz onnxc-$version-recipes.tar.gz
onnxc-$version-source.tar.gz onnxc-$version-wasm.tgz onnxc-$version-windows-x86_64.zip onnxc-$version.provenance.json
onnxc-$version.spdx.json onnxc_${version}_amd64.deb"
for name in $names; do check "$name" test -s "out/$name"; done
check "three wheels" [ "$(ls out/*.whl | wc -l)" = 3 ]
check "checksums" sh -c 'cd out && sha256sum -c SHA256SUMS'
check "of all files" [ "$(wc -l <out/SHA256SUMS)" = "$(find out -maxdepth 1 -type f | grep -vc SHA256SUMS)" ]

# The same bytes from copies of the folders, at another time, in another time zone.
mkdir copies
cp -rL $folders copies/
again() { (umask 077 && export TZ=Asia/Tokyo && cd copies && make_release ../again $folders); }
check "again" again
check "the same bytes" diff -r out again
parts "3.21.12-5" >copies/linux/parts.json
check "with another library" make_release other copies/linux
namespace() { sed -n 's/.*"documentNamespace": //p' "$1/onnxc-$version.spdx.json"; }
check "the list has another name" [ "$(namespace out)" != "$(namespace other)" ]

check "the program of an archive" sh -c "tar xzf out/onnxc-$version-linux-x86_64.tar.gz && onnxc-$version-linux-x86_64/bin/onnxc --version | grep -qx 'onnxc $version'"
check "the time in it" [ "$(stat -c %Y "onnxc-$version-linux-x86_64/bin/onnxc")" = "$SOURCE_DATE_EPOCH" ]
check "licences in it" cmp linux/THIRD_PARTY_LICENSES "onnxc-$version-linux-x86_64/share/doc/onnxc/THIRD_PARTY_LICENSES"
check "the exe" sh -c "'$python' -m zipfile -l out/onnxc-$version-windows-x86_64.zip | grep -q '^bin/onnxc.exe'"
check "the package for node" sh -c "tar tzf out/onnxc-$version-wasm.tgz | grep -qx package/package.json"
check "the sources" sh -c "tar tzf out/onnxc-$version-source.tar.gz | grep -qx onnxc-$version/CMakeLists.txt"

check "SPDX: fields" schema spdx "out/onnxc-$version.spdx.json"
check "SPDX: identifiers, relationships, hashes" "$python" "$here/check_statements.py" spdx out "$version"
check "SPDX: a library of the .deb" grep -q '"Depends: libfmt9 (>= 9.1.0+ds1)"' "out/onnxc-$version.spdx.json"
check "provenance: fields" schema provenance "out/onnxc-$version.provenance.json"
check "provenance: files, commit" "$python" "$here/check_statements.py" provenance out "$version" "$(cat commit)"

# The compiler itself, as it is built here: with shared libraries, or static.
check "this onnxc" make_release own compiler --shared
check "its checksums" sh -c 'cd own && sha256sum -c SHA256SUMS'
check "its archive" sh -c "tar xzf own/onnxc-$version-linux-*.tar.gz -C unpacked && unpacked/*/bin/onnxc '$mlp' -o own_code/m -q && test -s own_code/m.cpp"
check "its CMake package" test -f unpacked/*/lib/cmake/onnxc/onnxcConfig.cmake
check "its parts" schema spdx "own/onnxc-$version.spdx.json"
if [ -f compiler/parts.json ]; then
  check "the C library is a part" grep -q '"pkg:deb/debian/libc6@' "own/onnxc-$version.spdx.json"
fi

# What it refuses.
mkdir nothing old
check "nothing" says 1 "nothing of a release in nothing" make_release no1 nothing
check "a folder with files" says 1 "is not empty" make_release out linux
check "two of a name" says 1 "two build folders have onnxc-$version-linux-x86_64.tar.gz" make_release no2 linux copies/linux
printf 'CMAKE_PROJECT_VERSION:STATIC=0.0.1\n' >old/CMakeCache.txt
check "another version" says 1 "old is a build of version 0.0.1" make_release no3 old
rm copies/arm/parts.json
check "no list of parts" says 1 "copies/arm has no parts.json" make_release no4 copies/arm
finish
