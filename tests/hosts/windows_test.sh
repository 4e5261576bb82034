#!/usr/bin/env bash
# The commands of onnxc.exe under wine print and write what those of Linux do; verify, bench and --measure run with a
# compiler of this system, which request.exe stands for.
#   ONNXC_EXE   the program, build/windows/onnxc.exe by default
. "$(dirname "$0")/../cli/check.sh"
exe=${ONNXC_EXE:-$source_dir/build/windows/onnxc.exe}
[ -e "$exe" ] || { echo "skipped: no onnxc.exe"; exit 77; }
mingw=x86_64-w64-mingw32-g++
wine=$(command -v wine64 /usr/lib/wine/wine64 wine | head -n 1)
[ -n "$wine" ] && installed $mingw && installed python3 || { echo "skipped: needs wine, $mingw and python3"; exit 77; }
exe=$(realpath "$exe")
export WINEDEBUG=-all
windows() { timeout 600 "$wine" "$exe" "$@" </dev/null; }

# alike ARGUMENT...: the exit code, what is printed, and the files in out/ are those of Linux.
alike() {
  local ours=0 theirs=0
  rm -rf out ours theirs
  mkdir out
  "$onnxc" "$@" >ours.said 2>&1 </dev/null || ours=$?
  mv out ours
  mkdir out
  windows "$@" >theirs.said 2>&1 || theirs=$?
  mv out theirs
  [ "$ours" = "$theirs" ] || { echo "exit code $theirs, want $ours"; cat ours.said theirs.said; return 1; }
  diff ours.said theirs.said && diff -r ours theirs
}

cp "$cnn" cnn.onnx
cp "$mlp" mlp.onnx
cp "$examples/05_chat/model.onnx" chat.onnx
mkdir "ä b"
cp "$mlp" "ä b/ö.onnx"
check "at most 12 MB" [ "$(stat -c %s "$exe")" -le 12000000 ]
check "--version" alike --version
check "ops" alike ops
check "manual" alike manual
check "inspect" alike inspect cnn.onnx
check "inspect --json" alike inspect --json chat.onnx
check "check" alike check cnn.onnx
check "check of a folder" alike check .
check "compile" alike cnn.onnx -o out/m --report out/m.html --report out/m.json -MD -q
check "names that are not ASCII" alike "ä b/ö.onnx" -o "out/ü/m" -q
check "bundle" alike cnn.onnx --bundle out/bundle -q
check "python" alike python cnn.onnx -o out/package -q
check "shard" alike shard chat.onnx --devices 2 -o out/parts.onnx
check "the programs of devices" alike out/../chat.onnx --target x86-64-v3 -o out/m -q
check "prepare" alike prepare mlp.onnx --loss mse --optimizer adam --train '*' -o out/train.onnx
cp theirs/train.onnx train.onnx
check "train" alike train.onnx --train -o out/m -q
"$onnxc" cnn.onnx -o old/m --report old.json -q
"$onnxc" cnn.onnx -o new/m --target x86-64-v3 --report new.json -q
check "report diff" alike report diff old.json new.json
check "a budget" alike cnn.onnx -o out/m --ram-limit 1K -q
check "usage" alike compile --no-such-option

check "verify says what is missing" says 5 "cannot run no-such-compiler" env CXX=no-such-compiler "$wine" "$exe" verify "$examples/02_cnn"

# With a compiler.
export REQUESTS=$work/requests
mkdir "$REQUESTS"
$mingw -std=c++17 -O1 -static "$here/request.cpp" -o request.exe
python3 "$here/run_requests.py" "$REQUESTS" $mingw -static >requests.log 2>&1 &
trap 'rm -rf "$REQUESTS"' EXIT
export CXX="Z:${work//\//\\}\\request.exe" CXXFLAGS=-O1
check "verify" says 0 "1 pass" windows verify "$examples/02_cnn"
unpack "$case_files"/{activations,cast}.case
check "verify of many" windows verify activations cast
check "bench" says 0 "code" windows bench cnn.onnx
check "--measure" windows cnn.onnx -o measured/m --measure --report measured.json -q
check "compare" windows compare cnn.onnx cnn.onnx --data "$examples/02_cnn"
finish
