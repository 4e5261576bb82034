# bin/onnxc, the CMake package, the pkg-config file, the man page and completions for shells, and the
# packages that hold them.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/onnxc)
install(TARGETS onnxc EXPORT onnxcTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(EXPORT onnxcTargets NAMESPACE onnxc:: DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/compiler/cmake/onnxcConfig.cmake.in
  ${PROJECT_BINARY_DIR}/onnxcConfig.cmake INSTALL_DESTINATION ${package_dir})
# docs/versioning.md: in versions 0.x the second number is the one that breaks.
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
# A generator serves targets of every word size.
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/onnxcConfigVersion.cmake COMPATIBILITY ${compatibility} ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/onnxcConfig.cmake
              ${PROJECT_BINARY_DIR}/onnxcConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/compiler/cmake/OnnxcAddModel.cmake
        DESTINATION ${package_dir})

if(NOT CMAKE_CROSSCOMPILING)
  set(documents ${PROJECT_BINARY_DIR}/documents)
  install(FILES ${documents}/onnxc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${documents}/onnxc DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${documents}/_onnxc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${documents}/onnxc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

configure_file(${PROJECT_SOURCE_DIR}/compiler/cmake/packaging/onnxc.pc.in
               ${PROJECT_BINARY_DIR}/onnxc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/onnxc.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
if(EXISTS ${PROJECT_BINARY_DIR}/THIRD_PARTY_LICENSES)
  install(FILES ${PROJECT_BINARY_DIR}/THIRD_PARTY_LICENSES DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
include(${PROJECT_SOURCE_DIR}/compiler/cmake/packaging/cpack.cmake)
