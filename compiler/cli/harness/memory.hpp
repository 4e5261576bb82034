// memory.hpp - buffers of exactly the size asked for, so that sanitizers see every step too far.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "unit.hpp"

namespace harness {

struct Free {
  void operator()(void* p) const { std::free(p); }
};
using Memory = std::unique_ptr<void, Free>;

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "driver: %s\n", what);
  std::exit(99);
}

// Filled with a pattern that makes forgotten writes visible.
inline Memory allocate(std::size_t bytes, std::size_t align, int fill) {
  void* p = nullptr;
  if (posix_memalign(&p, align < sizeof p ? sizeof p : align, bytes > 0 ? bytes : 1) != 0) {
    fail("out of memory");
  }
  std::memset(p, fill, bytes);
  return Memory(p);
}

struct Buffers {
  std::vector<Memory> keep;
  std::vector<const void*> in;
  std::vector<void*> out;
  void* arena = nullptr;

  explicit Buffers(const onnxc_unit& u) {
    for (std::size_t i = 0; i < u.inputs; ++i) {
      keep.push_back(allocate(u.input_bytes[i], 16, 0));
      in.push_back(keep.back().get());
    }
    keep.push_back(allocate(u.weights_bytes, u.arena_align, 0));
    in.push_back(keep.back().get());
    for (std::size_t i = 0; i < u.outputs; ++i) {
      keep.push_back(allocate(u.output_bytes[i], 16, 0xcd));
      out.push_back(keep.back().get());
    }
    keep.push_back(allocate(u.arena_bytes, u.arena_align, 0xa5));
    arena = keep.back().get();
  }

  // The file holds the inputs one after the other, then weights that are not linked in.
  void read_inputs(const onnxc_unit& u, const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) fail("cannot read the inputs");
    for (std::size_t i = 0; i <= u.inputs; ++i) {
      const std::size_t n = i < u.inputs ? u.input_bytes[i] : u.weights_bytes;
      if (std::fread(keep[i].get(), 1, n, file) != n) fail("the inputs are too short");
    }
    std::fclose(file);
  }
};

}  // namespace harness
