// openmp_team.hpp - OpenMP threads instead of a pool. Without -fopenmp it is a single thread.
#pragma once

#include <atomic>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// At most Most threads.
template <int Most>
class OpenMpTeam {
 public:
  // Calls f(Chunk) for every chunk of `count`, each once, or f(Chunk{}) for all of them.
  template <class F>
  void run(Index count, F& f) {
#ifdef _OPENMP
    if (count < 2) return f(Chunk{});
    std::atomic<Index> arrived{0};
#pragma omp parallel num_threads(Most)
    {
      const Index thread = arrived.fetch_add(1, std::memory_order_relaxed);
#pragma omp for schedule(static)
      for (Index i = 0; i < count; ++i) f(Chunk{i, count, thread});
    }
#else
    static_cast<void>(count);
    f(Chunk{});
#endif
  }
};

}  // namespace onnxc
