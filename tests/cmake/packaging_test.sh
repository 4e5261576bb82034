#!/usr/bin/env bash
# The Debian package, the tarball and the pkg-config file; recipes_test.sh has the recipes of other package managers.
. "$(dirname "$0")/check_projects.sh"
command -v dpkg-deb >/dev/null || { echo "skipped: needs dpkg"; exit 77; }

# What is built is packed, without building all tests before, as `cpack` alone would.
build=$(dirname "$onnxc")
check "install" install_onnxc "$work/installed"
pack() { # generator, prefix
  cpack -G "$1" --config "$build/CPackConfig.cmake" -B "$work/packed" -D CPACK_INSTALL_CMAKE_PROJECTS= \
    -D CPACK_INSTALLED_DIRECTORIES="$work/installed;$2"
}
check "a Debian package" pack DEB /usr
deb=$(echo packed/onnxc_*.deb)
version=$("$onnxc" --version | sed 's/onnxc //')
check "its name" sh -c "echo $deb | grep -qx 'packed/onnxc_${version}_[a-z0-9]*.deb'"
check "it depends on the libraries that the program needs" sh -c "dpkg-deb -f $deb Depends | grep -q libprotobuf"
check "unpack" dpkg-deb -x "$deb" root
check "the program" sh -c "root/usr/bin/onnxc --version | grep -q '$version'"
check "the licence" grep -q LicenseRef-onnxc-output root/usr/share/doc/onnxc/copyright
write_project user find_package
check "find_package: configure" cmake -S user -B user/build -G Ninja -Donnxc_ROOT="$work/root/usr"
check "find_package: the packed program" grep -q "$work/root/usr/bin/onnxc" user/build/build.ninja
check "find_package: build" cmake --build user/build
check "find_package: run" sh -c "user/build/app/app | grep -q versicolor"
sed -i 's/onnxc 0.2 CONFIG/onnxc 0.0 CONFIG/' user/CMakeLists.txt
check "another minor version of 0.x is another interface" exits 1 cmake -S user -B user/other -G Ninja -Donnxc_ROOT="$work/root/usr"

check "a tarball" pack TGZ /
check "with the program" sh -c "tar tzf packed/onnxc-*.tar.gz | grep -q '/bin/onnxc$'"

if installed pkg-config; then
  export PKG_CONFIG_PATH=$work/installed/share/pkgconfig
  check "pkg-config: valid" pkg-config --validate onnxc
  check "pkg-config: version" [ "$(pkg-config --modversion onnxc)" = "$version" ]
  check "pkg-config: the program" sh -c "\$(pkg-config --variable=executable onnxc) --version"
  check "pkg-config: the CMake package" sh -c "test -f \$(pkg-config --variable=cmakedir onnxc)/onnxcConfig.cmake"
fi

check "CHANGELOG has the version" grep -qx "## $version" "$source_dir/CHANGELOG.md"
finish
