# Libraries of another system, in one folder: protobuf with its CMake package, fmt and CLI11 as
# headers. compiler/cmake/hosts/build.sh fills it. protoc runs on this machine.
find_program(ONNXC_PROTOC protoc NO_CMAKE_FIND_ROOT_PATH REQUIRED)
if(NOT TARGET protobuf::protoc)
  add_executable(protobuf::protoc IMPORTED)
  set_target_properties(protobuf::protoc PROPERTIES IMPORTED_LOCATION ${ONNXC_PROTOC})
endif()
find_package(protobuf CONFIG REQUIRED PATHS ${ONNXC_LIBRARIES} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)

# Sizes of models are counted in 64 bits on every machine that compiles them. What the compiler
# includes differs from what it copies into generated code, where an Index is as wide as a pointer.
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS runtime_min/types.hpp)
  file(READ ${PROJECT_SOURCE_DIR}/runtime_min/types.hpp types)
  string(REPLACE "using Index = std::ptrdiff_t;" "using Index = std::int64_t;" wide_types "${types}")
  if(wide_types STREQUAL types)
    message(FATAL_ERROR "runtime_min/types.hpp: no definition of Index")
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/wide/runtime_min/types.hpp CONTENT "${wide_types}" @ONLY)
  include_directories(BEFORE ${PROJECT_BINARY_DIR}/wide)
endif()
if(EMSCRIPTEN)
  include(${CMAKE_CURRENT_LIST_DIR}/wasm/compile.cmake)
endif()

set(ONNXC_FMT fmt::fmt-header-only)
add_library(fmt::fmt-header-only INTERFACE IMPORTED)
target_include_directories(fmt::fmt-header-only INTERFACE ${ONNXC_LIBRARIES}/include)
target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
add_library(CLI11::CLI11 INTERFACE IMPORTED)
target_include_directories(CLI11::CLI11 INTERFACE ${ONNXC_LIBRARIES}/include)
