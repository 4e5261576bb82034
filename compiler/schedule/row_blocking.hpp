// Joining steps that advance through an image by row blocks (docs/decisions/0013): what the
// joins share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/kernel_call.hpp"

namespace onnxc::row_blocking {

// A call of kernel K with static dimensions only.
template <template <class, class> class K>
std::optional<K<Dim, Arg>> static_call(const Step& step) {
  auto call = as<K>(step);
  if (!call || !is_static(call->shape)) return std::nullopt;
  return call;
}

// Which steps and views use the buffers of a program.
class Uses {
 public:
  explicit Uses(const Program& program);
  // Whether one step reads from `read` exactly the tensor that another one writes to `written`, no
  // other step reads it, and it is too large to stay in the second-level cache anyway.
  bool only_between(const Arg& written, const Arg& read) const;
  // The same for any size.
  bool only_once(const Arg& written, const Arg& read) const;

 private:
  const Program& p_;
  std::vector<int> uses_;
};

// How many of `all` output rows are computed at once, in row blocks that are nearly equal: as many
// as fit in `most` floats when `floats` tells what a number of them takes.
std::int64_t row_block_rows(const Dim& all, std::int64_t most,
                            const std::function<Dim(std::int64_t)>& floats);

// Memory for the row blocks of a step, one for each thread.
Arg add_row_block(Program& program, const Step& step, const Dim& floats);

// An epilogue as an operand that cannot be left out.
Arg epilogue_or_identity(const std::optional<Arg>& epilogue);

// Adds the title, nodes and work of a step that is fused into another.
void add_notes(Step& to, const Step& stage);

// "input of the first -> output of the last".
std::string shape_note(const Step& first, const Step& last);

}  // namespace onnxc::row_blocking
