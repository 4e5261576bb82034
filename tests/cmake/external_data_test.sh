#!/usr/bin/env bash
# A model whose weights lie in a file of their own is regenerated when only that file changes.
. "$(dirname "$0")/check_projects.sh"

needs onnx

check "install" install_onnxc "$work/installed"
for generator in Ninja "Unix Makefiles"; do
  dir="with $generator"
  write_project "$dir" find_package
  (cd "$dir/models" && "$python" - <<'END'
import onnx
from onnx.external_data_helper import convert_model_to_external_data
model = onnx.load("flowers.onnx")
convert_model_to_external_data(model, location="weights.data", size_threshold=0)
onnx.save(model, "flowers.onnx")
END
  )
  check "$generator: configure" cmake -S "$dir" -B "$dir/build" -G "$generator" -DCMAKE_PREFIX_PATH="$work/installed"
  check "$generator: build" cmake --build "$dir/build"
  check "$generator: run" sh -c "'$dir/build/app/app' | grep -q versicolor"
  check "$generator: nothing to do" no_op "$dir/build"
  sleep 1.1
  # All weights 0: every flower is as likely as the others.
  size=$(stat -c %s "$dir/models/weights.data")
  head -c "$size" /dev/zero >"$dir/models/weights.data"
  check "$generator: rebuild" regenerates "$dir/build"
  check "$generator: new result" sh -c "'$dir/build/app/app' | grep -q 'setosa  *33.3'"
  check "$generator: nothing to do again" no_op "$dir/build"
done
finish
