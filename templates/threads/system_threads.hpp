// system_threads.hpp - what a pool needs of the system's threads: of POSIX, of Windows, or of the
// caller's own functions.
#pragma once

#include <atomic>

#include "runtime_min/types.hpp"

#if defined(ONNXC_OWN_THREADS)
// The caller defines these four.
extern "C" {
// Starts a thread that calls run(argument) and ends; *thread becomes its name for wake. Not 0
// where there are no more threads.
int onnxc_thread_start(void (*run)(void*), void* argument, void** thread);
// Returns when wake was called for the calling thread since its last wait, or earlier.
void onnxc_thread_wait(void);
void onnxc_thread_wake(void* thread);
// Lets other threads run, those of a lower priority too.
void onnxc_thread_yield(void);
}
#elif defined(_WIN32)
#include <chrono>

// As windows.h has them, which defines macros for names that models may use.
struct _RTL_CONDITION_VARIABLE;
struct _RTL_SRWLOCK;
struct _SECURITY_ATTRIBUTES;
extern "C" {
#if defined(_WIN64)
__declspec(dllimport) void* __stdcall CreateThread(_SECURITY_ATTRIBUTES*, unsigned long long,
                                                   unsigned long(__stdcall*)(void*), void*,
                                                   unsigned long, unsigned long*);
#else
__declspec(dllimport) void* __stdcall CreateThread(_SECURITY_ATTRIBUTES*, unsigned long,
                                                   unsigned long(__stdcall*)(void*), void*,
                                                   unsigned long, unsigned long*);
#endif
__declspec(dllimport) unsigned long __stdcall WaitForSingleObject(void*, unsigned long);
__declspec(dllimport) int __stdcall CloseHandle(void*);
__declspec(dllimport) int __stdcall SwitchToThread(void);
__declspec(dllimport) void __stdcall AcquireSRWLockExclusive(_RTL_SRWLOCK*);
__declspec(dllimport) void __stdcall ReleaseSRWLockExclusive(_RTL_SRWLOCK*);
__declspec(dllimport) int __stdcall SleepConditionVariableSRW(_RTL_CONDITION_VARIABLE*,
                                                              _RTL_SRWLOCK*, unsigned long,
                                                              unsigned long);
__declspec(dllimport) void __stdcall WakeAllConditionVariable(_RTL_CONDITION_VARIABLE*);
}
#else
#include <pthread.h>
#include <sched.h>

#include <chrono>
#endif

namespace onnxc {

#if defined(ONNXC_OWN_THREADS)

inline void yield_thread() { onnxc_thread_yield(); }

class SystemThread {
 public:
  // Whether a thread calls run(argument) now. This object must not move until join.
  bool start(void (*run)(void*), void* argument) {
    run_ = run;
    argument_ = argument;
    return onnxc_thread_start(&SystemThread::enter, this, &thread_) == 0;
  }
  void join() {
    while (!ended_.load(std::memory_order_acquire)) yield_thread();
  }
  void wake() const { onnxc_thread_wake(thread_); }

 private:
  static void enter(void* self) {
    auto* const t = static_cast<SystemThread*>(self);
    t->run_(t->argument_);
    t->ended_.store(true, std::memory_order_release);
  }

  void (*run_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* thread_ = nullptr;
  std::atomic<bool> ended_{false};
};

// Threads asleep until a condition holds.
class Sleepers {
 public:
  // Called by one of `threads`; who makes ready() true calls wake after it.
  template <class F>
  void sleep_until(F ready) {
    count_.fetch_add(1);
    while (!ready()) onnxc_thread_wait();
    count_.fetch_sub(1);
  }
  void wake(const SystemThread* threads, Index count) {
    if (count_.load() == 0) return;
    for (Index i = 0; i < count; ++i) threads[i].wake();
  }

