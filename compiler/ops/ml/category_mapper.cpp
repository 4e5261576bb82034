// CategoryMapper: maps strings to integers by two lists, or integers to strings.
#include "compiler/ops/ml/classes.hpp"
#include "compiler/ops/ml/lookup_table.hpp"

namespace onnxc::ops::category_mapper {
namespace {

bool takes_strings(const NodeView& n) { return n.input(0).elem == ElemType::string; }

void infer(Infer& n) {
  const std::size_t ints = n.attr_ints("cats_int64s").size();
  const std::size_t words = n.attr_strings("cats_strings").size();
  n.require(ints == words, "attribute \"cats_strings\"", "{} strings for {} integers", words, ints);
  n.output(0, takes_strings(n) ? ElemType::int64 : ElemType::string, n.input(0).shape);
}

void lower(Lower& n) {
  const Tensor words = strings_tensor(n.attr_strings("cats_strings"));
  const Tensor ints = Tensor::ints(n.attr_ints("cats_int64s"));
  if (takes_strings(n))
    lower_lookup(n, words, ints, Tensor::ints(std::vector{n.attr_int("default_int64")}));
  else
    lower_lookup(n, ints, words, strings_tensor({n.attr_string("default_string")}));
}

constexpr Op rows[] = {{
    .name = "CategoryMapper",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:T1",
    .outputs = "Y:T2",
    .types = "T1: string int64; T2: string int64",
    .attributes = "cats_int64s:ints! cats_strings:strings! default_int64:int=-1 "
                  "default_string:string=_Unused",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::category_mapper
