#!/usr/bin/env bash
# A model's text never leaves the comment, string or line it is printed in: generated code compiles
# without warnings, defines nothing else, and is printable ASCII; terminals see no control bytes.
. "$(dirname "$0")/check.sh"
needs onnx
count=$("$python" "$source_dir/tests/cli/hostile_model.py" .)

is_ascii() { ! LC_ALL=C grep -lP '[^\x20-\x7e]' "$@"; }
has_no_control() { ! LC_ALL=C grep -lP '[\x00-\x09\x0b-\x1f\x7f]' "$@"; }
defines_only() { # object, names in order
  [ "$(nm -g --defined-only "$1" | awk '{print $3}' | xargs)" = "${*:2}" ]
}

# ---- as names of everything in a graph ----
check "hostile names compile to C++" \
  "$onnxc" names.onnx -o names --weights string --report names.json --report names.html \
  --dump-ir passes/ir -q
# shellcheck disable=SC2086
check "that is clean C++" \
  g++ $strict -trigraphs -O0 -c names.cpp
check "and defines functions of its own alone" defines_only names.o names_info names_run names_status_text
# shellcheck disable=SC2086
check "and whose header is clean C" \
  gcc -std=c99 $warnings -Wcomment -fsyntax-only -x c names.h
check "the files are printable ASCII" \
  is_ascii names.h names.cpp names_weights.cpp names.html names.json passes/ir/*
check "the report is JSON" "$python" -m json.tool names.json
check "the page has no other elements" \
  sh -c '[ "$(grep -oiE "<(script|img|/script)" names.html | wc -l)" = 4 ]'
check "inline weights, too" "$onnxc" names.onnx -o inline --weights inline -q
check "printable ASCII" is_ascii inline.cpp

# ---- as what describes a model: all headers in one file ----
: >all.c
for ((i = 0; i < count; ++i)); do
  "$onnxc" "about_$i.onnx" -o "about_$i" --report "about_$i.html" --report "about_$i.json" \
    >>compile.log 2>&1 || check "about_$i compiles" false
  "$onnxc" inspect "about_$i.onnx" >>inspect.log 2>&1
  "$onnxc" inspect --json "about_$i.onnx" >>inspect.json 2>&1
  "$onnxc" check "bad_$i.onnx" >>check_bad.log 2>&1 && check "bad_$i is refused" false
  "$onnxc" inspect "bad_$i.onnx" >>inspect.log 2>&1
  echo "#include \"about_$i.h\"" >>all.c
done
echo "int only_this = 0;" >>all.c
# shellcheck disable=SC2086
check "hostile descriptions are clean C" \
  gcc -std=c99 -I. $warnings -Wcomment -Wtrigraphs -c all.c -o all_c.o
check "and define nothing" defines_only all_c.o only_this
# shellcheck disable=SC2086
check "and clean C++" g++ -std=c++17 -trigraphs -I. $strict -x c++ -c all.c -o all_cpp.o
check "that defines nothing" defines_only all_cpp.o only_this
# shellcheck disable=SC2086
check "the source of the longest" \
  g++ -std=c++17 $strict -I. -c "about_$((count - 1)).cpp" -o about.o
check "printable ASCII" is_ascii about_*.h about_*.cpp about_*.html about_*.json inspect.json
check "every bad model was refused with its name" \
  sh -c "[ \$(grep -c 'error\[' check_bad.log) -ge $count ]"

# ---- on the terminal ----
"$onnxc" check names.onnx >names.log 2>&1
"$onnxc" inspect names.onnx >>names.log 2>&1
check "no control bytes" \
  has_no_control names.log compile.log inspect.log inspect.json check_bad.log
check "nothing but the gate prints" sh -c "! grep -rnE 'fmt::print\\(|[^n]printf\\(|std::(cout|cerr)' \
  '$source_dir/compiler' --include='*.cpp' | grep -vE '/(harness|embed)/'"

# ---- in the emitter: raw text in a comment or literal does not compile ----
for format in '{} = 1;' '// {}' 'int x; /* {} */' 'f(\"{}\");' ' * {:<9}'; do
  printf '#include "compiler/emit/writer.hpp"
    void f(onnxc::CodeWriter& w, const std::string& s) { w.line("%s", s); }\n' "$format" >line.cpp
  want=1
  [ "$format" = '{} = 1;' ] && want=0
  check "a std::string in $format" exits $want g++ -std=c++20 -I"$source_dir" -fsyntax-only line.cpp
done

# ---- file names ----
evil=$'evil\x1b[31m\n: x.onnx'
cp about_0.onnx "$evil"
"$onnxc" inspect "$evil" >evil.log 2>&1
"$onnxc" check "$evil" >>evil.log 2>&1 || true
check "a name that cannot be included is refused" exits 2 "$onnxc" "$evil"
cat exits.log >>evil.log
check "so is one that ends the directive" exits 2 "$onnxc" about_0.onnx -o 'a"b'
check "another name for the output helps" "$onnxc" "$evil" -o evil
check "but make cannot name it" exits 2 "$onnxc" "$evil" -o evil -MD
cat exits.log >>evil.log
check "file names with control bytes on the terminal" has_no_control evil.log
cp about_0.onnx 'a b#c$d:e\f.onnx'
check "a dependency file" "$onnxc" 'a b#c$d:e\f.onnx' -o dep -MD
touch -d 2000-01-01 'a b#c$d:e\f.onnx'
printf 'dep.cpp:\n\tfalse\ninclude dep.d\n' >Makefile
check "that make reads" make -q dep.cpp
touch -d 2100-01-01 'a b#c$d:e\f.onnx'
check "and heeds" exits 1 make -q dep.cpp
finish
