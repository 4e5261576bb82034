#!/usr/bin/env bash
# Our own cases pass with the vectors of this machine and with AVX2 alone, as they do without any
# flags in own_test.sh; convolutions and products without vectors; with -Ofast and -ffast-math; and many of them on ARM with its dot products,
# on 32-bit x86 and on s390x, which is big-endian, where an emulator and a compiler are installed.
# Every 32nd case, with the vectors of this machine, and every 80th with -Ofast; with SLOW=1 also every
# 32nd on ARM, every 64th with AVX2, and every 80th with the others; with FULL=1 all.
# usage: targets_test.sh ONNXC WORK_DIR
. "$(dirname "$0")/../cli/check.sh"
shopt -s extglob

# verified TARGET [verify arguments]...: every case passes. `label` distinguishes several runs of a
# target; the cases that match `beyond_32_bits` may end with BAD_SHAPE instead, and with nothing else.
verified() {
  local target=$1 report=$1${label:-}.tsv
  shift
  "$onnxc" verify --report "$report" "$@" -- --target "$target" >"${report%.tsv}.log" 2>&1 || true
  check "$target: there are reports" [ "$(wc -l <"$report")" -gt 1 ]
  while IFS=$'\t' read -r path status _ _ _ message; do
    [ "$path" != path ] || continue
    case $path:$message in ${beyond_32_bits:-}:*" BAD_SHAPE") continue ;; esac
    check "$target${label:-}: $(basename "$path"): $status $message" [ "$status" = pass ]
  done <"$report"
}

# sample EVERY FOLDER: the cases that run, in a folder of this name.
sample() { thin "$(level "$1" "$1" 1)" "$2" "$case_files"/*.case; }

sample 32 cases
verified native cases
# Without vectors kernels have few heights of tiles, as they have on small cores.
mkdir scalar
cp "$case_files"/{conv*,matmul}.case "$case_files"/{conv*,matmul}.data scalar
label=-scalar CXXFLAGS="-O0 -U__SSE2__" verified generic scalar
sample 80 fast
label=-Ofast CXXFLAGS=-Ofast verified native fast
slow || { finish; exit; }
installed clang++ && label=-clang CXX=clang++ CXXFLAGS="-O2 -ffast-math" verified native fast
sample 64 avx2
grep -qw avx2 /proc/cpuinfo 2>/dev/null && verified x86-64-v3 avx2
if installed aarch64-linux-gnu-g++ && installed qemu-aarch64; then
  export CXX=aarch64-linux-gnu-g++ CXXFLAGS="-O1 -static -march=armv8.2-a+dotprod"
  "$onnxc" verify --export folders cases
  verified armv8-a --run-with qemu-aarch64 folders/!(contrib_*)/@(Attention|B|Conv|G|L|M|Q|R)*
fi
if installed i686-linux-gnu-g++ && installed qemu-i386; then
  beyond_32_bits='*_huge_empty' label=-i386 CXX=i686-linux-gnu-g++ CXXFLAGS="-O1 -static -msse2 -mfpmath=sse" \
    verified generic --run-with qemu-i386 fast
fi
if installed s390x-linux-gnu-g++ && installed qemu-s390x; then
  label=-s390x CXX=s390x-linux-gnu-g++ CXXFLAGS="-O1 -static" \
    verified generic --run-with qemu-s390x fast
fi
finish
