// The four functions of ONNXC_OWN_THREADS as a real-time system would offer them: a fixed number of
// threads, each with a flag that wakes it.
#include <pthread.h>
#include <sched.h>

namespace {

constexpr int kMost = 8;

struct Task {
  void (*run)(void*);
  void* argument;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool awake;
};
Task tasks[kMost];
int used = 0;
thread_local Task* own = nullptr;

void* enter(void* task) {
  own = static_cast<Task*>(task);
  own->run(own->argument);
  return nullptr;
}

}  // namespace

extern "C" {

int onnxc_thread_start(void (*run)(void*), void* argument, void** thread) {
  if (used == kMost) return 1;
  Task& t = tasks[used];
  t = {run, argument, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  *thread = &t;
  pthread_t handle;
  if (pthread_create(&handle, nullptr, enter, &t) != 0) return 1;
  pthread_detach(handle);
  ++used;
  return 0;
}

void onnxc_thread_wait() {
  pthread_mutex_lock(&own->mutex);
  while (!own->awake) pthread_cond_wait(&own->condition, &own->mutex);
  own->awake = false;
  pthread_mutex_unlock(&own->mutex);
}

void onnxc_thread_wake(void* thread) {
  Task& t = *static_cast<Task*>(thread);
  pthread_mutex_lock(&t.mutex);
  t.awake = true;
  pthread_cond_signal(&t.condition);
  pthread_mutex_unlock(&t.mutex);
}

void onnxc_thread_yield() { sched_yield(); }

}  // extern "C"
