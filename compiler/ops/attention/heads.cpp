// Reads and checks the shape of a tensor of attention heads.
#include "compiler/ops/attention/heads.hpp"

#include "compiler/ops/window.hpp"

namespace onnxc::ops {

Heads read_heads(const NodeView& n, std::size_t input, const std::string& name,
                 std::optional<std::int64_t> count, const std::string& attribute) {
  const Shape& s = *n.input(input).shape;
  n.require(s.size() == 3 || s.size() == 4, input_field(input, name), "rank {}, needs 3 or 4",
            s.size());
  if (s.size() == 4) return {s[0], s[1], s[2], s[3], false};
  const std::int64_t heads = count.value_or(0);
  n.require(heads >= 1, "attribute " + quoted(attribute), "{} heads for an input of rank 3", heads);
  n.require(!s[2].is_const() || s[2].value() % heads == 0, "attribute " + quoted(attribute),
            "{} does not divide {}", heads, s[2].to_string());
  n.same(Dim::floor_div(s[2], heads) * heads, s[2], "attribute " + quoted(attribute));
  return {s[0], heads, s[1], Dim::floor_div(s[2], heads), true};
}

}  // namespace onnxc::ops
