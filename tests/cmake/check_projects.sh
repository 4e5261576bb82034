# shellcheck shell=bash
# Sourced by the CMake tests: makes consumer projects in ways a user would.
. "$(dirname "$0")/../cli/check.sh"

# write_project DIR HOW: an application in one folder, its model in another, linked across.
#   HOW: find_package | add_subdirectory | fetch_content | executable
write_project() {
  local dir=$1 how=$2
  mkdir -p "$dir/models" "$dir/app"
  cp "$mlp" "$dir/models/flowers.onnx"
  cp -r "$examples/01_mlp/test_data_set_0" "$dir/models/"
  cp "$examples/01_mlp/main.cpp" "$dir/app/"
  {
    echo 'cmake_minimum_required(VERSION 3.20)'
    echo 'project(consumer LANGUAGES CXX)'
    echo 'enable_testing()'
    case $how in
      find_package) echo 'find_package(onnxc 0.2 CONFIG REQUIRED)' ;;
      add_subdirectory) echo "add_subdirectory(\"$source_dir\" onnxc EXCLUDE_FROM_ALL)" ;;
      fetch_content)
        echo 'include(FetchContent)'
        echo "FetchContent_Declare(onnxc SOURCE_DIR \"$source_dir\")"
        echo 'FetchContent_MakeAvailable(onnxc)'
        ;;
      executable) echo "include(\"$source_dir/compiler/cmake/OnnxcAddModel.cmake\")" ;;
    esac
    echo 'add_subdirectory(app)'
    echo 'add_subdirectory(models)'
  } >"$dir/CMakeLists.txt"
  cat >"$dir/models/CMakeLists.txt" <<'END'
onnxc_add_model(flowers MODEL flowers.onnx REPORT json)
onnxc_verify_model(flowers TEST_DATA .)
END
  cat >"$dir/app/CMakeLists.txt" <<'END'
add_executable(app main.cpp)
target_compile_options(app PRIVATE -Wall -Wextra -Wconversion -Werror)
target_link_libraries(app PRIVATE flowers)
END
}

# Builds a second time and succeeds when nothing was done.
no_op() {
  cmake --build "$1" >no_op.log 2>&1
  ! grep -E 'Generating|Building|Linking' no_op.log
}

# Builds again and succeeds when a model was generated.
regenerates() {
  cmake --build "$1" >regenerates.log 2>&1 && grep Generating regenerates.log
}

# An installed onnxc, from the build that runs this test.
install_onnxc() {
  cmake --install "$(dirname "$onnxc")" --prefix "$1" >install.log 2>&1
}
