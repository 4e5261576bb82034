#!/usr/bin/env bash
# --hook and --steps: a hook that ends the call at any step leaves nothing behind, runs in blocks of steps give the
# same results, and without the options the code does not change.
. "$(dirname "$0")/check.sh"

golden=$source_dir/tests/golden
ends_everywhere() { # text, name, more flags
  program "$1: it can be ended at every step" "hook_$2" "$2.cpp" $(model_flags "$2") "${@:3}"
}

# A model of fixed sizes.
for options in "--hook" "--hook --steps" "--hook --threads 3"; do
  "$onnxc" "$cnn" -o shapes --name shapes -q $options
  case $options in *steps*) steps=-DSTEPS ;; *) steps= ;; esac
  ends_everywhere "$options" shapes $steps
done
check "the header is C" is_c shapes

# Steps of functions of the model and of a loop are one each.
"$onnxc" "$golden/functions.onnx" -o functions -q --hook --steps
ends_everywhere functions functions

# Memory from the heap is freed.
cat >open.case <<'END'
=== open
<ir_version: 8, opset_import: ["": 17]>
(float[n] x) => (float[k] y) {
  at = NonZero (x)
  flat = Squeeze (at)
  some = Gather (x, flat)
  y = Exp (some)
}
given float[3] x = {1, 0, 2}
expect float[2] y = {2.7182817, 7.3890562}
END
unpack open.case
"$onnxc" open/open/model.onnx -o opened -q --hook
ends_everywhere heap opened
check "heap: no parts" says 1 'error[steps]' "$onnxc" open/open/model.onnx -o parts -q --steps

# Training is not ended once the state has begun to change.
"$onnxc" prepare "$mlp" --loss mse --optimizer sgd --train '*' -o trained.onnx
"$onnxc" trained.onnx -o trained -q --hook --train
in=$(sed -n 's/^ \* train in  *\([a-z_0-9]*\) .*/\1/p' trained.h | paste -sd' ')
fill=
for member in $in; do fill="$fill in.$member = some;"; done
ends_everywhere training trained -DFILL="$fill"

"$onnxc" "$cnn" -o plain --name shapes -q
check "without the options there is nothing of them" sh -c '! grep -qE "hook|HOOK|cancel|CANCEL|_STEPS|run_steps" plain.h plain.cpp'
finish
