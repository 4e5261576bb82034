# Exceptions of WebAssembly itself; those through JavaScript take a third more code.
add_compile_options(-fwasm-exceptions "SHELL:-include ${CMAKE_CURRENT_LIST_DIR}/old_library.hpp")
add_link_options(-fwasm-exceptions)
