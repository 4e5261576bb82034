// Chains of layers that run together, row by row (docs/decisions/0031).
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/schedule/free_range.hpp"
#include "compiler/schedule/row_layers.hpp"

namespace onnxc {

class RowChains {
 public:
  // The steps [begin, end).
  struct Range {
    std::size_t begin, end;
  };

  // `alone`: bytes in use at every step as long as none is in a chain.
  RowChains(const Program& program, std::vector<std::int64_t> alone);

  // The chains with which the fewest bytes are in use at a time, of as few layers as that takes.
  std::vector<Range> best() const;
  // Makes chains of these steps.
  void apply(Program& program, const std::vector<Range>& ranges) const;

 private:
  // A buffer of which a chain uses the bytes [begin, end) at a time, for each row that a layer
  // makes.
  struct Part {
    BufferId buffer;
    std::vector<std::pair<std::int64_t, std::int64_t>> bytes;
  };

  std::vector<Part> parts(const Range& range) const;
  std::int64_t most(const std::vector<Part>& parts) const;
  std::int64_t bytes_in_use(const Range& range) const;
  bool dies_in(BufferId x, const Range& range) const;
  bool starts_in(BufferId y, const Range& range) const;
  std::int64_t aligned(std::int64_t bytes) const;
  void make_layer(Program& program, std::size_t step, int chain) const;

  const Program& p_;
  const RowLayers layers_;
  const std::vector<std::int64_t> alone_;
  const std::vector<Lifetime> lives_;
};

}  // namespace onnxc
