#!/usr/bin/env bash
# The generated interface: dialects of C and C++ without warnings, what run() takes, what the code says of itself, and
# the programs of docs/generated-interface.md.
. "$(dirname "$0")/check.sh"

"$onnxc" "$mlp" -o gen/flowers -q
"$onnxc" "$cnn" -o gen/shapes -q --threads 2 --hook --steps --weights extern
"$onnxc" "$source_dir/tests/golden/dynamic.onnx" -o gen/dynamic -q
"$onnxc" "$source_dir/tests/golden/words.onnx" -o gen/words -q
"$onnxc" prepare "$mlp" --loss mse --optimizer adam --train '*' -o rings.onnx >/dev/null
"$onnxc" rings.onnx -o gen/rings -q --train
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Igen"
for name in flowers shapes dynamic words rings; do
  echo "#include \"$name.h\"" >$name.c
  echo "int use(void); int use(void) { return ${name}_info() != 0; }" >>$name.c
  cp $name.c $name.cpp
  for dialect in c99 c11; do
    for compiler in gcc clang; do
      installed $compiler && check "$compiler, $dialect, $name" $compiler -std=$dialect $warnings -fsyntax-only $name.c
    done
  done
  for dialect in c++11 c++14 c++17 c++20; do
    for compiler in g++ clang++; do
      installed $compiler && check "$compiler, $dialect, $name" $compiler -std=$dialect $warnings -fsyntax-only $name.cpp
    done
  done
done
check "a model without a name is fine, too" sh -c "'$onnxc' '$mlp' -o gen/other --namespace a::b -q && echo '#include \"other.h\"' | g++ -std=c++17 $warnings -fsyntax-only -x c++ -"

# Whatever holds as many elements can be given; the rest does not compile, or gives BAD_ARGUMENT.
calls=$here/programs/interface_calls.cpp
for dialect in c++11 c++17 c++20; do
  check "calls, $dialect" sh -c "g++ -std=c++17 -O1 -c gen/flowers.cpp -o flowers.o && g++ -std=$dialect $warnings $calls flowers.o -o calls && ./calls"
done
refused() {
  cat >refused.cpp <<END
#include <vector>
#include "flowers.h"
int f(float* y, void* arena) { $1; return flowers::run($2, y, arena); }
END
  ! g++ -std=c++17 -Igen -fsyntax-only refused.cpp 2>error
}
check "a larger array does not compile" refused "float x[5] = {}" x
check "for this reason" grep -q 'an array of another size' error
check "a smaller one neither" refused "float x[2][1] = {}" x
check "another type" refused "double x[4] = {}" x
check "for that reason" grep -q 'an array of another type' error
check "a pointer to another type" refused "double* x = nullptr" x
check "an output that is constant" refused "const float x[3] = {}" "y, x, arena); return flowers::run(y"

# A model may be called like a kernel that it uses.
for name in gemm softmax at Relu; do
  "$onnxc" "$mlp" -o named/$name -q
  check "a model called $name" g++ -std=c++17 -Wall -Wextra -Wshadow -Werror -fsyntax-only named/$name.cpp
done

# Nobody asks for them: the linker leaves them out.
check "a program without info" sh -c "gcc -Igen -c $here/programs/interface_small.c -o small.o && g++ -std=c++17 -O2 -ffunction-sections -fdata-sections -c gen/flowers.cpp -o sections.o &&
  g++ -Wl,--gc-sections small.o sections.o -o small && ! nm -C small | grep -e flowers_info -e flowers_status_text"
check "no text of it" sh -c "! strings small | grep -q 'misaligned arena'"
check "nothing writable but relocated constants" sh -c \
  "! objdump -t sections.o | awk '\$3 ~ /^[OF]/ || \$4 ~ /^\./' | grep -E '\.(data|bss)' | grep -v '\.data\.rel\.ro' | grep ' O '"

# The programs of the documentation: those that say how they are built.
awk '/^```c$/ { on = 1; name = ""; next } /^```$/ { on = 0 } on { if (name == "" && $1 == "/*") name = $2; if (name ~ /\.c:$/) print > substr(name, 1, length(name) - 1) }' \
  "$source_dir/docs/generated-interface.md"
/usr/bin/python3 -c 'import onnx' 2>/dev/null && {
  /usr/bin/python3 - "$mlp" <<'END'
import sys, onnx
model = onnx.load(sys.argv[1])
for port in [*model.graph.input, *model.graph.output]:
    port.type.tensor_type.shape.dim[0].dim_param = "batch"
onnx.save(model, "flowers.onnx")
END
  "$onnxc" flowers.onnx -o open/flowers -q
  "$onnxc" "$cnn" -o pool/shapes -q --threads 2
  program() { # name, folder, flags
    gcc -std=c11 -Wall -Wextra -Wconversion -Werror -I"$2" -c "$1.c" -o "$1.o" &&
      g++ -std=c++17 -O1 "$1.o" "$2"/*.cpp -pthread -o "$1" && "./$1" >"$1.out"
  }
  check "the program for an open batch" program open_batch open
  check "says what it should" diff - open_batch.out <<<"versicolor
setosa"
  check "the program with threads" program two_threads pool
  check "says so" grep -q 'It is a ' two_threads.out
}
finish
