#!/usr/bin/env bash
# The own cases on two devices, annotated by `onnxc shard`, compute what they are expected to compute.
# usage: own_cases_test.sh ONNXC WORK_DIR; some of them, with FULL=1 all
. "$(dirname "$0")/../cli/check.sh"
export CXX=${CXX:-clang++} CXXFLAGS=-O0
type "$CXX" >/dev/null || export CXX=g++

thin "$(level 150 40 1)" chosen "$source_dir"/tests/conformance/cases/*.case
"$onnxc" verify --export cases chosen >export.log 2>&1

# sharded BY: folders of the cases that `shard` can spread; no other failure than that it cannot.
sharded() {
  local by=$1 model folder code
  for model in cases/*/*/model.onnx; do
    folder=$by/${model#*/} folder=${folder%/*} code=0
    mkdir -p "$folder"
    "$onnxc" shard "$model" --devices 2 --by "$by" -o "$folder/model.onnx" >shard.log 2>&1 || code=$?
    case $code in
      0) cp -r "$(dirname "$model")"/{test_data_set_*,data.json} "$folder" 2>/dev/null || true ;;
      1) rm -r "$folder" ;;
      *) echo "$model: exit code $code"; cat shard.log; return 1 ;;
    esac
  done
  ls "$by"/*/* >/dev/null
}

# Every case passes, but for those refused for a size that is known only while another device runs.
right() {
  "$onnxc" verify --devices devices_2 "$1" --report "$1.tsv" >"$1.log" 2>&1 || true
  [ "$(($(wc -l <"$1.tsv") - 1))" = "$(ls -d "$1"/*/* | wc -l)" ] || return 1
  ! awk -F'\t' 'NR > 1 && $2 != "pass" && !($2 == "refused" && /known only at run time/)' "$1.tsv" | grep .
}

for by in tensors stages; do
  check "all cases by $by are annotated or cannot be" sharded $by
  check "those by $by are right" right $by
done
finish
