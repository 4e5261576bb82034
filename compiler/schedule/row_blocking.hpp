// Fusing steps that advance through an image by row blocks (docs/decisions/0013): what these
// fusions share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/kernels/kernel_call.hpp"

namespace onnxc::row_blocking {

// A call of kernel K on images of any number, height and width; everything else is known.
template <template <class, class> class K>
std::optional<K<Dim, Arg>> image_call(const Step& step) {
  auto call = as<K>(step);
  if (!call) return std::nullopt;
  auto rest = call->shape;
  rest.batch = rest.in_h = rest.in_w = rest.out_h = rest.out_w = rest.pad_top = rest.pad_left = 1;
  if (!is_static(rest)) return std::nullopt;
  return call;
}

// The sizes for which the fusion of steps is decided: where they are open, one image of the largest
// height and width that the caller promised, or of 224 pixels.
class ExpectedSizes {
 public:
  ExpectedSizes(const Program& program, const Dim& batch);
  std::int64_t of(const Dim& d) const;
  template <class S>
  S shape(S s) const {
    kernel_call::each_member(s, [this](auto& member, auto) { member = of(member); });
    return s;
  }

 private:
  const Program& p_;
  std::vector<std::string> batch_;
};

// Which steps and views use the buffers of a program.
class Uses {
 public:
  explicit Uses(const Program& program);
  // Whether one step reads from `read` exactly the tensor that another one writes to `written`, no
  // other step reads it, and it is too large to stay in the second-level cache anyway.
  bool only_between(const Arg& written, const Arg& read, const ExpectedSizes& sizes) const;
  // The same for any size.
  bool only_once(const Arg& written, const Arg& read) const;

 private:
  const Program& p_;
  std::vector<int> uses_;
};

// How many of `all` output rows are computed at once, in row blocks that are nearly equal: as many
// as fit in `most` floats when `floats` is the size of a number of them.
std::int64_t row_block_rows(std::int64_t all, std::int64_t most,
                            const std::function<Dim(std::int64_t)>& floats);

// Sets the height of a row block of `all` output rows by the floats that `scratch` says that a
// shape takes, and returns these.
template <class S>
Dim choose_row_block(S& shape, const Dim& all, const ExpectedSizes& sizes, std::int64_t most,
                     Dim (*scratch)(const S&)) {
  S expected = sizes.shape(shape);
  shape.row_block = row_block_rows(sizes.of(all), most, [&](std::int64_t rows) {
    expected.row_block = rows;
    return scratch(expected);
  });
  return scratch(shape);
}

// Memory for the row blocks of a step, one for each thread.
Arg add_row_block(Program& program, const Step& step, const Dim& floats);

// An epilogue as an operand that cannot be left out.
Arg epilogue_or_identity(const std::optional<Arg>& epilogue);

// Adds the title, nodes and work of a step that is fused into another.
void add_notes(Step& to, const Step& stage);

// "input of the first -> output of the last".
std::string shape_note(const Step& first, const Step& last);

}  // namespace onnxc::row_blocking
