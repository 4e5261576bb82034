#!/usr/bin/env bash
# Generated code under strict warnings, two compilers, the sanitizers and C99.
. "$(dirname "$0")/check.sh"

strict="$strict -Igen"
mkdir gen

compiles() { # compiler, flags, file
  command -v "$1" >/dev/null || return 0
  $1 $strict $2 -c "$3" -o "$3.o"
}

if slow; then forms="speed size" levels="-O0 -O2"; else forms=speed levels=-O2; fi
# Where weights lie changes their declarations only.
for weights in inline string incbin extern; do
  slow || [ $weights = inline ] || levels=-O0
  for optimize in $forms; do
    name=cnn_${weights}_$optimize
    "$onnxc" "$cnn" -o "gen/$name" -q --weights "$weights" --optimize "$optimize"
    for file in gen/"$name"*.cpp; do
      for level in $levels; do
        check "g++ $level $(basename "$file")" compiles g++ $level "$file"
        check "clang++ $level $(basename "$file")" compiles clang++ $level "$file"
      done
    done
  done
done

printf '#include "cnn_inline_speed.h"\nint x = sizeof(cnn_inline_speed_inputs);\n' >use.c
for standard in c++11 c++14; do
  check "refused as $standard" says 1 "compile with -std=c++17" g++ -std=$standard -Igen -fsyntax-only gen/*.cpp
done
check "header as C99" gcc -std=c99 -Wall -Wextra -pedantic -Werror -Igen -c use.c
cat >use.cpp <<'END'
#include "cnn_inline_speed.h"
#include "cnn_inline_speed.h"
static_assert(CNN_INLINE_SPEED_ARENA_ALIGN % 4 == 0, "");
END
check "header as C++17, twice" g++ $strict -c use.cpp
check "no undefined symbols but libc's" sh -c \
  '! nm -u gen/cnn_inline_speed.cpp.o | grep -E "malloc|free|printf|_Zn|_Zd|__cxa|_Unwind"'
check "no writable data, but for pointers that the loader sets" sh -c \
  '! objdump -t gen/cnn_inline_speed.cpp.o | grep " O " | grep -v "\.data\.rel\.ro" | grep -E "\.(data|bss)"'

sanitize="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
if slow; then targets="generic native"; else targets=native; fi
for target in $targets; do
  check "ASan, UBSan, $target" env CXXFLAGS="$sanitize" "$onnxc" verify "$examples" -- --target "$target"
  ! slow || check "optimised, $target" env CXXFLAGS=-O3 "$onnxc" verify "$examples" -- --target "$target"
done
if installed clang++; then
  check "clang" env CXX=clang++ "$onnxc" verify "$examples"
fi
finish
