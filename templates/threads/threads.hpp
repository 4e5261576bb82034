// threads.hpp - divides kernel calls among the threads of a pool.
#pragma once

#include <atomic>

#include "runtime_min/part.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// The status of the first part that failed, in the order of the parts.
class FirstFailure {
 public:
  void add(Index part, Status status) {
    if (status == Status::ok) return;
    const Index failure = part * kStatuses + static_cast<Index>(status);
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

// Runs the parts of a call on a pool, or without one as a single part.
template <class Pool>
class Threads {
 public:
  explicit Threads(Pool* pool) : pool_(pool) {}

  template <class F>
  void run(Index parts, F f) const {
    pool_ == nullptr ? f(Part{}) : pool_->run(parts, f);
  }

  // For an f that returns a Status.
  template <class F>
  Status check(Index parts, F f) const {
    FirstFailure failure;
    run(parts, [&](Part part) { failure.add(part.index, f(part)); });
    return failure.status();
  }

 private:
  Pool* pool_;
};

}  // namespace onnxc
