// startup.cpp - brings up a Cortex-M in QEMU: vectors, memory, FPU, and semihosting for output.
#include "startup.hpp"

#include <cstddef>
#include <cstdint>

extern "C" {

// Set by link.ld.
extern std::uint32_t stack_top, data_load, data_start, data_end, bss_start, bss_end;

int app_main();
void reset_handler();

// newlib's libm reports range errors here.
static int error_number;
int* __errno() { return &error_number; }
}

namespace {

// Semihosting operations.
constexpr int kWrite0 = 0x04, kExitExtended = 0x20;
constexpr std::uint32_t kApplicationExit = 0x20026;
volatile std::uint32_t* const kCoprocessorAccess = reinterpret_cast<std::uint32_t*>(0xE000ED88u);

int semihost(int operation, const void* argument) {
  register int r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void fault_handler() {
  print("fault\n");
  finish(99);
}

}  // namespace

void print(const char* text) { semihost(kWrite0, text); }

void finish(int code) {
  const std::uint32_t arguments[2] = {kApplicationExit, static_cast<std::uint32_t>(code)};
  semihost(kExitExtended, arguments);
  for (;;) {
  }
}

void reset_handler() {
  *kCoprocessorAccess = *kCoprocessorAccess | 0xF00000u;  // before any floating-point instruction
  asm volatile("dsb\n isb" ::: "memory");
  const std::uint32_t* from = &data_load;
  for (std::uint32_t* to = &data_start; to < &data_end; ++to, ++from) *to = *from;
  for (std::uint32_t* to = &bss_start; to < &bss_end; ++to) *to = 0;
  finish(app_main());
}

using Handler = void (*)();
extern "C" __attribute__((section(".vectors"), used))
const Handler vectors[16] = {reinterpret_cast<Handler>(&stack_top),
                             reset_handler,
                             fault_handler,
                             fault_handler,
                             fault_handler,
                             fault_handler,
                             fault_handler,
                             fault_handler};
