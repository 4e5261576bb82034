# The program of the build that makes tables of headers runs on this machine, whatever the compiler
# is built for.
find_program(ONNXC_HOST_CXX NAMES g++ clang++ c++ NO_CMAKE_FIND_ROOT_PATH REQUIRED
             DOC "A C++ compiler for programs that run here; fmt is in its include path")
set(embed_program ${CMAKE_CURRENT_BINARY_DIR}/onnxc_embed_here)
set(embed_sources embed/main.cpp embed/declarations.cpp embed/header_tables.cpp embed/pack.cpp support/identifiers.cpp)
list(TRANSFORM embed_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
add_custom_command(
  OUTPUT ${embed_program}
  COMMAND ${CMAKE_COMMAND} -E env --unset=CPATH ${ONNXC_HOST_CXX} -std=c++20 -O1 -DFMT_HEADER_ONLY=1
          -I${PROJECT_SOURCE_DIR} ${embed_sources} -o ${embed_program}
  DEPENDS ${embed_sources}
  VERBATIM)
