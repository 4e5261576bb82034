#!/usr/bin/env bash
# The GitHub action: its steps run as a runner would run them, in a repository with models; the hook for pre-commit.
. "$(dirname "$0")/check.sh"
action=$source_dir/.github/actions/onnxc
installed git || exit 77

# The commands of action.yml, a file for each step with a run: line.
awk -v prefix="$work/step_" '/^    - name: / { name = tolower($3) } /^      run: / { sub(/^      run: /, ""); print >(prefix name) }' \
  "$action/action.yml"
for step in build check compare; do check "step $step" test -s "step_$step"; done
# What a step reads is what it is given, and all inputs are used.
given() { sed -n 's/^        \([A-Z_]*\): .*/\1/p' "$action/action.yml" | sort -u; }
for name in $(grep -oE 'setting\("[A-Z_]+"' "$action/models.py" | grep -oE '[A-Z_]{2,}' | sort -u); do
  case $name in GITHUB_*) continue ;; esac
  check "$name is given" sh -c "sed -n 's/^        \([A-Z_]*\): .*/\1/p' '$action/action.yml' | grep -qx $name"
done
inputs=$(awk '/^runs:/ { exit } /^  [a-z-]*:$/ { gsub(/[ :]/, ""); print }' "$action/action.yml")
for name in $inputs; do
  check "input $name is used" grep -q "inputs\.$name\b" "$action/action.yml"
  check "input $name is documented" grep -q "^| \`$name\` |" "$source_dir/docs/continuous-integration.md"
done

# A repository: one model changes, one is new, one stays, one is refused.
export GITHUB_ACTION_PATH=$action GITHUB_STEP_SUMMARY=$work/summary.md GITHUB_REPOSITORY=some/where ONNXC=$onnxc
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git init -q repo
mkdir repo/models
cp "$mlp" repo/models/changed.onnx
cp "$cnn" repo/models/stays.onnx
git -C repo add . && git -C repo commit -q -m base
BASE=$(git -C repo rev-parse HEAD)
cp "$cnn" repo/models/changed.onnx
cp "$mlp" repo/models/new.onnx
git -C repo add . && git -C repo commit -q -m change
export BASE MODELS='models/**/*.onnx' OPTIONS="--target generic"

step() { : >summary.md; (cd repo && eval "$(cat "$work/step_$1")") >said.log 2>&1; }
check "check: all is well" step check
check "check: a row for each model" [ "$(grep -c '^| `models/.*` | ok | about [0-9.]* KiB | [0-9.]* KiB | [0-9,]* MAC |$' summary.md)" = 3 ]
export RAM_LIMIT=1K
check "check: over a limit" sh -c "! (cd repo && $(cat step_check)) >said.log 2>&1"
check "check: an annotation" grep -q '^::error file=models/stays.onnx::ram-limit: .* more than the limit of 1024' said.log
check "check: in the table" grep -q '^| `models/stays.onnx` | 1 errors |' summary.md
unset RAM_LIMIT
head -c 500 "$mlp" >repo/models/cut.onnx
check "check: a file that is cut" sh -c "! (cd repo && $(cat step_check)) >said.log 2>&1"
check "check: what is wrong" grep -q '^::error file=models/cut.onnx::' said.log
rm repo/models/cut.onnx
check "check: no model" sh -c "! (cd repo && MODELS=none.onnx; export MODELS; $(cat step_check)) >said.log 2>&1"

# A gh that keeps what it is told; some comment is there already, or none.
mkdir bin
cat >bin/gh <<'END2'
#!/bin/sh
echo "$@" >>"$GH_LOG"
case "$*" in *--paginate*) cat "$GH_FOUND"; exit ;; esac
[ -z "${GH_FAILS:-}" ] || { echo "no permission" >&2; exit 1; }
cat >"$GH_BODY"
END2
chmod +x bin/gh
export PATH=$work/bin:$PATH GH_LOG=$work/gh.log GH_BODY=$work/body.md GH_FOUND=$work/found PULL_REQUEST=7 COMMENT=true
: >found
check "compare" step compare
check "compare: in the summary" grep -q '^`models/changed.onnx`$' summary.md
check "compare: what differs" grep -q '^multiply-accumulates .*93184' summary.md
check "compare: new" grep -q '^`models/new.onnx` is new.$' summary.md
check "compare: what stays is not named" sh -c '! grep -q stays summary.md'
check "compare: a comment" grep -q 'repos/some/where/issues/7/comments --field body=@-' gh.log
check "compare: its text" sh -c "head -1 body.md | grep -qx '<!-- onnxc -->' && grep -q 'is new' body.md"
echo 123 >found
check "compare again" step compare
check "compare: the comment is replaced" grep -q 'PATCH repos/some/where/issues/comments/123' gh.log
check "compare: without permission" sh -c "export GH_FAILS=1; (cd repo && $(cat step_compare)) | grep -q '::warning::the comment could not be made: no permission'"
rm body.md
check "compare: no comment" sh -c "export COMMENT=false; (cd repo && $(cat step_compare)) && ! test -e body.md"
check "compare: nothing changes" sh -c "export BASE=HEAD; : >summary.md; (cd repo && $(cat step_compare)) && grep -qx 'Nothing.' summary.md && ! test -e body.md"
check "compare: no such commit" sh -c "export BASE=0000000000000000000000000000000000000001; (cd repo && $(cat step_compare)) | grep -q '::warning::'"
check "the repository is as it was" sh -c "cd repo && [ -z \"\$(git status --porcelain)\" ] && [ \"\$(git worktree list | wc -l)\" = 1 ]"

# A build that a cache has is left alone.
mkdir -p cached/onnxc/bin
ln -s /bin/true cached/onnxc/bin/onnxc
check "build: from the cache" sh -c "export RUNNER_TEMP=$work/cached; $(cat step_build)"

# pre-commit.
hooks=$source_dir/.pre-commit-hooks.yaml
entry=$(sed -n 's/^  entry: //p' "$hooks")
check "pre-commit: the entry is a program" test -x "$source_dir/$entry"
check "pre-commit: two good files" "$source_dir/$entry" --no-heap --target=generic "$mlp" "$cnn"
head -c 500 "$mlp" >cut.onnx
check "pre-commit: a bad one" exits 1 "$source_dir/$entry" cut.onnx "$mlp"
check "pre-commit: options count" exits 3 "$source_dir/$entry" --ram-limit=1K "$mlp" "$cnn"

"${python:-/usr/bin/python3}" -c 'import yaml' 2>/dev/null &&
  for file in "$action/action.yml" "$hooks" "$source_dir"/.github/ISSUE_TEMPLATE/*.yml; do
    check "$(basename "$file")" "${python:-/usr/bin/python3}" -c "import yaml; assert yaml.safe_load(open('$file'))"
  done
finish
