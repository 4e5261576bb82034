# Runs a port with stand-ins for vcpkg's functions, which write what they are asked for to SAID.
set(VCPKG_HOST_EXECUTABLE_SUFFIX "")
file(WRITE ${SAID} "")

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  file(APPEND ${SAID} "configure ${arg_SOURCE_PATH}\n")
endfunction()

function(vcpkg_copy_tools)
  cmake_parse_arguments(PARSE_ARGV 0 arg "AUTO_CLEAN" "" "TOOL_NAMES")
  file(APPEND ${SAID} "tools ${arg_TOOL_NAMES}\n")
endfunction()

function(vcpkg_download_distfile out)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILENAME;SHA512" "URLS")
  file(APPEND ${SAID} "download ${arg_URLS}\n")
  set(${out} ${arg_FILENAME} PARENT_SCOPE)
endfunction()

function(vcpkg_extract_source_archive out)
  set(${out} unpacked PARENT_SCOPE)
endfunction()

foreach(name vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_install_copyright)
  function(${name})
  endfunction()
endforeach()
include(${PORT}/portfile.cmake)
