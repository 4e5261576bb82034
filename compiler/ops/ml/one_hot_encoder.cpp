// OneHotEncoder: one row for each element: 1 at its category, else 0.
#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/ml/classes.hpp"
#include "compiler/ops/ml/lookup_table.hpp"

namespace onnxc::ops::one_hot_encoder {
namespace {

Tensor categories(const NodeView& n) {
  const bool words = n.has_attr("cats_strings") && !n.attr_strings("cats_strings").empty();
  const bool numbers = n.has_attr("cats_int64s") && !n.attr_ints("cats_int64s").empty();
  n.require(words != numbers, "attribute \"cats_*\"", "{} lists have members", words ? 2 : 0);
  n.require(words == (n.input(0).elem == ElemType::string), "input 0 \"X\"",
            "is of {}, the categories of {}", info(n.input(0).elem).onnx_name,
            words ? "string" : "int64");
  return words ? strings_tensor(n.attr_strings("cats_strings"))
               : Tensor::ints(n.attr_ints("cats_int64s"));
}

void infer(Infer& n) {
  const Tensor cats = categories(n);
  std::optional<Shape> y = n.input(0).shape;
  if (y) y->emplace_back(cats.size());
  n.output(0, ElemType::float32, y);
}

void lower(Lower& n) {
  const Tensor cats = categories(n);
  const std::vector<std::size_t> order = sorted_keys(cats);
  const std::vector<std::int32_t> places(order.begin(), order.end());
  const auto entries = static_cast<std::int64_t>(order.size());
  n.call("one_hot_encoder", OneHotEncoderShape<Dim>{product(n.shape(0)), entries, cats.size(),
                                                    n.attr_int("zeros") != 0})
      .in(0)
      .read(n.constant(picked(cats, order), "categories"))
      .read(n.constant(Tensor::of<std::int32_t>(ElemType::int32, {entries}, places), "places"))
      .out(0);
}

constexpr Op rows[] = {{
    .name = "OneHotEncoder",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:float",
    .types = "T: string int64 int32 float double",
    .attributes = "cats_int64s:ints cats_strings:strings zeros:int=1",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::one_hot_encoder
