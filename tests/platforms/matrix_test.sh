#!/usr/bin/env bash
# Generated code on other systems and processors: models with self tests, strings, every form of the weights, one and
# two threads, as one program for each platform, run where there is something that runs it.
# usage: matrix_test.sh ONNXC WORK_DIR
# Without SLOW=1: plain C++ and one other platform. TABLE=docs/platforms.md, an absolute path: writes its table.
# PLATFORMS names some of them. WINE32: what runs programs of 32-bit Windows, wine32's loader by default.
. "$(dirname "$0")/../cli/check.sh"
models="recurrent/LSTM_22_3x48 tree_regressors/TreeEnsembleRegressor_1 loop/Loop_1 if/If_1
  contrib_packed_weights/MatMulNBits_1_8_zeros attention/Attention_25_causal quantized_convolution/Conv_11_bytes
  quantized_matmul/Gemm_13_bytes movement/Transpose_13_c64 contrib_fused/BiasSoftmax_1"
rows=$work/rows.md

make_models() {
  local case name n=0
  unpack "$case_files"/{recurrent,tree_regressors,loop,if,contrib_packed_weights,attention,movement,contrib_fused,text}.case \
    "$case_files"/quantized_{convolution,matmul}.case || return 1
  : >models.inc
  : >models.h
  for case in "$examples/01_mlp" "$examples/02_cnn" $models; do
    n=$((n + 1)) name=m$n
    "$onnxc" "$case/model.onnx" -o $name -q --weights inline --selftest "$case/test_data_set_0" || return 1
    echo "MODEL($name, M$n)" >>models.inc
    echo "#include \"$name.h\"" >>models.h
  done
  for name in inline string incbin extern; do
    "$onnxc" "$cnn" -o shapes_$name -q --weights $name --threads 2 || return 1
    echo "#include \"shapes_$name.h\"" >>models.h
  done
  od -An -v -tu1 shapes_extern_weights.bin | sed 's/ *\([0-9][0-9]*\)/\1,/g' >shapes_extern.inc
  "$onnxc" text/StringNormalizer_10_letters/model.onnx -o words -q || return 1
  echo '#include "words.h"' >>models.h
}

