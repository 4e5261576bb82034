# onnxc_node.js for node, which reads and writes the files of the system, and onnxc_web.js for pages
# and workers, whose files are in memory: createOnnxc({print, printErr}) gives {FS, callMain}.
set(wasm_link -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sMAXIMUM_MEMORY=2147483648
    -sTOTAL_STACK=16777216 -Os)

set_target_properties(onnxc PROPERTIES OUTPUT_NAME onnxc_node)
target_link_options(onnxc PRIVATE ${wasm_link} -sNODERAWFS=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1)

add_executable(onnxc_web main.cpp)
target_link_libraries(onnxc_web PRIVATE onnxc_core)
target_include_directories(onnxc_web PRIVATE ${PROJECT_SOURCE_DIR})
target_link_options(onnxc_web PRIVATE ${wasm_link} -sENVIRONMENT=web,worker,node -sMODULARIZE=1
  -sEXPORT_NAME=createOnnxc -sINVOKE_RUN=0 -sFORCE_FILESYSTEM=1 -sEXIT_RUNTIME=0
  "SHELL:-sEXPORTED_RUNTIME_METHODS=['FS','callMain']")

# Debian's acorn, for a node that is not Debian's.
set_target_properties(onnxc onnxc_web PROPERTIES
  RULE_LAUNCH_LINK "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs")

# `npm pack` in the folder `package` makes the package, `npx` runs it.
set(package ${PROJECT_BINARY_DIR}/package)
set(package_source ${CMAKE_CURRENT_SOURCE_DIR}/cmake/hosts/wasm/package)
configure_file(${package_source}/package.json.in ${package}/package.json @ONLY)
add_custom_target(onnxc_package ALL
  COMMAND ${CMAKE_COMMAND} -E copy ${package_source}/onnxc.js ${PROJECT_SOURCE_DIR}/LICENSE
          ${third_party} $<TARGET_FILE_DIR:onnxc>/onnxc_node.js $<TARGET_FILE_DIR:onnxc>/onnxc_node.wasm ${package}
  DEPENDS onnxc
  VERBATIM)
