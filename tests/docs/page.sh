# shellcheck shell=bash
# Sourced by the tests of pages: runs a page block by block. sh runs; a file is written where a block of cpp,
# cmake or python names one in its first line, "// NAME", or goes to its end, "// NAME, at its end"; text is what
# the sh block before it prints; other python is only shown.

# divide PAGE DIR: each block of code as a file, LINE.LANGUAGE.
divide() {
  mkdir -p "$2"
  awk -v dir="$2" '/^```/ { if (inside) { close(file); inside = 0 }
                            else { file = sprintf("%s/%03d.%s", dir, NR, substr($0, 4)); printf "" >file; inside = 1 }
                            next }
                   inside { print >file }' "$1"
}

runs_block() { (cd page && bash -eu "$1") >said.log 2>&1 || { cat said.log; return 1; } }

writes_block() {
  local name
  name=$(sed -n '1s/^\(\/\/\|#\) //p' "$1")
  case $name in
    *", at its end") cat "$1" >>"page/${name%, at its end}" ;;
    *.cpp | *.hpp | *.txt | *.py) cp "$1" "page/$name" ;;
    *) case $1 in *.python) ;; *) echo "its first line names no file"; return 1 ;; esac ;;
  esac
}

# Every line is a part of one that the commands printed.
printed() {
  local line
  while read -r line; do
    grep -qF -- "$line" said.log || { echo "not printed: $line"; cat said.log; return 1; }
  done <"$1"
}

# run_page PAGE: in the folder `page`, which stays.
run_page() {
  local page=$1 block line
  rm -rf blocks page
  mkdir page
  divide "$page" blocks
  for block in "$PWD"/blocks/*; do
    line=$(basename "$block")
    line="${page#"$source_dir/"}:$((10#${line%.*}))"
    case $block in
      *.sh) check "$line: runs" runs_block "$block" ;;
      *.cpp | *.cmake | *.python) check "$line: is a file" writes_block "$block" ;;
      *.text) check "$line: is printed" printed "$block" ;;
      *) check "$line: a block of a known language" false ;;
    esac
  done
}
