#!/usr/bin/env bash
# Every command and every source of the tutorials, page by page, each in a folder of its own.
# usage: tutorials_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cmake/check_projects.sh"
. "$source_dir/tests/docs/page.sh"
unset CXX CXXFLAGS

# The python3 that has the onnx package, under that name.
mkdir -p "$work/bin"
needs onnx.parser
ln -sf "$(command -v "$python")" "$work/bin/python3"

check "install" install_onnxc "$work/installed"
export ONNXC_ROOT=$work/installed ONNXC_SOURCE=$source_dir onnxc_DIR=$work/installed/lib/cmake/onnxc
export PATH=$work/bin:$work/installed/bin:$PATH
for page in "$source_dir"/docs/tutorials/*.md; do
  if grep -q 'import torch' "$page" && ! python3 -c 'import torch' 2>/dev/null; then
    [ -z "${NO_SKIP:-}" ] || check "torch is installed" false
    continue
  fi
  mkdir -p "$work/$(basename "$page" .md)"
  cd "$work/$(basename "$page" .md)"
  run_page "$page"
done
finish
