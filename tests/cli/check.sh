# shellcheck shell=bash
# Sourced by the test scripts: arguments, a clean folder, and counting of checks.
set -eu
onnxc=$1 work=$2
source_dir=${ONNXC_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
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

# installed TOOL: whether it is there; with NO_SKIP=1 it must be.
installed() {
  command -v "$1" >/dev/null && return
  [ -z "${NO_SKIP:-}" ] || check "$1 is installed" false
  return 1
}

# Whether the long forms of tests run.
slow() { [ -n "${SLOW:-}${FULL:-}" ]; }

# thin EVERY FOLDER FILE...: every EVERYth case of files of cases, as files of these names in FOLDER.
thin() {
  local every=$1 folder=$2 file
  shift 2
  mkdir -p "$folder"
  for file in "$@"; do
    awk -v every="$every" '/^=== / { skip = n++ % every } !skip' "$file" >"$folder/$(basename "$file")"
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
