// Imputer: replaces the marker of missing values.
#include <limits>

#include "compiler/kernels/ml_calls.hpp"
#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops::imputer {
namespace {

bool takes_floats(const NodeView& n) { return is_float(n.input(0).elem); }

std::int64_t parameters(const NodeView& n) {
  const bool floats = takes_floats(n);
  const std::string name = floats ? "imputed_value_floats" : "imputed_value_int64s";
  const std::string other = floats ? "imputed_value_int64s" : "imputed_value_floats";
  const auto size = !n.has_attr(name) ? 0
                    : floats          ? n.attr_floats(name).size()
                                      : n.attr_ints(name).size();
  const auto extra = !n.has_attr(other) ? 0
                     : floats           ? n.attr_ints(other).size()
                                        : n.attr_floats(other).size();
  n.require(size > 0 && extra == 0, "attribute \"" + (size > 0 ? other : name) + "\"",
            "only the values of the input's own kind are to be there");
  return static_cast<std::int64_t>(size);
}

void infer(Infer& n) {
  const std::int64_t count = parameters(n);
  if (n.has_rank(0) && count > 1) rows_of(n, count);
  n.output(0, n.elem(0), n.input(0).shape);
}

template <class T>
Tensor whole_numbers(const NodeView& n, const std::vector<std::int64_t>& values,
                     const std::string& attribute) {
  std::vector<T> out;
  for (std::int64_t v : values) {
    n.require(v >= std::numeric_limits<T>::min() && v <= std::numeric_limits<T>::max(),
              "attribute \"" + attribute + "\"", "{} does not fit the elements", v);
    out.push_back(static_cast<T>(v));
  }
  return Tensor::of<T>(n.input(0).elem, {static_cast<std::int64_t>(out.size())}, out);
}

Tensor numbers(const NodeView& n, const std::vector<std::int64_t>& values,
               const std::string& name) {
  return n.input(0).elem == ElemType::int32 ? whole_numbers<std::int32_t>(n, values, name)
                                            : whole_numbers<std::int64_t>(n, values, name);
}

Tensor numbers(const NodeView& n, const std::vector<float>& values) {
  if (n.input(0).elem == ElemType::float32) return floats_tensor(values);
  return Tensor::of<double>(ElemType::float64, {static_cast<std::int64_t>(values.size())},
                            std::vector<double>(values.begin(), values.end()));
}

void lower(Lower& n) {
  const std::int64_t count = parameters(n);
  Tensor replaced, values;
  if (takes_floats(n)) {
    replaced = numbers(n, std::vector<float>{n.attr_float("replaced_value_float")});
    values = numbers(n, n.attr_floats("imputed_value_floats"));
  } else {
    replaced = numbers(n, {n.attr_int("replaced_value_int64")}, "replaced_value_int64");
    values = numbers(n, n.attr_ints("imputed_value_int64s"), "imputed_value_int64s");
  }
  Call call = n.call(
      "impute_features",
      FeatureParametersShape<Dim>{count > 1 ? feature_rows(n).rows : product(n.shape(0)), count});
  call.in(0).read(n.constant(replaced, "replaced")).read(n.constant(values, "values")).out(0);
}

constexpr Op rows[] = {{
    .name = "Imputer",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T",
    .outputs = "Y:T",
    .types = "T: float double int64 int32",
    .attributes = "imputed_value_floats:floats imputed_value_int64s:ints "
                  "replaced_value_float:float=0.0 replaced_value_int64:int=0",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::imputer
