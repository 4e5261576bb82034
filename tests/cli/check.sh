# shellcheck shell=bash
# Sourced by the test scripts: arguments, a clean folder, counting of checks, and what many of them do.
set -eu
onnxc=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
source_dir=${ONNXC_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
# A folder that holds this script or the sources is a mistake in the arguments.
for kept in "$source_dir" "$here"; do
  case $kept/ in "$(realpath -m "$work")"/*) echo "$work holds the tests: it would be emptied" >&2; exit 2 ;; esac
done
rm -rf "$work"
mkdir -p "$work"
cd "$work"
passed=0 failed=0

# check TEXT COMMAND...: the command succeeds.
check() {
  local text=$1
  shift
  if "$@" >check.log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL: $text"
    tail -n 20 check.log
  fi
}

# exits CODE COMMAND...: the command ends with this code.
exits() {
  local want=$1 got=0
  shift
  "$@" >exits.log 2>&1 || got=$?
  [ "$got" = "$want" ] || { echo "exit code $got, want $want: $*"; cat exits.log; return 1; }
}

# prints TEXT COMMAND...: the text is in what the command prints, whatever its exit code.
prints() {
  local text=$1
  shift
  "$@" >prints.log 2>&1 || true
  grep -qF -- "$text" prints.log || { echo "wanted: $text"; cat prints.log; return 1; }
}

# says CODE TEXT COMMAND...: the exit code, and a text in what the command prints.
says() {
  local code=$1 text=$2
  shift 2
  exits "$code" "$@" || return 1
  grep -qF -- "$text" exits.log || { echo "wanted: $text"; cat exits.log; return 1; }
}

# unpack FILE.case...: the cases as the folders FILE/CASE with model.onnx and data.
unpack() { "$onnxc" verify --export . "$@" >unpack.log 2>&1 || { cat unpack.log; return 1; }; }

# passes PATH... [OPTION...]: all cases pass.
passes() { "$onnxc" verify "$@" --report passes.tsv || { grep -v -P '\tpass\t' passes.tsv; false; }; }

# What generated code is compiled with: no warning, no exceptions, nothing undefined.
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wdouble-promotion -Werror"
strict="-std=c++17 $warnings -fno-exceptions -fno-rtti"
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"

# program TEXT NAME ARGUMENT...: the program NAME.cpp of the folder programs next to the script, with
# these sources and flags of the compiler, compiles and returns 0.
program() {
  local text=$1 name=$2
  shift 2
  # shellcheck disable=SC2086
  check "$text: compiles" ${CXX:-g++} $strict -O1 $sanitizers -pthread -I. "$here/programs/$name.cpp" \
    "$@" -o "$name.run"
  check "$text" "./$name.run"
}

# model_flags NAME: the flags that tests/cli/model.hpp wants for the model of this name.
model_flags() { echo "-DMODEL=$1 -DMODEL_CAPS=${1^^} -DMODEL_HEADER=\"$1.h\""; }

# is_c NAME: the header NAME.h is one of C.
is_c() {
  echo "#include \"$(basename "$1").h\"" >"$1_header.c"
  ${CC:-gcc} -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$1_header.c"
}

# needs MODULE...: skips the test unless there is a Python with these modules, which is $python.
needs() {
  local modules
  modules=$(IFS=,; echo "$*")
  for python in /usr/bin/python3 python3; do
    "$python" -c "import $modules" 2>/dev/null && return
  done
  echo "skipped: needs Python with $modules"
  exit 77
}

# installed TOOL: whether it is there; with NO_SKIP=1 it must be.
installed() {
  command -v "$1" >/dev/null && return
  [ -z "${NO_SKIP:-}" ] || check "$1 is installed" false
  return 1
}

# Whether the long forms of tests run.
slow() { [ -n "${SLOW:-}${FULL:-}" ]; }
full() { [ -n "${FULL:-}" ]; }

# level QUICK SLOW FULL: the one of this run.
level() { if full; then echo "$3"; elif slow; then echo "$2"; else echo "$1"; fi; }

# thin EVERY FOLDER FILE...: every EVERYth case of files of cases, as files of these names in FOLDER,
# and the cases that these are like.
thin() {
  local every=$1 folder=$2 file
  shift 2
  mkdir -p "$folder"
  for file in "$@"; do
    awk -v every="$every" '
      FNR == 1 { n = 0 }
      /^=== / { keep = n++ % every == 0 || (FNR < NR && $2 in wanted) }
      FNR == NR && keep && /^like / { sub(",$", "", $2); wanted[$2] = 1 }
      FNR < NR && keep' "$file" "$file" >"$folder/$(basename "$file")"
    [ ! -f "${file%.case}.data" ] || cp "${file%.case}.data" "$folder"
  done
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}

examples=$source_dir/examples
mlp=$examples/01_mlp/model.onnx
cnn=$examples/02_cnn/model.onnx
case_files=$source_dir/tests/conformance/cases
