#!/usr/bin/env bash
# Models in shared libraries: weights above 2 MiB, what the libraries export, several models and several versions of
# one in a process.
. "$(dirname "$0")/check_projects.sh"
needs numpy onnx
check "install" install_onnxc "$work/installed"

# Two models of 14 MB with random weights, and what they make of ones: products of matrices.
mkdir project
"$python" - <<'END'
import numpy as np, onnx
from onnx import helper, numpy_helper, TensorProto

def model(name, seed):
    rng = np.random.default_rng(seed)
    a, b = (rng.standard_normal(s).astype(np.float32) / 40 for s in ((1024, 1792), (1792, 1000)))
    f32 = lambda n, s: helper.make_tensor_value_info(n, TensorProto.FLOAT, s)
    nodes = [helper.make_node("MatMul", ["x", "a"], ["h"]), helper.make_node("Relu", ["h"], ["r"]),
             helper.make_node("MatMul", ["r", "b"], ["y"])]
    graph = helper.make_graph(nodes, name, [f32("x", [1, 1024])], [f32("y", [1, 1000])],
                              [numpy_helper.from_array(a, "a"), numpy_helper.from_array(b, "b")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8),
              f"project/{name}.onnx")
    (np.maximum(np.ones((1, 1024), np.float32) @ a, 0) @ b).tofile(f"project/{name}.want")

model("first", 1)
model("second", 2)
END
cp "$mlp" project/flowers.onnx
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(plugins LANGUAGES C CXX)
find_package(onnxc 0.2 CONFIG REQUIRED)
# The same C names in both.
onnxc_add_model(first MODEL first.onnx NAME net)
onnxc_add_model(second MODEL second.onnx NAME net)
onnxc_add_model(flowers MODEL flowers.onnx TYPE SHARED)
foreach(which first second)
  add_library(${which}_plugin MODULE plugin.cpp)
  target_link_libraries(${which}_plugin PRIVATE onnxc_model::${which})
endforeach()
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
onnxc_add_model(net MODEL first.onnx TYPE SHARED THREADS 2 OPTIONS --steps)
add_executable(both both.c)
target_link_libraries(both PRIVATE flowers net)
add_executable(host host.cpp)
target_link_libraries(host PRIVATE ${CMAKE_DL_LIBS})
END
for program in plugin.cpp host.cpp both.c; do cp "$here/shared_$program" "project/$program"; done
check "configure" cmake -S project -B build -G Ninja -DCMAKE_PREFIX_PATH="$work/installed"
check "build" cmake --build build

exports() { # library, names
  nm -D --defined-only "$1" | awk '{ print $3 }' | grep -vx -e _init -e _fini | sort | tr '\n' ' ' >exported
  [ "$(cat exported)" = "$2 " ] || { cat exported; return 1; }
}
check "a model exports its functions" exports build/libflowers.so "flowers_info flowers_run flowers_status_text"
check "also where the project hides all" exports build/libnet.so \
  "net_info net_pool_start net_pool_stop net_run net_run_steps net_status_text"
check "a plugin exports nothing of its model" exports build/libfirst_plugin.so plugin
check "14 MB of weights" [ "$(stat -c %s build/onnxc/first/net_weights.bin)" -gt 14000000 ]
check "no relocations in the code" sh -c '! readelf -d build/libfirst_plugin.so | grep -q TEXTREL'
check "two shared models in one program" build/both
check "dlopen" build/host build/libfirst_plugin.so project/first.want
check "two with the same names" build/host build/libfirst_plugin.so project/first.want \
  build/libsecond_plugin.so project/second.want
finish
