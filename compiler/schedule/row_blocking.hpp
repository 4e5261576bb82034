// Joining steps that advance through an image by bands of rows (docs/decisions/0013): what the
// joins share.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/ir/program.hpp"

namespace onnxc::row_blocking {

// A member of the step's shape struct; null if it has none of that name.
const Dim* find_dim(const Step& step, const std::string& name);
std::int64_t extent(const Step& step, const std::string& name);
bool is_one(const Step& step, std::initializer_list<const char*> names);

// A call of this kernel of which all extents are known.
bool is_call(const Step& step, const char* kernel);

// The buffer of an argument, or -1.
BufferId buffer_of(const Step& step, std::size_t arg);
// Of a convolution step: x, w, bias, y and perhaps an epilogue.
inline BufferId input_of(const Step& step) { return buffer_of(step, 0); }
inline BufferId output_of(const Step& step) { return buffer_of(step, 3); }

// Which steps and views use the buffers of a program.
class Uses {
 public:
  explicit Uses(const Program& program);
  // Whether what one step writes to `written` is all that another one reads from `read`, nobody
  // else does, and it is too large to stay in the second-level cache by itself.
  bool only_between(BufferId written, BufferId read) const;
  // The same of any size.
  bool only_once(BufferId written, BufferId read) const;

 private:
  const Program& p_;
  std::vector<int> uses_;
};

// How many of `all` output rows are computed at once, in bands that are nearly equal: as many as
// fit in `most` floats when `floats` tells what a number of them takes.
std::int64_t band_rows(std::int64_t all, std::int64_t most,
                       const std::function<std::int64_t(std::int64_t)>& floats);

// Memory for a band, one for each thread.
BufferId add_band(Program& program, const Step& step, std::int64_t floats);

// Weights, bias and epilogue of a convolution as arguments of the step that it becomes a stage of.
void add_stage(Step& to, const Step& stage);

// "input of the first -> output of the last".
std::string shape_note(const Step& first, const Step& last);

}  // namespace onnxc::row_blocking
