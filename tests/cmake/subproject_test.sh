#!/usr/bin/env bash
# onnxc inside another project: given as a program, by add_subdirectory, by FetchContent.
# The latter two only configure, since building the compiler again takes minutes; ONNXC_SLOW_TESTS
# builds them too.
. "$(dirname "$0")/check_projects.sh"

write_project executable executable
check "executable: configure" cmake -S executable -B executable/build -G Ninja -DONNXC_EXECUTABLE="$onnxc"
check "executable: build" cmake --build executable/build
check "executable: run" sh -c "executable/build/app/app | grep -q versicolor"

# FetchContent with a program that is there: nothing of the compiler is built.
write_project prebuilt fetch_content
mkdir -p archive/onnxc-0/bin
cp "$onnxc" archive/onnxc-0/bin/onnxc
tar czf onnxc.tar.gz -C archive onnxc-0
hash=SHA256=$(sha256sum onnxc.tar.gz | cut -d' ' -f1)
prebuilt() { # folder, definitions
  local folder=$1
  shift
  cmake -S prebuilt -B "$folder" -G Ninja "$@"
}
builds_models_only() { ! ninja -C "$1" -t commands app/app | grep -q compiler/main.cpp; }
check "a program for FetchContent: configure" prebuilt prebuilt/given -DONNXC_EXECUTABLE="$onnxc"
check "a program for FetchContent: models only" builds_models_only prebuilt/given
check "an archive for FetchContent: configure" prebuilt prebuilt/build -DONNXC_PREBUILT_URL="file://$work/onnxc.tar.gz" \
  -DONNXC_PREBUILT_HASH="$hash"
check "an archive for FetchContent: models only" builds_models_only prebuilt/build
check "an archive for FetchContent: build" cmake --build prebuilt/build
check "an archive for FetchContent: run" sh -c "prebuilt/build/app/app | grep -q versicolor"
check "an archive without its hash" exits 1 prebuilt prebuilt/no -DONNXC_PREBUILT_URL="file://$work/onnxc.tar.gz"
check "an archive with another hash" exits 1 prebuilt prebuilt/other -DONNXC_PREBUILT_URL="file://$work/onnxc.tar.gz" \
  -DONNXC_PREBUILT_HASH="SHA256=$(echo | sha256sum | cut -d' ' -f1)"

check "several configurations: configure" cmake -S executable -B executable/multi -G "Ninja Multi-Config" -DONNXC_EXECUTABLE="$onnxc"
for configuration in Debug Release; do
  check "$configuration: build" cmake --build executable/multi --config $configuration
  check "$configuration: run" sh -c "executable/multi/app/$configuration/app | grep -q versicolor"
done

# Whether the generator's own sources are compiled with optimisation.
optimised() {
  ninja -C "$1" -t commands onnxc | grep -e ' -c .*compiler/main.cpp' | grep -q -e ' -O[123] '
}

for how in add_subdirectory fetch_content; do
  write_project "$how" "$how"
  check "$how: configure" cmake -S "$how" -B "$how/build" -G Ninja
  check "$how: the model depends on the compiler" sh -c \
    "ninja -C '$how/build' -t query models/onnxc/flowers/flowers.cpp | grep -q onnxc"
  check "$how: an optimised compiler without CMAKE_BUILD_TYPE" optimised "$how/build"
  check "$how: no tests of onnxc" sh -c "cd '$how/build' && ctest -N | grep -q 'Total Tests: 1'"
  if [ -n "${ONNXC_SLOW_TESTS:-}" ]; then
    check "$how: build" cmake --build "$how/build"
    check "$how: run" sh -c "'$how/build/app/app' | grep -q versicolor"
  fi
done
finish
