// turns.hpp - phases that follow each other, each shared by the threads of one call.
//
// The chunks of a call may run side by side or one after the other, so none may wait for another
// one to begin. Hence a chunk claims its share of a phase before it computes it, and computes those
// of others that are late: it only ever waits for work that is under way. Whoever computes a share,
// the results are the same.
#pragma once

#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/extent_arithmetic.hpp"
#include "runtime_min/types.hpp"
#include "runtime_min/vector.hpp"

#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
#include <atomic>
#endif

namespace onnxc {

// Integers of the scratch, zero before the call: the number of finished shares, then for each share
// the number of phases in which it has been claimed, a cache line apart.
constexpr Index kMostShares = 8, kTurnLine = 16;
constexpr Index turns_scratch() { return (kMostShares + 1) * kTurnLine; }

template <class ChunkOf>
class Turns {
 public:
  Turns(ChunkOf chunk, std::int32_t* counters)
      : chunk_(chunk), shares_(min_extent(chunk.count, kMostShares)), counters_(counters) {}

  // Phase `phase` of 0, 1, ...: f(the part of `units` to compute), until all have been.
  template <class F>
  [[gnu::always_inline]] void run(Index phase, Index units, const F& f) {
    if (shares_ == 1) {
      f(Span{0, units});
      return;
    }
    const std::int32_t turn = static_cast<std::int32_t>(phase);
    const std::int32_t all = (turn + 1) * static_cast<std::int32_t>(shares_);
    const Index first = chunk_.index % shares_;
    // One who had to compute the share of another one does not wait for it the next time.
    for (Index spins = helping_ ? kPatience : 0; finished() < all; ++spins) {
      const Index j = spins < kPatience ? 0 : (spins - kPatience) % shares_;
      const Index own = (first + j) % shares_;
      if ((spins == 0 || spins >= kPatience) && claim(own, turn)) {
        if (j > 0) helping_ = true;
        f(share(own, shares_, units));
        finish();
      } else {
        wait_a_moment();
      }
    }
  }

 private:
  static constexpr Index kPatience = 64;

#if defined(ONNXC_NO_VECTOR_EXTENSIONS)
  using Counter = std::atomic<std::int32_t>;
  Counter& counter(Index i) const { return reinterpret_cast<Counter&>(counters_[i * kTurnLine]); }

  std::int32_t finished() const { return counter(0).load(std::memory_order_acquire); }
  void finish() { counter(0).fetch_add(1, std::memory_order_release); }

  bool claim(Index own, std::int32_t turn) {
    Counter& claimed = counter(own + 1);
    std::int32_t expected = turn;
    return claimed.load(std::memory_order_relaxed) == turn &&
           claimed.compare_exchange_strong(expected, turn + 1, std::memory_order_relaxed);
  }
#else
  std::int32_t finished() const { return __atomic_load_n(counters_, __ATOMIC_ACQUIRE); }
  void finish() { __atomic_fetch_add(counters_, 1, __ATOMIC_RELEASE); }

  bool claim(Index own, std::int32_t turn) {
    std::int32_t* const claimed = counters_ + (own + 1) * kTurnLine;
    std::int32_t expected = turn;
    return __atomic_load_n(claimed, __ATOMIC_RELAXED) == turn &&
           __atomic_compare_exchange_n(claimed, &expected, turn + 1, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
  }
#endif

  ChunkOf chunk_;
  Index shares_;
  std::int32_t* counters_;
  bool helping_ = false;
};

}  // namespace onnxc
