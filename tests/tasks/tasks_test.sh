#!/usr/bin/env bash
# Ten tasks of users, as scripts: each works with the installed compiler, in a folder of its own. Prints for each how many
# commands it takes and how long they run, without building onnxc.
# usage: tasks_test.sh ONNXC WORK_DIR [TASK...]
. "$(dirname "$0")/../cli/check.sh"
needs numpy onnx
shift 2
export clone=$source_dir installed=$work/installed
cmake --install "$(dirname "$onnxc")" --prefix "$installed" >install.log
export PATH=$installed/bin:$PATH

# Lines that are commands: neither comments nor what is between <<'END' and END.
commands() { awk '/<<.END.$/ { n++; inside = 1; next } /^END$/ { inside = 0; next } !inside && NF && !/^#/ { n++ } END { print n }' "$1"; }
lacks() { # script: a program that is not there
  local need
  for need in $(sed -n 's/^# Needs: //p' "$1"); do
    command -v "$need" >/dev/null || { echo "$need"; return; }
  done
}
mkdir -p bin
ln -sf "$python" bin/python3
export PATH=$PWD/bin:$PATH

printf '%-28s %8s %8s\n' task commands seconds
for script in "$here"/[0-9]*.sh; do
  name=$(basename "$script" .sh)
  [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  lacking=$(lacks "$script")
  [ -z "$lacking" ] || { echo "$name: skipped, needs $lacking"; continue; }
  mkdir "$name"
  begin=$(date +%s.%N)
  check "$name" sh -c "cd '$name' && sh -e '$script'"
  printf '%-28s %8s %8.1f\n' "$name" "$(commands "$script")" "$(echo "$(date +%s.%N) $begin" | awk '{ print $1 - $2 }')"
done
finish
