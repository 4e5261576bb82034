// threads.hpp - divides kernel calls among the threads of a pool.
#pragma once

#include <atomic>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The status of the first chunk that failed, in the order of the chunks.
class FirstFailure {
 public:
  void add(Index chunk, Status status) {
    if (status == Status::ok) return;
    const Index failure = chunk * kStatuses + static_cast<Index>(status);
    Index first = first_.load(std::memory_order_relaxed);
    while ((first == 0 || failure < first) &&
           !first_.compare_exchange_weak(first, failure, std::memory_order_relaxed)) {
    }
  }
  Status status() const {
    return static_cast<Status>(first_.load(std::memory_order_relaxed) % kStatuses);
  }

 private:
  static constexpr Index kStatuses = 16;
  std::atomic<Index> first_{0};
};

// Runs the chunks of a call on a pool, or without one as a single chunk.
template <class Pool>
class Threads {
 public:
  explicit Threads(Pool* pool) : pool_(pool) {}

  template <class F>
  void run(Index chunks, F f) const {
    pool_ == nullptr ? f(Chunk{}) : pool_->run(chunks, f);
  }

  // For an f that returns a Status.
  template <class F>
  Status check(Index chunks, F f) const {
    FirstFailure failure;
    run(chunks, [&](Chunk chunk) { failure.add(chunk.index, f(chunk)); });
    return failure.status();
  }

 private:
  Pool* pool_;
};

}  // namespace onnxc
