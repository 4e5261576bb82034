// Distributes numbered tasks to forked worker processes, so that a crash costs one task.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace onnxc {

// The reports of a worker to the parent. A task begins before any risky work in the worker itself,
// and ends with its result, one line of text.
struct WorkerChannel {
  std::function<void(std::size_t)> begin;
  std::function<void(std::size_t, const std::string&)> end;
};

struct WorkerPool {
  int jobs = 1;
  std::size_t batch = 1;  // tasks given to a worker at a time
  // In the worker: runs a batch of tasks; `number` counts batches.
  std::function<void(const std::vector<std::size_t>&, std::size_t number, const WorkerChannel&)>
      work;
  // In the parent: a task's result, or the signal that killed the worker during the task.
  std::function<void(std::size_t, const std::string&)> done;
  std::function<void(std::size_t, int signal)> died;
};

// Returns when every task is finished or has crashed. Throws FatalError when the user interrupts.
void run_workers(const WorkerPool& pool, std::size_t tasks);

}  // namespace onnxc
