// startup.hpp - what a test program on a bare Cortex-M can do.
#pragma once

#include <cstddef>
#include <cstdint>

void print(const char* text);
void print_number(const char* what, std::uint32_t number);  // on a line
// Of the host, in QEMU's folder, to write it.
int open_file(const char* name, std::size_t length);
void write_file(int file, const void* bytes, std::size_t count);
[[noreturn]] void finish(int code);  // QEMU ends with this exit code