 private:
  std::atomic<int> count_{0};
};

// How long a thread without work looks out for some before it sleeps.
class IdleTime {
 public:
  bool is_over() { return true; }
};

#else

#if defined(_WIN32)

inline void yield_thread() { SwitchToThread(); }

class SystemThread {
 public:
  // Whether a thread calls run(argument) now. This object must not move until join.
  bool start(void (*run)(void*), void* argument) {
    run_ = run;
    argument_ = argument;
    thread_ = CreateThread(nullptr, 0, &SystemThread::enter, this, 0, nullptr);
    return thread_ != nullptr;
  }
  void join() {
    WaitForSingleObject(thread_, 0xffffffffu);
    CloseHandle(thread_);
  }

 private:
  static unsigned long __stdcall enter(void* self) {
    const auto* const t = static_cast<const SystemThread*>(self);
    t->run_(t->argument_);
    return 0;
  }

  void (*run_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* thread_ = nullptr;
};

// A mutex with a condition. Both of Windows' begin as zeros and need no end.
class Monitor {
 public:
  void lock() { AcquireSRWLockExclusive(mutex()); }
  void unlock() { ReleaseSRWLockExclusive(mutex()); }
  void wait() { SleepConditionVariableSRW(condition(), mutex(), 0xffffffffu, 0); }
  void wake_all() { WakeAllConditionVariable(condition()); }

 private:
  _RTL_SRWLOCK* mutex() { return reinterpret_cast<_RTL_SRWLOCK*>(&mutex_); }
  _RTL_CONDITION_VARIABLE* condition() {
    return reinterpret_cast<_RTL_CONDITION_VARIABLE*>(&condition_);
  }

  void* mutex_ = nullptr;
  void* condition_ = nullptr;
};

#else

inline void yield_thread() { sched_yield(); }

class SystemThread {
 public:
  // Whether a thread calls run(argument) now. This object must not move until join.
  bool start(void (*run)(void*), void* argument) {
    run_ = run;
    argument_ = argument;
    return pthread_create(&thread_, nullptr, &SystemThread::enter, this) == 0;
  }
  void join() { pthread_join(thread_, nullptr); }

 private:
  static void* enter(void* self) {
    const auto* const t = static_cast<const SystemThread*>(self);
    t->run_(t->argument_);
    return nullptr;
  }

  void (*run_)(void*) = nullptr;
  void* argument_ = nullptr;
  pthread_t thread_;
};

// A mutex with a condition.
class Monitor {
 public:
  Monitor() {
    pthread_mutex_init(&mutex_, nullptr);
    pthread_cond_init(&condition_, nullptr);
  }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor() {
    pthread_cond_destroy(&condition_);
    pthread_mutex_destroy(&mutex_);
  }

  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }
  void wait() { pthread_cond_wait(&condition_, &mutex_); }
  void wake_all() { pthread_cond_broadcast(&condition_); }

 private:
  pthread_mutex_t mutex_;
  pthread_cond_t condition_;
};

#endif

// Threads asleep until a condition holds.
class Sleepers {
 public:
  // Called by one of `threads`; who makes ready() true calls wake after it.
  template <class F>
  void sleep_until(F ready) {
    monitor_.lock();
    count_.fetch_add(1);
    while (!ready()) monitor_.wait();
    count_.fetch_sub(1);
    monitor_.unlock();
  }
  void wake(const SystemThread*, Index) {
    if (count_.load() == 0) return;
    monitor_.lock();
    monitor_.wake_all();
    monitor_.unlock();
  }

 private:
  std::atomic<int> count_{0};
  Monitor monitor_;
};

// How long a thread without work looks out for some before it sleeps.
class IdleTime {
 public:
  bool is_over() {
    const auto now = std::chrono::steady_clock::now();
    if (begin_ == std::chrono::steady_clock::time_point()) begin_ = now;
    return now - begin_ > std::chrono::microseconds(500);
  }

 private:
  std::chrono::steady_clock::time_point begin_;
};

#endif

}  // namespace onnxc
