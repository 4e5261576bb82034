#!/usr/bin/env bash
# The workflows name scripts, presets, jobs and artifacts that there are; the check notices those that there are not.
# usage: workflows_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
needs yaml
check_all() { "$python" "$here/workflows.py" "${1:-$source_dir}"; }
check "workflows" check_all

mkdir -p copy/.github
for name in CMakePresets.json compiler docs examples tests; do ln -s "$source_dir/$name" "copy/$name"; done
notices() { # file, sed script, message
  rm -rf copy/.github/workflows
  cp -r "$source_dir/.github/workflows" copy/.github/
  sed -i "$2" "copy/.github/workflows/$1.yml"
  says 1 "$3" check_all copy
}
check "no such script" notices ci 's,examples/run.sh,examples/walk.sh,' "ci.yml: examples: there is no examples/walk.sh"
check "no such preset" notices ci 's/preset static/preset rigid/' "there is no preset rigid"
check "no such job" notices release 's/needs: try/needs: luck/' "there is no job luck"
check "a pipe that was meant as a pattern" notices ci "s/'unit|kernels|cli'/unit|kernels|cli/" "kernels: not known to be there"
check "nothing in the matrix" notices ci 's/ files: / file: /' "the matrix has no files"
check "no such artifact" notices ci 's/name: linux-x86_64/name: linux-x64/' "no job uploads linux-x64"
check "an action without a version" notices pages 's/checkout@v4/checkout/' "an action has a version"
check "YAML" notices pages 's/^jobs:/jobs: [/' "pages.yml"

# What macOS, Windows and ARM machines run in them.
check "hashes of the examples" "$source_dir/tests/hosts/sums.sh" "$onnxc"
cp check.log sums.txt
check "of each" [ "$(wc -l <sums.txt)" -ge 8 ]
check "by a launcher" sh -c "'$source_dir/tests/hosts/sums.sh' env '$onnxc' | cmp - sums.txt"
finish
