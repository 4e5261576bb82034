#!/usr/bin/env bash
# Colours and progress are for terminals alone, and colours only for people who want them.
. "$(dirname "$0")/check.sh"
installed script || { echo "skipped: needs script"; exit 77; }

# on_terminal COMMAND: its output, from a terminal of its own.
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null >out.log 2>&1 || true; }
red=$'\033[1;31m' line=$'\r\033[K'
printf 'no model' >text.onnx

coloured() { grep -qF "$red" out.log || { cat -v out.log; return 1; }; }
plain() { ! grep -qF $'\033' out.log || { cat -v out.log; return 1; }; }

on_terminal "'$onnxc' text.onnx"
check "an error is red" coloured
check "and says the same" grep -qF "not-onnx" out.log
on_terminal "'$onnxc' --bogus"
check "so is a mistyped word" coloured
on_terminal "NO_COLOR=1 '$onnxc' text.onnx"
check "NO_COLOR" plain
on_terminal "NO_COLOR= '$onnxc' text.onnx"
check "an empty NO_COLOR" coloured
on_terminal "TERM=dumb '$onnxc' text.onnx"
check "a dumb terminal" plain
"$onnxc" text.onnx >out.log 2>&1 || true
check "a pipe" plain
on_terminal "'$onnxc' text.onnx 2>errors.log"
cp errors.log out.log
check "a file" plain

cp -r "$examples/01_mlp" ok
cp -r "$examples/01_mlp" bad
head -c 100 ok/model.onnx >bad/model.onnx
on_terminal "'$onnxc' verify ok bad"
check "verify: progress" grep -qF "[0/2] generating and compiling" out.log
check "verify: how many" grep -qF "[2/2] 1 pass" out.log
check "verify: a red word" sh -c "grep -qF '${red}refused' out.log"
check "verify: the line goes away" sh -c "tail -c 200 out.log | grep -qF '${line}2 cases: 1 pass, 1 refused'"
"$onnxc" verify ok bad >out.log 2>&1 || true
check "verify in a pipe" plain
check "verify in a pipe: no progress" sh -c '! grep -qF "[0/2]" out.log'
on_terminal "'$onnxc' bench ok/model.onnx --profile"
for text in "compiling the generated code" measuring "compiling the code that measures each step" \
  "measuring each step"; do
  check "bench: $text" grep -qF "$text" out.log
done
printf '#!/bin/sh\nsleep 1.5\nexec %s "$@"\n' "${CXX:-g++}" >slow_compiler
chmod +x slow_compiler
on_terminal "CXX=./slow_compiler '$onnxc' bench ok/model.onnx"
check "bench: how long it takes" grep -qF "compiling the generated code, 1 s" out.log
"$onnxc" bench ok/model.onnx >out.log 2>&1
check "bench in a pipe" plain
check "bench in a pipe: no progress" sh -c '! grep -q compiling out.log'
finish
