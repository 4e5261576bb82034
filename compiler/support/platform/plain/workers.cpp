// Runs one batch after the other in this process, for systems without fork: a crash ends all.
#include "compiler/support/platform/workers.hpp"

#include <algorithm>

namespace onnxc {

void run_workers(const WorkerPool& pool, std::size_t tasks) {
  const WorkerChannel channel{[](std::size_t) {}, pool.done};
  std::size_t number = 0;
  for (std::size_t at = 0; at < tasks;) {
    std::vector<std::size_t> batch;
    for (const std::size_t end = std::min(at + pool.batch, tasks); at < end; ++at)
      batch.push_back(at);
    pool.work(batch, number++, channel);
  }
}

}  // namespace onnxc