# Compiles and links the program of a platform in a folder of its own. forms: of the weights, without inline ones.
build() { # folder, compiler and flags, forms, flags for the linker
  local form defines="" sources="m[0-9]*.cpp words.cpp shapes_inline.cpp" source
  for form in $3; do
    sources="$sources shapes_$form.cpp"
    case $form in string | incbin) sources="$sources shapes_${form}_weights.cpp" ;; esac
    defines="$defines -DMATRIX_${form^^}"
  done
  mkdir -p "$1"
  for source in $sources $here/matrix.cpp; do
    # shellcheck disable=SC2086
    $2 -std=c++17 -Wall -Wextra -Werror -I. $defines -c $source -o "$1/$(basename "$source").o" || return 1
  done
  [ -n "${4+link}" ] || return 0
  # shellcheck disable=SC2086
  $2 "$1"/*.o ${4:-} -o "$1/program.exe"
}

row() { printf '| %s | %s | %s | %s | %s |\n' "$@" >>"$rows"; }

# A platform whose program is run.
run_cell() { # name, title, needed tools, compiler and flags, forms, flags for the linker, runner
  wanted "$1" || return 0
  local tool before=$failed
  for tool in $3; do
    command -v "${tool}" >/dev/null || { echo "not tried: $2, for want of $tool"; row "$2" "$4" - - "not tried"; return 0; }
  done
  check "$2 compiles" build "$1" "$4" "$5" "$6"
  check "$2 is right" prints right timeout 300 $7 "$1/program.exe"
  [ "$failed" = "$before" ] && row "$2" "\`$4\`" "inline $5" "${threads:-1 and 2}" run ||
    row "$2" "\`$4\`" "inline $5" "${threads:-1 and 2}" wrong
}

# One whose objects are looked at.
compile_cell() { # name, title, needed tools, compiler and flags, forms
  wanted "$1" || return 0
  local tool before=$failed
  for tool in $3; do
    command -v "$tool" >/dev/null || { echo "not tried: $2, for want of $tool"; row "$2" "$4" - - "not tried"; return 0; }
  done
  check "$2 compiles" build "$1" "$4" "$5"
  [ "$failed" = "$before" ] && row "$2" "\`$4\`" "inline $5" "${threads:-1 and 2}" compiled ||
    row "$2" "\`$4\`" "inline $5" "${threads:-1 and 2}" wrong
}

# refuses TEXT COMPILER SOURCE: an #error that says what to do.
refuses() {
  local text=$1
  shift
  # shellcheck disable=SC2086
  says 1 "$text" $1 -std=c++17 -I. -fsyntax-only "$2"
}

musl_files() { echo "-L/usr/lib/x86_64-linux-musl /usr/lib/x86_64-linux-musl/crt1.o -lstdc++ -lgcc_eh -lgcc -l:libc.a -lgcc"; }

wanted() { case " $platforms " in *" $1 "*) ;; *) false ;; esac; }

platforms=${PLATFORMS:-plain i386}
! slow || [ -n "${PLATFORMS:-}" ] || platforms="linux plain plain-clang own-threads mingw64 mingw-clang mingw32 dll msvc i386 armhf
  aarch64 riscv64 s390x ppc64 musl wasm wasm-simd macos-arm64 macos-x86-64"
platforms=$(echo $platforms)
export WINEPREFIX=$work/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
all="string incbin extern"
check "models" make_models
: >"$rows"

run_cell linux "Linux, x86-64" g++ "g++ -O1" "$all" -pthread ""
run_cell plain "plain C++" g++ "g++ -O1 -DONNXC_NO_VECTOR_EXTENSIONS" "$all" -pthread ""
run_cell plain-clang "plain C++, clang" clang++ \
  "clang++ -O1 -DONNXC_NO_VECTOR_EXTENSIONS -fms-extensions -fno-gnu-keywords" "$all" -pthread ""
run_cell own-threads "threads of the caller" g++ "g++ -O1 -DONNXC_OWN_THREADS" "$all" "$here/own_threads.cpp -pthread" ""
run_cell mingw64 "Windows, x86-64 (MinGW)" "x86_64-w64-mingw32-g++ wine" "x86_64-w64-mingw32-g++ -O1" "$all" -static wine
run_cell mingw-clang "Windows, x86-64 (MinGW, clang)" "clang++-19 x86_64-w64-mingw32-g++ wine" \
  "clang++-19 --target=x86_64-w64-mingw32 -O1" "$all" "-static -pthread" wine
mingw32="i686-w64-mingw32-g++ -O1 -msse2 -mfpmath=sse" wine32=${WINE32:-/usr/lib/wine/wine}
if command -v "$wine32" >/dev/null; then
  run_cell mingw32 "Windows, i686 (MinGW)" i686-w64-mingw32-g++ "$mingw32" "$all" -static "$wine32"
else
  compile_cell mingw32 "Windows, i686 (MinGW)" i686-w64-mingw32-g++ "$mingw32" "$all"
fi
run_cell i386 "Linux, i386" i686-linux-gnu-g++ "i686-linux-gnu-g++ -O1 -msse2 -mfpmath=sse" "$all" "-static -pthread" qemu-i386
run_cell armhf "Linux, armhf" "arm-linux-gnueabihf-g++ qemu-arm" "arm-linux-gnueabihf-g++ -O1 -mfpu=neon -Wno-psabi" "$all" "-static -pthread" qemu-arm
run_cell aarch64 "Linux, aarch64" "aarch64-linux-gnu-g++ qemu-aarch64" "aarch64-linux-gnu-g++ -O1" "$all" "-static -pthread" qemu-aarch64
run_cell riscv64 "Linux, riscv64" "riscv64-linux-gnu-g++ qemu-riscv64" "riscv64-linux-gnu-g++ -O1" "$all" "-static -pthread" qemu-riscv64
for machine in s390x:s390x-linux-gnu:qemu-s390x ppc64:powerpc64-linux-gnu:qemu-ppc64; do
  IFS=: read -r name prefix qemu <<<"$machine"
  run_cell $name "Linux, $name (big-endian)" "$prefix-g++ $qemu" "$prefix-g++ -O1" "" "-static -pthread" $qemu
  if wanted $name && command -v "$prefix-g++" >/dev/null; then
    for form in $all; do
      check "$name: $form is refused" refuses "generate with --weights inline" "$prefix-g++" shapes_$form.cpp
    done
    row "Linux, $name (big-endian)" "\`$prefix-g++\`" "$all" "" refused
  fi
done
run_cell musl "Linux, musl" "musl-gcc g++" "g++ -O1 -fno-exceptions -fno-rtti -U_FORTIFY_SOURCE -fno-stack-protector" \
  "$all" "-static -nostartfiles -nostdlib $(musl_files)" ""

no_threads="-DONNXC_OWN_THREADS -DMATRIX_NO_THREADS" wasi="--target=wasm32-wasi -O1 -fno-exceptions"
threads=1
run_cell wasm "WebAssembly, wasi" "clang++ wasm-ld node" "clang++ $wasi $no_threads" "string extern" "-lc" "node --no-warnings $here/wasi.mjs"
run_cell wasm-simd "WebAssembly, wasi, SIMD" "clang++ wasm-ld node" "clang++ $wasi -msimd128 $no_threads" "string extern" "-lc" \
  "node --no-warnings $here/wasi.mjs"
if wanted wasm && command -v wasm-ld >/dev/null; then
  check "WebAssembly: incbin is refused" refuses "generate with --weights string" "clang++ --target=wasm32-wasi" \
    shapes_incbin_weights.cpp
  row WebAssembly "\`clang++\`" incbin "" refused
fi

# The sources of the weights, which name sections and symbols.
hidden_symbols() { # target
  local form apple=""
  case $1 in *apple*) apple=-stdlib=libc++ ;; esac
  for form in string incbin; do
    clang++ --target="$1" $apple -std=c++17 -Wall -Werror -I. -c shapes_${form}_weights.cpp -o "$1.o" || return 1
    llvm-nm "$1.o" | grep -Eq " [RSDd] _?shapes_${form}_weights_data" || { llvm-nm "$1.o"; return 1; }
  done
}
for target in macos-arm64:arm64-apple-macos11 macos-x86-64:x86_64-apple-macos11 msvc:x86_64-pc-windows-msvc \
  msvc:i686-pc-windows-msvc msvc:aarch64-pc-windows-msvc; do
  wanted "${target%%:*}" && installed clang++ && installed llvm-nm || continue
  before=$failed
  check "weights for ${target#*:}" hidden_symbols "${target#*:}"
  [ "$failed" != "$before" ] || row "weights for ${target#*:}" "\`clang++\`" "string incbin" "" compiled
done

# What cl takes, as far as clang knows: no word of GNU's is left after the preprocessor.
is_plain() { # source
  clang++ -std=c++17 -fms-extensions -fno-gnu-keywords -DONNXC_NO_VECTOR_EXTENSIONS -Wgnu -Werror \
    -Wno-gnu-zero-variadic-macro-arguments -I. -fsyntax-only "$1" || return 1
  clang++ -std=c++17 -DONNXC_NO_VECTOR_EXTENSIONS -I. -E "$1" |
    awk '/^# [0-9]+ "/ { own = $3 !~ /^"(\/usr|<)/ } own && !/^#/' |
    sed 's/__builtin_offsetof/offsetof/g' >plain.i
  ! grep -nE '__attribute__|__builtin|__atomic|__int128|__extension__|\<(asm|typeof)\>' plain.i
}
if wanted plain && installed clang++; then
  for source in m[0-9]*.cpp words.cpp shapes_inline.cpp; do check "$source is plain C++" is_plain "$source"; done
fi

exports_functions_only() {
  x86_64-w64-mingw32-g++ -std=c++17 -O1 -Wall -Werror -DONNXC_BUILD_SHARED -I. -shared shapes_incbin.cpp \
    shapes_incbin_weights.cpp -o shapes.dll || return 1
  x86_64-w64-mingw32-objdump -p shapes.dll | sed -n '/Ordinal\/Name Pointer/,/^$/p' | grep -o 'shapes_incbin_.*' | sort >exports
  grep -qx shapes_incbin_run exports && ! grep -q weights_data exports || { cat exports; return 1; }
}
if wanted dll && command -v x86_64-w64-mingw32-g++ >/dev/null; then
  before=$failed
  check "a DLL exports the functions and nothing else" exports_functions_only
  [ "$failed" != "$before" ] || row "Windows, DLL" "\`x86_64-w64-mingw32-g++\`" incbin "" compiled
fi

{ echo '| platform | compiler | weights | threads | result |'; echo '|---|---|---|---|---|'; cat "$rows"; } >table.md
cat table.md
# In place of the table that is there.
[ -z "${TABLE:-}" ] || { awk '
    FNR == NR { table = table $0 "\n"; next }
    /^\| platform \|/ { printf "%s", table; inside = 1 }
    !/^\|/ { inside = 0 }
    !inside' table.md "$TABLE" >page.md && cp page.md "$TABLE"; }
finish
