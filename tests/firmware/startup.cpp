// startup.cpp - starts a Cortex-M in QEMU: vectors, memory, FPU, and semihosting for output and
// files.
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
constexpr int kOpen = 0x01, kWrite0 = 0x04, kWrite = 0x05, kExitExtended = 0x20;
constexpr std::uint32_t kBinaryWrite = 5;  // fopen's "wb"
constexpr std::uint32_t kApplicationExit = 0x20026;
volatile std::uint32_t* const kCoprocessorAccess = reinterpret_cast<std::uint32_t*>(0xE000ED88u);
volatile std::uint32_t* const kControl = reinterpret_cast<std::uint32_t*>(0xE000ED14u);
constexpr std::uint32_t kTrapUnaligned = 1u << 3;

std::uint32_t address(const void* p) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p));
}

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

void print_number(const char* what, std::uint32_t number) {
  char text[12];
  char* p = text + 11;
  *p = 0;
  *--p = '\n';
  do {
    *--p = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  print(what);
  print(p);
}

int open_file(const char* name, std::size_t length) {
  const std::uint32_t arguments[3] = {address(name), kBinaryWrite,
                                      static_cast<std::uint32_t>(length)};
  return semihost(kOpen, arguments);
}

void write_file(int file, const void* bytes, std::size_t count) {
  const std::uint32_t arguments[3] = {static_cast<std::uint32_t>(file), address(bytes),
                                      static_cast<std::uint32_t>(count)};
  semihost(kWrite, arguments);
}

void finish(int code) {
  const std::uint32_t arguments[2] = {kApplicationExit, static_cast<std::uint32_t>(code)};
  semihost(kExitExtended, arguments);
  for (;;) {
  }
}

void reset_handler() {
  *kCoprocessorAccess = *kCoprocessorAccess | 0xF00000u;  // before any floating-point instruction
#if defined(__ARM_ARCH_6M__)
  *kControl = *kControl | kTrapUnaligned;  // a board with a larger core behaves like a Cortex-M0+
#endif
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
