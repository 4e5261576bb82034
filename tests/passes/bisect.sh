#!/usr/bin/env bash
# Finds the optional pass that breaks a model: the first one with which the recorded data no longer
# match. Prints its number and name.
# usage: bisect.sh ONNXC CASE [OPTIONS OF verify...]      CASE: a folder with model.onnx and data, or FILE.case:NAME
set -eu
onnxc=$1 case=$2
shift 2
passes() { "$onnxc" verify "$case" --passes-until "$1" "${@:2}" >/dev/null 2>&1; }
most=100  # more than there are passes
passes 0 "$@" || { echo "fails without any optional pass"; exit 1; }
if passes $most "$@"; then echo "passes with all of them"; exit 1; fi
good=0 bad=$most
while [ $((bad - good)) -gt 1 ]; do
  middle=$(((good + bad) / 2))
  if passes $middle "$@"; then good=$middle; else bad=$middle; fi
done
# With --passes-until BAD the passes before number BAD ran: the last of them is the one.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$onnxc" verify "$case" --export "$work/case" >/dev/null 2>&1 || true
model=$(find "$work/case" "$case" -name model.onnx 2>/dev/null | head -n 1)
name=$("$onnxc" "$model" -o "$work/model" -q -v 2>&1 | awk -v n="$good" '$1 == "pass" && $2 == n { print $3 }')
echo "pass $good $name"
