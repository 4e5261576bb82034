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

# What `auto` makes of flags, and of the processor where no flag names one.
found() { # target, compiler, flags, processor
  cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.20)
project(arch NONE)
set(CMAKE_CXX_COMPILER $2)
set(CMAKE_CXX_FLAGS "$3")
set(CMAKE_SYSTEM_PROCESSOR "${4:-}")
include($source_dir/compiler/cmake/OnnxcAddModel.cmake)
_onnxc_detect_arch(known)
message(STATUS "target \${known};")
END
  rm -rf arch
  cmake -S . -B arch >arch.log 2>&1 && grep -q "target $1;" arch.log
}
arm=arm-none-eabi-g++
while read -r target flags; do
  check "$target: $flags" found "$target" "$arm" "$flags"
done <<'END'
cortex-m0plus -mcpu=cortex-m0plus
cortex-m0plus -mcpu=cortex-m0 -mthumb
cortex-m3 -mcpu=cortex-m3 -mthumb
cortex-m4 -mcpu=cortex-m4 -mthumb
cortex-m4f -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard
cortex-m4f -mcpu=cortex-m4 -mfloat-abi=hard
cortex-m7 -mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard
cortex-m33 -mcpu=cortex-m33 -mfpu=fpv5-sp-d16 -mfloat-abi=hard
cortex-m55 -mcpu=cortex-m55 -mfloat-abi=hard
generic -mcpu=cortex-a9
END
check "the processor alone" found cortex-m7 "$arm" "" cortex-m7
check "another processor alone" found generic "$arm" "" arm
check "x86" found x86-64-v3 g++ -march=x86-64-v3
if installed riscv64-unknown-elf-g++; then
  check "rv32imc" found rv32imc riscv64-unknown-elf-g++ "-march=rv32imc -mabi=ilp32"
  check "rv64gc" found riscv riscv64-unknown-elf-g++ "-march=rv64gc -mabi=lp64d"
  check "rv32imafc" found rv32imafc riscv64-unknown-elf-g++ "-march=rv32imafc -mabi=ilp32f"
fi
installed clang++ && check "WebAssembly" found wasm32 clang++ "--target=wasm32"
installed clang++ && check "armv8-a, clang" found armv8-a clang++ "--target=aarch64-linux-gnu -mcpu=cortex-a72"
installed aarch64-linux-gnu-g++ && check "armv8-a" found armv8-a aarch64-linux-gnu-g++ ""

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
