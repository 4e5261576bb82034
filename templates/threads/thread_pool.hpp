// thread_pool.hpp - the threads that share the work of a run. They wait for chunks of kernel calls,
// spinning at first, then asleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"
#include "runtime_min/vector.hpp"
#include "templates/threads/system_threads.hpp"

namespace onnxc {

// Up to Most threads, of which the caller of run is the first; the others belong to the pool.
//
// A job is open from when run announces it until run has found no chunk left to compute. Threads
// that find an open job enter, take chunks and leave; run returns when no thread is inside. So a
// thread that wakes up late delays none, and no job is touched after its end. state_ counts the
// threads inside in its low bits; above them are the marks kOpen and kStopping and the number of
// the job.
template <int Most>
class ThreadPool {
 public:
  // Starts threads - 1 threads, or fewer if the system gives no more.
  explicit ThreadPool(Index threads) {
    while (threads_ < threads && threads_ < Most) {
      Member& m = members_[threads_];
      m.pool = this;
      m.number = threads_;
      if (!others_[threads_].start(&ThreadPool::serve_as, &m)) break;
      ++threads_;
    }
  }

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // No run may be under way.
  ~ThreadPool() {
    state_.fetch_or(kStopping);
    wake_sleepers();
    for (Index i = 1; i < threads_; ++i) others_[i].join();
  }

  Index threads() const { return threads_; }

  // Calls f(Chunk) for every chunk of `count`, each once, on any of the threads; returns when all
  // calls have returned. While a job runs, further ones, from other threads or from within f, are
  // done by their callers alone.
  template <class F>
  void run(Index count, F& f) {
    if (threads_ == 1 || count < 2 || busy_.exchange(true, std::memory_order_acquire))
      return f(Chunk{});
    call_ = [](void* function, Chunk chunk) { (*static_cast<F*>(function))(chunk); };
    function_ = &f;
    chunks_ = count;
    for (Index i = 0; i < threads_; ++i) {
      const Span own = share(i, threads_, count);
      shares_[i].next.store(own.begin, std::memory_order_relaxed);
      shares_[i].end = own.end;
    }
    state_.fetch_add(kJob + kOpen);
    wake_sleepers();
    work(0);
    state_.fetch_sub(kOpen);
    for (Index spins = 0; (state_.load(std::memory_order_acquire) & kInside) != 0; ++spins)
      pause(spins);
    busy_.store(false, std::memory_order_release);
  }

 private:
  // Atomic without a library; the number of the job may wrap.
  using State = std::conditional_t<sizeof(void*) == 8, std::uint64_t, std::uint32_t>;
  static constexpr std::size_t capacity = Most;
  static constexpr State kInside = 0xffff, kOpen = 0x10000, kStopping = 0x20000, kJob = 0x40000;
  static constexpr Index kSpins = 2000;  // before other programs get a chance, some 50 us

  struct Member {
    ThreadPool* pool;
    Index number;
  };
  // The chunks that one thread begins with; a thread that has finished takes those of others. On a
  // cache line of its own.
  struct alignas(64) Share {
    std::atomic<Index> next{0};
    Index end = 0;
  };

  static void serve_as(void* member) {
    const Member* m = static_cast<const Member*>(member);
    m->pool->serve(m->number);
  }

  static void pause(Index spins) { spins < kSpins ? wait_a_moment() : yield_thread(); }

  // A job that thread has not entered, or the end.
  static bool calls(State state, State last) {
    return (state & kStopping) != 0 || ((state & kOpen) != 0 && state / kJob != last);
  }

  void serve(Index number) {
    for (State last = 0;;) {
      if (await(last) & kStopping) return;
      const State entered = state_.fetch_add(1, std::memory_order_acquire);
      last = entered / kJob;
      if ((entered & kOpen) != 0) work(number);
      state_.fetch_sub(1, std::memory_order_release);
    }
  }

  State await(State last) {
    State state = state_.load(std::memory_order_relaxed);
    IdleTime idle;
    for (Index spins = 0; !calls(state, last); ++spins) {
      if (spins >= kSpins && idle.is_over()) return sleep(last);
      pause(spins);
      state = state_.load(std::memory_order_relaxed);
    }
    return state;
  }

  // Either the announcement of a job sees the sleeper, or the sleeper sees the job.
  State sleep(State last) {
    State state = 0;
    sleepers_.sleep_until([&] {
      state = state_.load();
      return calls(state, last);
    });
    return state;
  }

  void wake_sleepers() { sleepers_.wake(others_ + 1, threads_ - 1); }

  void work(Index number) {
    for (Index i = 0; i < threads_; ++i) {
      Share& s = shares_[(number + i) % threads_];
      while (s.next.load(std::memory_order_relaxed) < s.end) {
        const Index chunk = s.next.fetch_add(1, std::memory_order_relaxed);
        if (chunk < s.end) call_(function_, Chunk{chunk, chunks_, number});
      }
    }
  }

  // Waiting threads read this; it shares no cache line with anything else that changes.
  alignas(64) std::atomic<State> state_{0};
  alignas(64) void (*call_)(void*, Chunk) = nullptr;
  void* function_ = nullptr;
  Index chunks_ = 0;
  Index threads_ = 1;
  Share shares_[capacity];
  Sleepers sleepers_;
  std::atomic<bool> busy_{false};
  Member members_[capacity];
  SystemThread others_[capacity];
};

// A pool in the caller's memory, and its end.
template <class Pool>
Pool* start_pool(void* memory, std::size_t threads) {
  return new (memory) Pool(threads < 0xffff ? static_cast<Index>(threads) : 0xffff);
}
template <class Pool>
void stop_pool(Pool* pool) {
  if (pool != nullptr) pool->~Pool();
}

}  // namespace onnxc
