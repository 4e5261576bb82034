#!/usr/bin/env bash
# What guides show: the two recipes of tokenizers.md, the header of training.md.
# usage: guides_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
. "$source_dir/tests/docs/page.sh"
unset CXX CXXFLAGS
export ONNXC_SOURCE=$source_dir PATH=${onnxc%/*}:$PATH

# tokenizers.md: the first recipe alone, then the decoder.
mkdir tokenizer
(
  cd tokenizer
  cp "$examples/05_chat/tokenizer.json" .
  awk '/^```cpp/ { exit } 1' "$source_dir/docs/tokenizers.md" >first.md
  divide first.md blocks
)
check "tokenizers.md: the first command" sh -c "cd tokenizer && sh -eu blocks/*.sh && test -e generated/words.h"
awk '/^## / { on = /Text by a decoder/ } on' "$source_dir/docs/tokenizers.md" >decoder.md
run_page "$PWD/decoder.md"

# training.md: every line of its header is in the one that its commands write.
mkdir training
(
  cd training
  cp "$examples/03_training/model.onnx" .
  divide "$source_dir/docs/training.md" blocks
)
check "training.md: prepare and compile" sh -c "cd training && for block in blocks/*.sh; do sh -eu \$block; done"
sed 's, */\*.*,,; s/ *$//' training/rings.h | tr -s ' \n' ' ' >header
same_header() {
  local line
  sed 's, */\*.*,,; s/ *$//' training/blocks/*.c | tr -s ' \n' ' ' | sed 's/ #define/\n#define/g; s/; /;\n/g; s/ \(rings_status\)/\n\1/g' >lines
  while read -r line; do
    [ -z "$line" ] || grep -qF -- "$line" header || { echo "not in the header: $line"; return 1; }
  done <lines
  [ "$(wc -l <lines)" -ge 6 ]
}
check "training.md: the header" same_header
finish
