#!/usr/bin/env bash
# The tables of Unicode are those of Python, where that has the same version of Unicode.
# usage: unicode_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"

check "tables of Unicode" /usr/bin/python3 "$source_dir/tests/text/tables.py" --check "$source_dir"
finish
