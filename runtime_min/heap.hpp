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
    if (reserve_ != nullptr) allocator_.release(allocator_.context, reserve_);
  }

  // Takes memory for `count` blocks of together `bytes`, from which allocate() hands out blocks as
  // long as they fit: one large piece costs less than many small ones, of which malloc may give
  // each back to the system. False when there is none. Once, before the first allocation.
  [[gnu::noinline]] bool reserve(Extent bytes, Index count) {
    const Extent all = bytes + Extent(count) * (2 * kAlignment) + kAlignment;
    if (!is_size(all)) return false;
    const auto size = static_cast<std::size_t>(all.value());
    reserve_ = allocator_.allocate(allocator_.context, size);
    if (reserve_ == nullptr) return false;
    begin_ = rounded_up(reinterpret_cast<std::uintptr_t>(reserve_));
    end_ = reinterpret_cast<std::uintptr_t>(reserve_) + size;
    return true;
  }

  // Aligned memory until `release` or the end of the call; null when there is none. Released when
  // the call returns unless that happens before.
  void* allocate(Extent bytes) {
    constexpr std::size_t extra = sizeof(Header) + kAlignment;
    if (!is_size(bytes)) return nullptr;
    const auto size = static_cast<std::size_t>(bytes.value());
    if (void* const reserved = place(size)) return reserved;
    void* const raw = allocator_.allocate(allocator_.context, size + extra);
    if (raw == nullptr) return nullptr;
    const auto payload = rounded_up(reinterpret_cast<std::uintptr_t>(raw) + sizeof(Header));
    return insert(payload, {raw, 0, nullptr, blocks_});
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
      first(*header) = header->next;
    if (header->raw != nullptr) allocator_.release(allocator_.context, header->raw);
  }

 private:
  // Directly before the memory of a block.
  struct alignas(16) Header {
    void* raw;           // what the allocator gave; null in the reserve
    std::uintptr_t end;  // of a block in the reserve
    Header *previous, *next;
  };
  static_assert(sizeof(Header) <= kAlignment);

  static bool is_size(Extent bytes) {
    const auto most = static_cast<std::int64_t>(std::numeric_limits<Index>::max() / 2);
    return bytes.value() >= 0 && bytes.value() <= most;
  }
  static std::uintptr_t rounded_up(std::uintptr_t n) {
    return (n + kAlignment - 1) / kAlignment * kAlignment;
  }

  // The list that a block is in.
  Header*& first(const Header& h) { return h.raw != nullptr ? blocks_ : placed_; }

  void* insert(std::uintptr_t payload, Header h) {
    Header* const header = reinterpret_cast<Header*>(payload) - 1;
    *header = h;
    if (h.next != nullptr) h.next->previous = header;
    if (h.previous != nullptr)
      h.previous->next = header;
    else
      first(h) = header;
    return header + 1;
  }

  // The first gap of the reserve with room for a block and its header.
  void* place(std::size_t size) {
    constexpr int kMaxGaps = 64;  // programs with more blocks would search for long
    Header *previous = nullptr, *next = placed_;
    std::uintptr_t at = begin_;
    for (int gaps = 0; gaps < kMaxGaps; ++gaps) {
      const std::uintptr_t payload = at + kAlignment;
      const std::uintptr_t limit =
          next != nullptr ? reinterpret_cast<std::uintptr_t>(next + 1) - kAlignment : end_;
      if (payload <= limit && limit - payload >= size)
        return insert(payload, {nullptr, rounded_up(payload + size), previous, next});
      if (next == nullptr) return nullptr;
      at = next->end;
      previous = next;
      next = next->next;
    }
    return nullptr;
  }

  Allocator allocator_;
  Header* blocks_ = nullptr;  // each by itself
  Header* placed_ = nullptr;  // in the reserve, by address
  void* reserve_ = nullptr;
  std::uintptr_t begin_ = 0, end_ = 0;  // of the reserve
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
