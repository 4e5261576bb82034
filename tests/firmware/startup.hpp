// startup.hpp - what a test program on a bare Cortex-M can do.
#pragma once

void print(const char* text);
[[noreturn]] void finish(int code);  // QEMU ends with this exit code
