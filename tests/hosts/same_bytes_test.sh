#!/usr/bin/env bash
# The compiler writes the same bytes and gives the same verdicts, whatever system it is built for.
#   ONNXC_STATIC   the static program            ONNXC_EXE   onnxc.exe, by wine
#   ONNXC_CLANG    the usual one, built by clang
#   ONNXC_AARCH64, ONNXC_S390X, ONNXC_I386  those for other processors, by qemu
#   ONNXC_JS       onnxc.js of the package, by node
# name the programs; without a name those below build/ are taken, and those that are missing left out.
# MODELS=200 takes more models than the usual 30, CORPUS=DIR hostile files with expectations.tsv (tests/malformed/run.sh).
. "$(dirname "$0")/../cli/check.sh"
export WINEDEBUG=-all

builds=$source_dir/build
names="" # of the programs to compare; their commands are command_NAME
offer() { # name, program, what runs it
  local program=$2
  [ -e "$program" ] || return 0
  [ $# = 2 ] || command -v "$3" >/dev/null || return 0
  names="$names $1"
  eval "command_$1='${3:-} $(realpath "$program")'"
}
offer clang "${ONNXC_CLANG:-$builds/clang/onnxc}"
offer static "${ONNXC_STATIC:-$builds/static/onnxc}"
offer aarch64 "${ONNXC_AARCH64:-$builds/linux-aarch64/onnxc}" qemu-aarch64
offer s390x "${ONNXC_S390X:-$builds/linux-s390x/onnxc}" qemu-s390x
offer i386 "${ONNXC_I386:-$builds/linux-i386/onnxc}" qemu-i386
offer windows "${ONNXC_EXE:-$builds/windows/onnxc.exe}" "$(command -v wine64 /usr/lib/wine/wine64 wine | head -n 1)"
offer node "${ONNXC_JS:-$builds/wasm/package/onnxc.js}" node
[ -n "$names" ] || { echo "skipped: no program of another system"; exit 77; }
echo "compared:$names"

# Every nth of the models that there are.
count=${MODELS:-30}
slow && count=${MODELS:-200}
cp "$mlp" mlp.onnx
"$onnxc" verify --export cases "$case_files"/*.case >/dev/null 2>&1 || true
find "$PWD/cases" /usr/share/libonnx-testdata/data/node /usr/share/libonnx-testdata/data/simple \
  -name model.onnx 2>/dev/null | LC_ALL=C sort >all
find "$examples" -name model.onnx | LC_ALL=C sort >models
awk -v n="$(wc -l <all)" -v want="$count" 'int(NR * want / n) != int((NR - 1) * want / n)' all >>models

compile() { # name, command, folder of the model
  mkdir -p "$1"
  (cd "$1" && $2 "$3/model.onnx" -o out/m --report out/report.json --report out/report.html -MD -q) >"$1.said" 2>&1 && echo 0 >"$1.code" ||
    echo $? >"$1.code"
}

same_model() { # name, command, model
  rm -rf ours theirs
  compile ours "$onnxc" "$(dirname "$3")"
  compile theirs "$2" "$(dirname "$3")"
  cmp ours.code theirs.code && cmp ours.said theirs.said && diff -r ours theirs
}

same_verdict() { # command, file
  local ours=0 theirs=0
  "$onnxc" check "$2" </dev/null >ours.said 2>&1 || ours=$?
  timeout 120 $1 check "$2" </dev/null >theirs.said 2>&1 || theirs=$?
  [ "$ours" = "$theirs" ] || { echo "$2: exit code $theirs, want $ours"; cat ours.said theirs.said; return 1; }
}

# Cut off, and with a byte changed.
size=$(stat -c %s mlp.onnx)
for part in 0 1 3 10 40 90; do
  head -c $((size * part / 100)) mlp.onnx >"cut_$part.onnx"
  { head -c $((size * part / 100)) mlp.onnx; printf '\xff'; tail -c +$((size * part / 100 + 2)) mlp.onnx; } >"byte_$part.onnx"
done
ls cut_*.onnx byte_*.onnx >hostile

for name in $names; do
  command=$(eval "echo \"\$command_$name\"")
  before=$passed
  while read -r model; do check "$name: $model" same_model "$name" "$command" "$model" </dev/null; done <models
  while read -r file; do check "$name: verdict on $file" same_verdict "$command" "$file" </dev/null; done <hostile
  echo "$name: $((passed - before)) equal of $(cat models hostile | wc -l)"
  # A script, as wine wants the name of a program and node its own.
  if [ -n "${CORPUS:-}" ]; then
    printf '#!/bin/sh\nexec %s "$@"\n' "$command" >"run_$name"
    chmod +x "run_$name"
    ONNXC="$PWD/run_$name" TIME_LIMIT=120 sh "$source_dir/tests/malformed/run.sh" "$CORPUS" >"corpus_$name" 2>&1 || true
    ONNXC=$onnxc TIME_LIMIT=120 sh "$source_dir/tests/malformed/run.sh" "$CORPUS" >corpus_ours 2>&1 || true
    tail -n 1 "corpus_$name"
    check "$name: the verdicts on $CORPUS" sh -c "! grep -q '^0 passed' corpus_ours && diff corpus_ours corpus_$name"
  fi
done
finish
