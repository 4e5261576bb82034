#!/usr/bin/env bash
# onnxc_add_model with DEVICES: a library for each device, and a target that links to all.
. "$(dirname "$0")/../cli/check.sh"
source_root=$source_dir

"$onnxc" verify --export cases "$source_root/examples/04_ranks/encoder.case" >export.log 2>&1
mkdir project
cat >project/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.20)
project(devices CXX)
set(ONNXC_EXECUTABLE "$onnxc")
include("$source_root/compiler/cmake/OnnxcAddModel.cmake")
onnxc_add_model(encoder MODEL "$work/cases/encoder/encoder/model.onnx" DEVICES four 4 OPTIONS -q)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE onnxc_model::encoder)
CMAKE
cat >project/main.cpp <<'CPP'
#include "encoder_0.h"
#include "encoder_3.h"
int main() { return ENCODER_0_DEVICES == 4 && ENCODER_3_DEVICE == 3 && encoder_3_info() != nullptr ? 0 : 1; }
CPP
configure() { cmake -S project -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"; }
check "configures" configure
check "builds" cmake --build build
check "runs" build/app
check "a library for each device" sh -c '[ "$(ls build/libencoder_?.a | wc -l)" = 4 ]'
nothing_to_do() { [ "$(cmake --build build | grep -c Building)" = 0 ]; }
check "nothing is built again" nothing_to_do

sed -i 's/DEVICES four 4/DEVICES four/' project/CMakeLists.txt
check "a count is wanted" says 1 'DEVICES wants the name of a configuration' configure

finish
