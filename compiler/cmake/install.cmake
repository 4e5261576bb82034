# bin/onnxc and the CMake package.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onnxc)
install(TARGETS onnxc EXPORT onnxcTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT onnxcTargets NAMESPACE onnxc:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/compiler/cmake/onnxcConfig.cmake.in
  ${PROJECT_BINARY_DIR}/onnxcConfig.cmake INSTALL_DESTINATION ${package_dir})
# A generator serves targets of every word size.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/onnxcConfigVersion.cmake COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/onnxcConfig.cmake
              ${PROJECT_BINARY_DIR}/onnxcConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/compiler/cmake/OnnxcAddModel.cmake
        DESTINATION ${package_dir})
