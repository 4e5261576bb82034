#!/usr/bin/env bash
# docs/firmware.md, block by block: sh runs, cpp and cmake are files that their first line names, text is what the
# commands before it print, and python is only shown.
# usage: docs_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cmake/check_projects.sh"
. "$source_dir/tests/firmware/boards.sh"
unset CXX CXXFLAGS

check "install" install_onnxc "$work/installed"
export ONNXC_ROOT=$work/installed ONNXC_SOURCE=$source_dir PATH=$work/installed/bin:$PATH
mkdir blocks page
awk '/^```/ { if (inside) { close(file); inside = 0 }
              else { file = sprintf("blocks/%03d.%s", NR, substr($0, 4)); printf "" >file; inside = 1 }
              next }
     inside { print >file }' "$source_dir/docs/firmware.md"

runs_block() { (cd page && bash -eu "$1") >said.log 2>&1 || { cat said.log; return 1; } }
# "// NAME" or "# NAME" is a new file, "..., at its end" more of it.
writes_block() {
  local name
  name=$(sed -n '1s/^\(\/\/\|#\) //p' "$1")
  case $name in
    *", at its end") cat "$1" >>"page/${name%, at its end}" ;;
    *.cpp | *.txt) cp "$1" "page/$name" ;;
    *) echo "its first line names no file"; return 1 ;;
  esac
}
# Every line is a part of one that the commands printed.
printed() {
  local line
  while read -r line; do
    grep -qF -- "$line" said.log || { echo "not printed: $line"; cat said.log; return 1; }
  done <"$1"
}

for block in "$work"/blocks/*; do
  line=$(basename "$block")
  line="docs/firmware.md:$((10#${line%.*}))"
  case $block in
    *.sh) check "$line: runs" runs_block "$block" ;;
    *.cpp | *.cmake) check "$line: is a file" writes_block "$block" ;;
    *.text) check "$line: is printed" printed "$block" ;;
    *.python) ;;
    *) check "$line: a block of a known language" false ;;
  esac
done

# The example: it builds, passes its self test and recognises every word.
runs_example() {
  cmake -S "$examples/keyword_spotting" -B example -G Ninja -Donnxc_DIR="$work/installed/lib/cmake/onnxc" \
    -DCMAKE_TOOLCHAIN_FILE="$examples/keyword_spotting/toolchain.cmake" &&
    cmake --build example && cmake --build example --target run >example.log 2>&1
}
heard_all() { [ "$(grep -cE 'said (.*), heard \1$' example.log)" = 6 ]; }
check "examples/keyword_spotting: builds and runs" runs_example
check "examples/keyword_spotting: its self test passes" grep -q 'self test: pass' example.log
check "examples/keyword_spotting: every word is recognised" heard_all
finish
