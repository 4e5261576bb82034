// heap.cpp - blocks of the heap of a call: aligned, apart, all given back.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "runtime_min/heap.hpp"

namespace onnxc {
namespace {

// An allocator that counts.
struct Counts {
  int calls = 0, alive = 0;
  std::size_t most = SIZE_MAX;  // of one call; more fails
};

Allocator counting(Counts& counts) {
  return {[](void* context, std::size_t bytes) -> void* {
            auto& c = *static_cast<Counts*>(context);
            ++c.calls;
            if (bytes > c.most) return nullptr;
            ++c.alive;
            return std::malloc(bytes);
          },
          [](void* context, void* memory) {
            --static_cast<Counts*>(context)->alive;
            std::free(memory);
          },
          &counts};
}

struct Held {
  unsigned char* data;
  std::size_t bytes;
  unsigned char mark;
};

bool is_intact(const Held& h) {
  for (std::size_t i = 0; i < h.bytes; ++i)
    if (h.data[i] != h.mark) return false;
  return true;
}

}  // namespace

TEST_CASE("blocks in and out of the reserve never overlap", "[heap]") {
  Counts counts;
  {
    Heap heap(counting(counts));
    REQUIRE(heap.reserve(20000, 8));
    std::mt19937 random(1);
    std::vector<Held> held;
    for (int round = 0; round < 4000; ++round) {
      if (held.size() > 12 || (!held.empty() && random() % 2 == 0)) {
        const std::size_t i = random() % held.size();
        REQUIRE(is_intact(held[i]));
        heap.release(held[i].data);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      const std::size_t bytes = random() % 3000;
      auto* const data = static_cast<unsigned char*>(heap.allocate(bytes));
      REQUIRE(data != nullptr);
      REQUIRE(reinterpret_cast<std::uintptr_t>(data) % Heap::kAlignment == 0);
      held.push_back({data, bytes, static_cast<unsigned char>(random())});
      std::memset(data, held.back().mark, bytes);
    }
  }
  CHECK(counts.alive == 0);
}

TEST_CASE("a reserve of the peak serves blocks of the announced number without another call",
          "[heap]") {
  Counts counts;
  {
    Heap heap(counting(counts));
    REQUIRE(heap.reserve(1001 + 2002 + 3003, 3));
    for (int round = 0; round < 3; ++round) {
      void* const a = heap.allocate(1001);
      void* const b = heap.allocate(2002);
      void* const c = heap.allocate(3003);
      heap.release(b);
      heap.release(a);
      heap.release(c);
    }
    CHECK(counts.calls == 1);
    CHECK(heap.allocate(7000) != nullptr);
    CHECK(counts.calls == 2);
  }
  CHECK(counts.alive == 0);
}

TEST_CASE("sizes that are too large, and an allocator without memory, give no block", "[heap]") {
  Counts counts;
  counts.most = 1000;
  Heap heap(counting(counts));
  CHECK_FALSE(heap.reserve(2000, 2));
  CHECK_FALSE(heap.reserve(std::numeric_limits<std::int64_t>::max(), 2));
  CHECK(heap.allocate(2000) == nullptr);
  CHECK(heap.allocate(Extent(-1)) == nullptr);
  CHECK(heap.allocate(100) != nullptr);
}

}  // namespace onnxc
