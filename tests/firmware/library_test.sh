#!/usr/bin/env bash
# What generated code has for compilers without a C++ library computes what that of this machine does.
# usage: library_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
# Under another name, and as where there are no headers.
sed 's/namespace std/namespace tested/; s/__has_include(<type_traits>)/0/' \
  "$source_dir/compiler/emit/text/standard_library.hpp.in" >library.hpp
check "it compiles" g++ -std=c++17 -O1 -Wall -Wextra -I. "$here/library.cpp" -o library
check "it computes the same" ./library
finish
