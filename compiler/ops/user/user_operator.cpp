// onnxc::UserOperator: a node that --operator makes a call of the user's function template. Types
// and shapes of its outputs are those of the model's function of this operator, whose results are
// further inputs until types are known (drop_references), or those that the model declares.
#include <algorithm>

#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::user_operator {
namespace {

// No model has attributes of these names.
constexpr const char *kFunction = "onnxc.function", *kReferences = "onnxc.references";

void infer(Infer& n) {
  const auto references = static_cast<std::size_t>(n.attr_int(kReferences));
  const std::size_t first = n.node().inputs.size() - references;
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i) {
    const Value* const v = n.node().outputs[i];
    if (!v) continue;
    if (references > 0) {
      n.output(i, n.input(first + i));
      continue;
    }
    n.require(v->declared && v->declared->is_tensor() && v->declared->has_rank(),
              fmt::format("output {}", i),
              "has no type and shape in the model's value_info, and the model has no function of "
              "this operator: --operator needs one of them");
    // Every size of a result may follow from the one that the caller replaced.
    n.require(
        n.graph().root().replaced_batches.empty(), fmt::format("output {}", i),
        "is declared for another batch than that of --dim or the data: only a function of the "
        "model says what it is now");
    n.require(v->declared->elem != ElemType::string, fmt::format("output {}", i),
              "is a tensor of strings, whose memory a function template cannot get");
    n.output(i, *v->declared);
  }
}

void add_dims(std::vector<Param>& params, const std::string& name, const Shape& shape) {
  if (!shape.empty()) params.push_back({name, std::vector<Dim>(shape.begin(), shape.end())});
}

// A member of the shape for each attribute that C++ can have as a constant.
void add_attribute(Lower& n, std::vector<Param>& params, const std::string& name,
                   const Attribute& a) {
  const std::string field = "attribute " + quoted(name);
  n.require(
      std::none_of(params.begin(), params.end(), [&](const Param& p) { return p.name == name; }),
      field, "has the name of a member that holds dimensions");
  Param param;
  param.name = name;
  param.integers = true;
  if (const auto* i = std::get_if<std::int64_t>(&a)) {
    param.value = Dim(*i);
  } else if (const auto* list = std::get_if<std::vector<std::int64_t>>(&a)) {
    if (list->empty()) return;
    param.value = std::vector<Dim>(list->begin(), list->end());
  } else if (const auto* f = std::get_if<float>(&a)) {
    param.value = *f;
  } else if (const auto* floats = std::get_if<std::vector<float>>(&a)) {
    if (floats->empty()) return;
    param.value = *floats;
  } else if (const auto* text = std::get_if<std::string>(&a)) {
    param.value = *text;
  } else {
    n.fail(field, "only numbers, lists of numbers and strings become members");
  }
  params.push_back(std::move(param));
}

void lower(Lower& n) {
  std::vector<Param> params;
  for (std::size_t i = 0; i < n.node().inputs.size(); ++i)
    if (n.has_input(i)) add_dims(params, fmt::format("in{}", i), n.shape(i));
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i)
    if (n.has_output(i)) add_dims(params, fmt::format("out{}", i), n.out_shape(i));
  for (const auto& [name, attribute] : n.node().attributes)
    if (name != kFunction && name != kReferences) add_attribute(n, params, name, attribute);
  Call call = n.call("user_operator");
  call.params(std::move(params)).user_function(n.attr_string(kFunction));
  for (std::size_t i = 0; i < n.node().inputs.size(); ++i) call.in(i);
  for (std::size_t i = 0; i < n.node().outputs.size(); ++i) call.out(i);
}

constexpr Op rows[] = {internal({
    .name = "UserOperator",
    .inputs = "inputs:any~",
    .outputs = "outputs:any~",
    .attributes = "onnxc.function:string! onnxc.references:int=0",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::user_operator
