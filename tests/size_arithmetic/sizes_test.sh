#!/usr/bin/env bash
# Random integer arithmetic on sizes against NumPy, with open, bounded and fixed sizes, under the
# sanitizers. More models with SLOW=1, and with FULL=1.
# usage: sizes_test.sh ONNXC WORK_DIR [FIRST_SEED COUNT]
. "$(dirname "$0")/../cli/check.sh"
needs numpy

export CXXFLAGS="-O0 -fsanitize=address,undefined -fno-sanitize-recover=all"
models=$(level 1 3 6)
first=${3:-1} count=${4:-$(level 1 2 4)}
for seed in $(seq "$first" $((first + count - 1))); do
  $python "$here/generate.py" --seed "$seed" --models "$models" --uses 25 >open.case
  check "open sizes, seed $seed" passes open.case
  check "bounded sizes, seed $seed" passes open.case --dim N=0..9 --dim M=0..9 --dim K=0..9
  n=$((seed % 10)) m=$((seed * 3 % 10)) k=$((seed * 7 % 10))
  $python "$here/generate.py" --seed "$seed" --models "$models" --uses 25 --sizes $n,$m,$k >fixed.case
  check "fixed sizes, seed $seed" passes fixed.case --dim N=$n --dim M=$m --dim K=$k
done
finish
