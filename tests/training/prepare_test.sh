#!/usr/bin/env bash
# onnxc prepare: every loss and optimiser makes a model that learns; what it refuses.
# usage: prepare_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"

# learns LOSS OPTIMIZER RATE RATIO [options of prepare]
learns() {
  local loss=$1 optimizer=$2 rate=$3 ratio=$4
  shift 4
  "$onnxc" prepare "$mlp" --loss "$loss" --optimizer "$optimizer" --lr "$rate" "$@" -o trained.onnx &&
    "$onnxc" trained.onnx --train --no-heap --name net -o net -q &&
    g++ -std=c++17 -O1 -I. -Wall -Wextra -Werror ${RATE:+-DRATE=$RATE} ${LABEL:+-DLABEL=$LABEL} net.cpp "$here/prepare.cpp" -o prepare &&
    ./prepare "$ratio"
}

for optimizer in sgd momentum adam adamw adagrad; do
  check "mse by $optimizer" learns mse $optimizer 0.01 0.2 --train '*'
done
check "mean of absolute values" learns l1 sgd 0.01 0.2 --train '*'
# Labels between 0 and 1: the loss ends at their entropy.
check "binary cross-entropy" learns bce adam 0.01 0.85 --train '*'
LABEL=2 check "classes" learns softmax_cross_entropy adam 0.01 0.2 --train '*'
check "some weights only" learns mse sgd 0.01 0.5 --train 'w2' --train 'b?'
check "frozen weights are constants" bash -c "! grep NET_STATE_W1 net.h"
RATE=0.01f check "a rate from the caller" learns mse sgd input 0.2 --train '*'
check "an inference graph as before" exits 0 "$onnxc" verify --model trained.onnx "$examples/01_mlp/test_data_set_0"
check "inspect shows the variables" bash -c "'$onnxc' inspect trained.onnx | grep -A9 '^state' | grep -q '\"w1\"'"

refused() { # text, options...
  local text=$1
  shift
  ! "$onnxc" prepare "$mlp" --loss mse --optimizer sgd -o no.onnx "$@" 2>refused.log &&
    grep -q "$text" refused.log && [ ! -e no.onnx ]
}
check "a pattern without a match" refused "matches no initializer" --train 'x*'
check "no such output" refused "is no graph output" --train '*' --output nothing
check "weight decay without adamw" refused "sgd has none, adamw has" --train '*' --weight-decay 0.1
check "no loss of that name" exits 2 "$onnxc" prepare "$mlp" --loss none --optimizer sgd --train '*' -o no.onnx

# Models of older opsets, and what a pattern leaves out.
cat >old.case <<'END'
=== old
<ir_version: 4, opset_import: ["": 9]>
(float[N,2] x) => (float[N,3] p) <float[2,3] w = {1, 0, -1, 0.5, -0.5, 0}, float[3] b = {0, 0, 0}> {
  z = MatMul (x, w)
  s = Add (z, b)
  p = Softmax (s)
}
given float[1,2] x = {0, 0}
expect float[1,3] p = {0.333333, 0.333333, 0.333333}

=== scaled
<ir_version: 8, opset_import: ["": 13]>
(float[1,1,2,2] x) => (float[1,1,4,4] y)
    <float[1,1,1,1] w = {1}, float[4] scales = {1, 1, 2, 2}, float[1] one = {1}, float six = {6}, float[1] mean = {0}> {
  c = Conv (x, w)
  n = BatchNormalization (c, one, one, mean, one)
  l = Clip (n, "", six)
  y = Resize (l, "", scales)
}
given float[1,1,2,2] x = {0, 0, 0, 0}
expect float[1,1,4,4] y = full(1)
END
"$onnxc" verify --export folders old.case
old=folders/old/old/model.onnx
prepares() { "$onnxc" prepare "$@" -o trained.onnx && "$onnxc" trained.onnx --train --name net -o net -q; }
check "opset 9" prepares $old --loss mse --optimizer momentum --train '*'
check "classes without the loss of opset 12" prepares $old --loss softmax_cross_entropy --optimizer sgd --train '*'
scaled=folders/old/scaled/model.onnx
check "settings are no weights" prepares $scaled --loss mse --optimizer sgd --train '*'
check "the weights are" bash -c "grep STATE_W net.h && grep STATE_ONE net.h"
check "but no scales, bounds, statistics" bash -c "! grep -E 'STATE_(SCALES|SIX|MEAN)' net.h"
check "a name selects any initializer" prepares $scaled --loss mse --optimizer sgd --train six
finish
