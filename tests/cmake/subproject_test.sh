#!/usr/bin/env bash
# onnxc inside another project: given as a program, by add_subdirectory, by FetchContent.
# The latter two only configure, since building the compiler again takes minutes; ONNXC_SLOW_TESTS
# builds them too.
. "$(dirname "$0")/check_projects.sh"

write_project executable executable
check "executable: configure" cmake -S executable -B executable/build -G Ninja -DONNXC_EXECUTABLE="$onnxc"
check "executable: build" cmake --build executable/build
check "executable: run" sh -c "executable/build/app/app | grep -q versicolor"

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
