#!/usr/bin/env bash
# A transformer block on four devices: processes joined by sockets, and ranks of MPI where it is
# installed.
# usage: run.sh ONNXC FOLDER
set -eu
onnxc=$1 work=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work"
"$onnxc" verify --export "$work" "$here/encoder.case" >/dev/null 2>&1
model=$work/encoder/encoder/model.onnx
"$onnxc" "$model" -q -o "$work/encoder"
"$onnxc" "$model" -q --devices four -o "$work/encoder"
cd "$work"
flags="-std=c++17 -O2 -Wall -Wextra -I. -I$here"
sources="encoder.cpp encoder_0.cpp encoder_1.cpp encoder_2.cpp encoder_3.cpp"
# shellcheck disable=SC2086 # words
${CXX:-g++} $flags "$here/pipes.cpp" $sources -o ranks_pipes
./ranks_pipes
if ! command -v mpicxx >/dev/null || ! command -v mpirun >/dev/null; then
  echo "MPI is skipped: needs mpicxx and mpirun (libopenmpi-dev, openmpi-bin)"
  exit 0
fi
# shellcheck disable=SC2086 # words
mpicxx -DOMPI_SKIP_MPICXX $flags "$here/mpi.cpp" $sources -o ranks_mpi
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 4 --oversubscribe ./ranks_mpi
