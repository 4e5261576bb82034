# What is linked into a program that needs no libraries: THIRD_PARTY_LICENSES has the terms, from the
# packages that the libraries come from, parts.json the versions and licences for a list of parts.
set(third_party ${PROJECT_BINARY_DIR}/THIRD_PARTY_LICENSES)
set(text "This program contains the libraries below, each under its own terms.\n")
set(parts "")

# onnxc_part(NAME PACKAGE LICENCE FILE): a library, the package with its terms, and a file of it whose
# hash says which one was linked.
function(onnxc_part name package licence file)
  set(terms_file /usr/share/doc/${package}/copyright)
  if(EXISTS ${terms_file})
    file(READ ${terms_file} terms)
  else()
    message(WARNING "no licence of ${name}: ${terms_file} is missing")
    set(terms "See the sources of ${name}.\n")
  endif()
  string(REPEAT "=" 100 rule)
  set(text "${text}\n${rule}\n${name}\n${rule}\n\n${terms}" PARENT_SCOPE)

  set(version "")
  find_program(ONNXC_DPKG_QUERY dpkg-query NO_CMAKE_FIND_ROOT_PATH)
  if(ONNXC_DPKG_QUERY)
    execute_process(COMMAND ${ONNXC_DPKG_QUERY} -W -f "\${Version}" ${package}
                    OUTPUT_VARIABLE version ERROR_QUIET)
  endif()
  set(hash "")
  set(file_name "")
  if(EXISTS "${file}")
    file(SHA256 ${file} hash)
    get_filename_component(file_name ${file} NAME)
  endif()
  string(CONCAT part "  {\"name\": \"${name}\", \"version\": \"${version}\", \"package\": \"${package}\", "
                     "\"licence\": \"${licence}\", \"file\": \"${file_name}\", \"sha256\": \"${hash}\"}")
  set(parts ${parts} ${part} PARENT_SCOPE)
endfunction()

# A library of the tool chain.
function(onnxc_tool_chain_file name out)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
                  OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${out} "${file}" PARENT_SCOPE)
endfunction()

set(protobuf_file ${Protobuf_LIBRARY_RELEASE})
set(headers /usr/include)
if(ONNXC_LIBRARIES)
  set(protobuf_file ${ONNXC_LIBRARIES}/lib/libprotobuf.a)
  set(headers ${ONNXC_LIBRARIES}/include)
endif()
onnxc_part("protobuf" libprotobuf-dev "BSD-3-Clause" "${protobuf_file}")
onnxc_part("fmt" libfmt-dev "MIT" ${headers}/fmt/core.h)
onnxc_part("CLI11" libcli11-dev "BSD-3-Clause" ${headers}/CLI/CLI.hpp)
onnxc_tool_chain_file(libstdc++.a standard_library)
if(EMSCRIPTEN)
  onnxc_part("the libraries of emscripten, musl and libc++" emscripten
             "MIT AND (Apache-2.0 WITH LLVM-exception)" "")
elseif(WIN32)
  onnxc_tool_chain_file(libmingw32.a c_library)
  onnxc_part("MinGW-w64" mingw-w64-common "ZPL-2.1 AND MIT" "${c_library}")
  onnxc_part("libstdc++ and libgcc" g++-mingw-w64-x86-64-posix "GPL-3.0-or-later WITH GCC-exception-3.1"
             "${standard_library}")
else()
  string(REGEX MATCH "^[0-9]+" gcc_version "${CMAKE_CXX_COMPILER_VERSION}")
  onnxc_tool_chain_file(libc.a c_library)
  onnxc_part("the GNU C library" libc6 "LGPL-2.1-or-later" "${c_library}")
  onnxc_part("libstdc++ and libgcc" gcc-${gcc_version}-base "GPL-3.0-or-later WITH GCC-exception-3.1"
             "${standard_library}")
endif()
file(WRITE ${third_party} "${text}")
list(JOIN parts ",\n" parts)
file(WRITE ${PROJECT_BINARY_DIR}/parts.json "[\n${parts}\n]\n")
