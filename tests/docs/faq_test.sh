#!/usr/bin/env bash
# The program of faq.md that maps the weights from a file; where --weights auto changes its form, as faq.md says.
# usage: faq_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/docs/page.sh"
unset CXX CXXFLAGS
export PATH=${onnxc%/*}:$PATH

awk '/^##/ { on = /map the weights/ } on' "$source_dir/docs/faq.md" >mapped.md
divide mapped.md blocks
mkdir page
cp "$cnn" page/model.onnx
for block in "$PWD"/blocks/*; do
  case $block in
    *.sh) check "$(basename "$block"): runs" runs_block "$block" ;;
    *) check "$(basename "$block"): is a file" writes_block "$block" ;;
  esac
done
check "it computes probabilities" awk '{ sum += $1 } END { exit !(NR == 4 && sum > 0.99 && sum < 1.01) }' said.log

limit() { sed -n "s/.*$1 = std::int64_t{\([0-9]*\)} << 20;/\1/p" "$source_dir/compiler/emit/weights.cpp"; }
check "inline up to" grep -q "^| up to $(limit kInlineLimit) MiB | .inline" "$source_dir/docs/faq.md"
check "incbin up to" grep -q "^| up to $(limit kEmbedLimit) MiB | .incbin" "$source_dir/docs/faq.md"
finish
