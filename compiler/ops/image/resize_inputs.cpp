// Scales, sizes and roi of Resize.
#include "compiler/ops/image/resize_inputs.hpp"

#include <optional>
#include <string>

#include "compiler/ops/window.hpp"

namespace onnxc::ops::resize {
namespace {

// Nullopt where it is known only at run time.
std::optional<bool> has_elements(const NodeView& n, std::size_t i) {
  if (!n.has_input(i)) return false;
  const Type& t = n.input(i);
  if (!t.has_rank()) return std::nullopt;
  if (t.rank() != 1) return true;  // refused by its shape
  const Dim& count = (*t.shape)[0];
  if (count.is_const()) return !count.is(0);
  return std::nullopt;
}

bool is_upsample(const NodeView& n) { return n.node().op_type == "Upsample"; }

}  // namespace

std::string scales_field(const NodeView& n) {
  const int version = n.node().version;
  if (!is_upsample(n)) return input_field(version < 11 ? 1 : 2, "scales");
  if (version == 1) return "attributes \"height_scale\" and \"width_scale\"";
  return version < 9 ? "attribute \"scales\"" : input_field(1, "scales");
}

bool given(const NodeView& n, std::size_t i) {
  if (const auto known = has_elements(n, i)) return *known;
  if (i == 1) return true;
  return has_elements(n, i == 2 ? 3 : 2) != true;
}

void require_count(const NodeView& n, std::size_t i, const char* name, std::size_t count) {
  if (!given(n, i) || !n.input(i).has_rank()) return;
  const Shape& s = *n.input(i).shape;
  const std::string field = i == 2 ? scales_field(n) : input_field(i, name);
  n.require(s.size() == 1 && (!s[0].is_const() || s[0].is(static_cast<std::int64_t>(count))), field,
            "shape {}, needs [{}]", to_string(s), count);
  n.same(s[0], static_cast<std::int64_t>(count), field);
}

std::vector<float> constant_scales(const NodeView& n) {
  const Tensor* t = n.constant(2);
  if (!t) return {};
  std::vector<float> scales(t->as<float>().begin(), t->as<float>().end());
  for (float v : scales) {
    n.require(v > 0 && v < 1e9f, scales_field(n), "{} is no scale", v);
    n.require(v >= 1 || !is_upsample(n), scales_field(n), "{} is below 1", v);
  }
  return scales;
}

void require_one_list(Infer& n) {
  const bool by_scales = given(n, 2), by_sizes = given(n, 3);
  n.require(by_scales || by_sizes, "inputs", "needs scales or sizes");
  const bool open = by_scales && by_sizes && !has_elements(n, 2) && !has_elements(n, 3);
  if (open)
    n.unsupported("inputs",
                  "scales and sizes have open lengths; one of them must be known to be empty");
  n.require(by_scales != by_sizes, "inputs", "has both scales and sizes");
  const std::size_t other = by_scales ? 3 : 2;
  if (!n.has_input(other)) return;
  const std::string field = input_field(other, by_scales ? "sizes" : "scales");
  n.require_known(n.has_rank(other), field, "has no known rank");
  n.same(n.shape(other)[0], 0, field);
}

}  // namespace onnxc::ops::resize
