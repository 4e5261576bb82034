// Groups of layers that run line-buffered, several together or one alone (docs/decisions/0031).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/schedule/free_range.hpp"
#include "compiler/schedule/line_buffered_layers.hpp"

namespace onnxc {

class LineBufferedGroups {
 public:
  // The steps [begin, end).
  struct Range {
    std::size_t begin, end;
    friend bool operator==(const Range&, const Range&) = default;
  };

  struct Plan {
    std::int64_t bytes = 0;  // in use at a time, at most
    double cost = 0;         // of the layers in groups
    std::vector<Range> ranges;
  };

  // `alone`: bytes in use at every step as long as no layers run together. `costs`: of every step
  // as a layer of a group, more than those of its own form.
  LineBufferedGroups(const Program& program, const LineBufferedLayers& layers,
                     std::vector<std::int64_t> alone, std::vector<double> costs);

  // The groups of the least cost with which no more bytes than the limit are in use at a time, or
  // else of the fewest bytes.
  Plan choose(std::int64_t limit) const;
  // What choose gives for less and less memory, down to the least. Plans without groups are left
  // out.
  std::vector<Plan> plans() const;
  // Makes groups of these steps.
  void apply(Program& program, const std::vector<Range>& ranges) const;

 private:
  // A buffer of which a group uses the bytes [begin, end) at a time, for each row that a layer
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
  void make_layer(Program& program, std::size_t step, int group) const;

  const Program& p_;
  const LineBufferedLayers& layers_;
  const std::vector<std::int64_t> alone_;
  const std::vector<double> costs_;
  const std::vector<Lifetime> lives_;
  // Bytes in use of the groups that end before a step, those of the fewest layers first.
  std::vector<std::vector<std::int64_t>> bytes_;
};

// The form of a step by itself, of which the output may overlap the input; nullopt if it has none.
struct LoneLayer {
  Step step;
  LineBufferedGroup group;
  BufferId scratch = -1;
  std::int64_t scratch_size = 0;
};
std::optional<LoneLayer> lone_layer(const Program& program, const LineBufferedLayers& layers,
                                    std::size_t step);

}  // namespace onnxc
