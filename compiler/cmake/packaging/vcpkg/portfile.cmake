# An overlay port: vcpkg install onnxc --overlay-ports=<sources>/compiler/cmake/packaging/vcpkg
# onnxc is a tool of the build. For another system than this one the port has the CMake package alone, which
# runs the program that vcpkg has installed for this one.
set(VCPKG_POLICY_EMPTY_INCLUDE_FOLDER enabled)
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/release.cmake")
  include("${CMAKE_CURRENT_LIST_DIR}/release.cmake")
else()
  get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
endif()

if(VCPKG_CROSSCOMPILING)
  set(package "${CURRENT_PACKAGES_DIR}/share/onnxc")
  set(program "tools/onnxc/onnxc${VCPKG_HOST_EXECUTABLE_SUFFIX}")
  file(INSTALL "${SOURCE_PATH}/compiler/cmake/OnnxcAddModel.cmake" DESTINATION "${package}")
  file(RELATIVE_PATH here_to_host "${CURRENT_INSTALLED_DIR}/share/onnxc" "${CURRENT_HOST_INSTALLED_DIR}")
  file(WRITE "${package}/onnxcConfig.cmake"
"get_filename_component(ONNXC_EXECUTABLE \"\${CMAKE_CURRENT_LIST_DIR}/${here_to_host}/${program}\" ABSOLUTE)
include(\"\${CMAKE_CURRENT_LIST_DIR}/OnnxcAddModel.cmake\")
")
  file(STRINGS "${SOURCE_PATH}/CMakeLists.txt" project REGEX "^project\\(")
  string(REGEX REPLACE ".*VERSION ([0-9.]+).*" "\\1" version "${project}")
  include(CMakePackageConfigHelpers)
  write_basic_package_version_file("${package}/onnxcConfigVersion.cmake" VERSION ${version}
                                   COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
  file(INSTALL "${SOURCE_PATH}/LICENSE" DESTINATION "${package}" RENAME copyright)
  return()
endif()

set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
                      OPTIONS -DONNXC_BUILD_TESTS=OFF -DCMAKE_FIND_PACKAGE_PREFER_CONFIG=ON)
vcpkg_cmake_install()
vcpkg_copy_tools(TOOL_NAMES onnxc AUTO_CLEAN)
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/onnxc)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
