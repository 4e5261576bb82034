# onnxc.exe without DLLs other than those of the system, and with a stack like that of Linux.
enable_language(RC)
target_sources(onnxc PRIVATE cmake/hosts/windows/windows.rc support/platform/windows/wide_text.cpp)
target_include_directories(onnxc PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(onnxc PRIVATE psapi)
target_link_options(onnxc PRIVATE -static -s -Wl,--gc-sections -Wl,--stack,8388608 -Wl,--wrap=mbrtowc)
