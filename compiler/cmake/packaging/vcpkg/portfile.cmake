# An overlay port: vcpkg install onnxc --overlay-ports=<sources>/compiler/cmake/packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DONNXC_BUILD_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_copy_tools(TOOL_NAMES onnxc AUTO_CLEAN)
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/onnxc)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
set(VCPKG_POLICY_EMPTY_INCLUDE_FOLDER enabled)
