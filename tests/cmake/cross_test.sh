#!/usr/bin/env bash
# Cross builds for a Cortex-M4F: the generator of the host makes code for the target.
. "$(dirname "$0")/check_projects.sh"
command -v arm-none-eabi-g++ >/dev/null || { echo "skipped: needs gcc-arm-none-eabi"; exit 77; }

cat >toolchain.cmake <<'END'
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-m4)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -fno-exceptions -fno-rtti")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
END
cross() { # dir, arguments
  local dir=$1
  shift
  cmake -S "$dir" -B "$dir/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$work/toolchain.cmake" "$@"
}
is_arm() { arm-none-eabi-objdump -f "$1" | grep -q elf32-littlearm; }

check "install" install_onnxc "$work/installed"
for how in find_package executable; do
  write_project "$how" "$how"
  sed -i '/add_subdirectory(app)/d' "$how/CMakeLists.txt"
done
check "package: configure" cross find_package -Donnxc_DIR="$work/installed/lib/cmake/onnxc"
check "package: build" cmake --build find_package/build
check "package: ARM code" is_arm find_package/build/models/libflowers.a
check "package: target found" grep -q cortex-m4f find_package/build/build.ninja
check "package: nothing to do" no_op find_package/build
check "program: configure" cross executable -DONNXC_EXECUTABLE="$onnxc"
check "program: build" cmake --build executable/build
check "program: ARM code" is_arm executable/build/models/libflowers.a

write_project subproject add_subdirectory
sed -i '/add_subdirectory(app)/d' subproject/CMakeLists.txt
check "subproject: configure" cross subproject
check "subproject: a host build of the generator" sh -c \
  "ninja -C subproject/build -t query models/onnxc/flowers/flowers.cpp | grep -q onnxc-host/onnxc"
if [ -n "${ONNXC_SLOW_TESTS:-}" ]; then
  check "subproject: build" cmake --build subproject/build
  check "subproject: ARM code" is_arm subproject/build/models/libflowers.a
fi
finish
