// The memory of a program as its report shows it: what each step reads and writes, and when.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "compiler/ir/program.hpp"
#include "compiler/schedule/free_range.hpp"

namespace onnxc {

// The buffers that steps use, views counted as the buffers that contain them.
class TensorList {
 public:
  struct Entry {
    BufferId id;
    Lifetime life;
  };
  struct Uses {
    std::set<std::size_t> reads, writes;  // indices of entries
  };

  explicit TensorList(const Program& program);

  Uses uses(const Step& step) const;

  std::vector<Entry> entries;

 private:
  std::size_t index(BufferId id) const;

  const Program& program_;
  std::vector<std::size_t> index_;  // of buffers
};

// For every step, how many bytes of the arena hold something. What shares memory counts once.
std::vector<std::int64_t> occupied(const Program& program);

}  // namespace onnxc
