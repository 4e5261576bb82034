// heap.hpp - memory of sizes that are known only at run time, from the caller's allocator.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "runtime_min/extent.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The caller's functions. `allocate` returns null when there is no memory; alignment is not its
// concern.
struct Allocator {
  void* (*allocate)(void* context, std::size_t bytes);
  void (*release)(void* context, void* memory);
  void* context;
};

// For hosts; firmware without a heap never names it.
inline Allocator malloc_allocator() {
  return {[](void*, std::size_t bytes) { return std::malloc(bytes); },
          [](void*, void* memory) { std::free(memory); }, nullptr};
}

// Hands out blocks of one run and takes all of them back at its end.
class Heap {
 public:
  static constexpr std::size_t kAlignment = 64;

  explicit Heap(const Allocator& allocator) : allocator_(allocator) {}
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;
  ~Heap() {
    while (blocks_ != nullptr) release(blocks_ + 1);
  }

  // Aligned memory until `release` or the end of the call; null when there is none. Released when
  // the call returns unless that happens before.
  void* allocate(Extent bytes) {
    constexpr std::size_t extra = sizeof(Header) + kAlignment;
    const auto most = static_cast<std::int64_t>(std::numeric_limits<Index>::max() / 2);
    if (bytes.value() < 0 || bytes.value() > most) return nullptr;
    const std::size_t size = static_cast<std::size_t>(bytes.value()) + extra;
    void* const raw = allocator_.allocate(allocator_.context, size);
    if (raw == nullptr) return nullptr;
    const auto start = reinterpret_cast<std::uintptr_t>(raw) + sizeof(Header);
    const auto payload = (start + kAlignment - 1) / kAlignment * kAlignment;
    Header* const header = reinterpret_cast<Header*>(payload) - 1;
    header->raw = raw;
    header->previous = nullptr;
    header->next = blocks_;
    if (blocks_ != nullptr) blocks_->previous = header;
    blocks_ = header;
    return header + 1;
  }

  // Memory for `count` elements in place of `memory`, unless that has room for as many; capacity
  // is its size in elements. Out of line: generated code calls this for each tensor.
  [[gnu::noinline]] void* resize(void* memory, Extent& capacity, Extent count, std::size_t width) {
    if (memory != nullptr && !(count > capacity)) return memory;
    release(memory);
    memory = allocate(count * width);
    capacity = memory != nullptr ? count : Extent(0);
    return memory;
  }

  // Out of line, as resize().
  [[gnu::noinline]] void release(void* memory) {
    if (memory == nullptr) return;
    Header* const header = static_cast<Header*>(memory) - 1;
    if (header->next != nullptr) header->next->previous = header->previous;
    if (header->previous != nullptr)
      header->previous->next = header->next;
    else
      blocks_ = header->next;
    allocator_.release(allocator_.context, header->raw);
  }

 private:
  struct alignas(16) Header {
    void* raw;
    Header *previous, *next;
  };
  Allocator allocator_;
  Header* blocks_ = nullptr;
};

// Memory of one tensor, taken when its size is known. The Heap takes back what is not freed: with a
// destructor here, functions with many tensors would be slow to compile.
template <class T>
class Block {
 public:
  explicit Block(Heap& heap) : heap_(heap) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  T* data() { return data_; }

  // Room for `count` elements; what was there is lost. False when there is no memory.
  bool resize(Extent count) {
    data_ = static_cast<T*>(heap_.resize(data_, capacity_, count, sizeof(T)));
    return data_ != nullptr;
  }
  // As resize, but keeps the first `used` elements and takes more than it needs, for growing.
  bool grow(Extent count, Index used) {
    if (data_ != nullptr && !(count > capacity_)) return true;
    const Extent wanted = max(count, capacity_ * 2);
    T* const larger = static_cast<T*>(heap_.allocate(wanted * sizeof(T)));
    if (larger == nullptr) return false;
    for (Index i = 0; i < used; ++i) larger[i] = data_[i];
    free();
    data_ = larger;
    capacity_ = wanted;
    return true;
  }
  void free() {
    heap_.release(data_);
    data_ = nullptr;
    capacity_ = Extent(0);
  }
  void swap(Block& other) {
    T* const data = data_;
    data_ = other.data_;
    other.data_ = data;
    const Extent capacity = capacity_;
    capacity_ = other.capacity_;
    other.capacity_ = capacity;
  }

 private:
  Heap& heap_;
  T* data_ = nullptr;
  Extent capacity_;
};

// Memory that a kernel frees when it returns.
template <class T>
class ScratchBlock : public Block<T> {
 public:
  explicit ScratchBlock(Heap& heap) : Block<T>(heap) {}
  ~ScratchBlock() { this->free(); }
};

}  // namespace onnxc
