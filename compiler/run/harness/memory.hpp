// memory.hpp - buffers whose overruns are seen: by AddressSanitizer, for which they have exactly
// the requested size, or by bytes after them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "aligned.hpp"
#include "convert.hpp"

#ifdef __SANITIZE_ADDRESS__
#define ONNXC_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONNXC_SANITIZED
#endif
#endif

namespace harness {

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "driver: %s\n", what);
  std::exit(99);
}

// Ends the program with a status of the model, and an exit code of its own.
[[noreturn]] inline void fail_with_status(int status) {
  std::fprintf(stderr, "%d\n", status);
  std::exit(98);
}

// Bytes after each buffer, which nothing may write.
#ifdef ONNXC_SANITIZED
inline constexpr std::size_t kGuard = 0;
#else
inline constexpr std::size_t kGuard = 64;
#endif
inline constexpr unsigned char kGuardByte = 0x5a;

struct Free {
  std::size_t bytes = 0;

  void operator()(void* p) const {
    const auto* const guard = static_cast<const unsigned char*>(p) + bytes;
    for (std::size_t i = 0; i < kGuard; ++i)
      if (guard[i] != kGuardByte) fail("memory after a buffer was written");
    give_aligned(p);
  }
};
using Memory = std::unique_ptr<void, Free>;

// Filled with a pattern that makes missing writes visible.
inline Memory allocate(std::size_t bytes, std::size_t align, int fill) {
  void* const p = bytes > SIZE_MAX - kGuard ? nullptr : take_aligned(bytes + kGuard, align);
  if (p == nullptr) fail("out of memory");
  std::memset(p, fill, bytes);
  std::memset(static_cast<char*>(p) + bytes, kGuardByte, kGuard);
  return Memory(p, Free{bytes});
}

inline Memory allocate_arena(const onnxc_unit& unit) {
  return allocate(unit.arena_bytes, unit.arena_align, 0xa5);
}

class Buffers {
 public:
  explicit Buffers(const onnxc_unit& unit) : unit_(unit), out_(unit.outputs) {
    arena_ = allocate_arena(unit);
    for (std::size_t i = 0; i < unit.outputs; ++i) {
      onnxc_value& v = out_[i];
      v.kind = onnxc_value::tensor;
      v.rank = unit.output_ranks[i];
      v.dims = keep<std::int64_t>(v.rank, 16);
      const bool known = unit.output_bytes[i] != onnxc_any_size;
      provide(v, known ? unit.output_bytes[i] : 0);
    }
  }

  // The file holds the inputs one after the other, then weights that are not linked in.
  void read_inputs(const char* path) {
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) fail("cannot read the inputs");
    in_.resize(unit_.inputs + 1);
    for (std::size_t i = 0; i < unit_.inputs; ++i) in_[i] = read_value(file);
    onnxc_value& weights = in_.back();
    weights.kind = onnxc_value::tensor;
    weights.bytes = unit_.weights_bytes;
    weights.data = keep<char>(weights.bytes, unit_.arena_align);
    read(file, weights.data, weights.bytes);
    std::fclose(file);
  }

  // For a training step: its state is the one that `init` has given, and every run changes it in
  // place.
  void take_state(const Buffers& init) {
    onnxc_value& state = out_.back();
    std::memcpy(state.data, init.out_.back().data, state.bytes);
    in_[unit_.inputs - 1] = state;
  }

  // One run; its status. What the last one converted is dropped.
  int run() {
    kept().clear();
    return unit_.run(in_.data(), out_.data(), arena_.get());
  }

  // Runs until every output has the memory it needs, or one needs more than `most` bytes.
  int run_until_fits(std::size_t most = onnxc_any_size) {
    prepared_ = out_;
    int status = run();
    for (std::size_t tries = 0; status == onnxc_too_small && tries <= unit_.outputs; ++tries) {
      for (std::size_t i = 0; i < unit_.outputs; ++i)
        if (unit_.output_bytes[i] == onnxc_any_size) {
          if (out_[i].count > most) return status;
          provide(out_[i], out_[i].count);
        }
      prepared_ = out_;
      status = run();
    }
    return status;
  }

  // Another run with the memory of the last one, whose results are overwritten.
  int run_again() {
    out_ = prepared_;
    return run();
  }

  const std::vector<onnxc_value>& outputs() const { return out_; }
  onnxc_value& input(std::size_t i) { return in_[i]; }

 private:
  template <class T>
  T* keep(std::size_t count, std::size_t align) {
    keep_.push_back(allocate(count * sizeof(T), align, 0));
    return static_cast<T*>(keep_.back().get());
  }

  void provide(onnxc_value& v, std::size_t bytes) {
    keep_.push_back(allocate(bytes, unit_.arena_align, 0xcd));
    v.data = keep_.back().get();
    v.bytes = bytes;
  }

  static void read(std::FILE* file, void* to, std::size_t bytes) {
    if (std::fread(to, 1, bytes, file) != bytes) fail("the inputs are too short");
  }
  static std::size_t read_count(std::FILE* file) {
    std::uint64_t n = 0;
    read(file, &n, sizeof n);
    return static_cast<std::size_t>(n);
  }

  onnxc_value read_value(std::FILE* file) {
    onnxc_value v{};
    v.kind = static_cast<onnxc_value::kind_type>(read_count(file));
    if (v.kind == onnxc_value::list || v.kind == onnxc_value::map) {
      v.count = read_count(file);
      v.items = keep<onnxc_value>(v.count, 16);
      for (std::size_t i = 0; i < v.count; ++i) v.items[i] = read_value(file);
    } else if (v.kind == onnxc_value::tensor) {
      v.rank = read_count(file);
      v.dims = keep<std::int64_t>(v.rank, 16);
      read(file, v.dims, v.rank * sizeof *v.dims);
      v.bytes = read_count(file);
      v.data = keep<char>(v.bytes, 16);
      read(file, v.data, v.bytes);
    }
    return v;
  }

  const onnxc_unit& unit_;
  std::vector<Memory> keep_;
  std::vector<onnxc_value> in_, out_;
  std::vector<onnxc_value> prepared_;  // out_ before the last run
  Memory arena_;
};

// Runs onnxc_units[0] once and provides for its outputs. If there is another unit, the first is a
// training step and the second makes its state; then the arguments are the inputs of both.
inline void prepare(Buffers& buffers, int argc, char** argv) {
  const bool trains = onnxc_units[1] != nullptr;
  if (argc != (trains ? 3 : 2)) fail("wrong number of arguments");
  buffers.read_inputs(argv[1]);
  if (trains) {
    Buffers init(*onnxc_units[1]);
    init.read_inputs(argv[2]);
    if (const int status = init.run(); status != 0) fail_with_status(status);
    buffers.take_state(init);
  }
  if (const int status = buffers.run_until_fits(); status != 0) fail_with_status(status);
}

}  // namespace harness
