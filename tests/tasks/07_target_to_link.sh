# Make a model a target to link in a CMake project.
# Wants: the program's output.
mkdir app
cat >app/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(app LANGUAGES CXX)
find_package(onnxc REQUIRED)
onnxc_add_model(flowers MODEL model.onnx)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE flowers)
END
cp "$clone/examples/01_mlp/model.onnx" app
cat >app/main.cpp <<'END'
#include <cstdio>
#include "flowers.h"
alignas(FLOWERS_ARENA_ALIGN) static unsigned char arena[FLOWERS_ARENA_BYTES];
int main() {
  const float lengths[4] = {6.1f, 2.9f, 4.7f, 1.4f};
  float p[3];
  const int status = flowers::run(lengths, p, arena);
  std::printf("%d %.3f\n", status, p[1]);
}
END
cmake -S app -B build -G Ninja -DCMAKE_PREFIX_PATH="$installed"
cmake --build build
build/app | grep '0 0.965'
