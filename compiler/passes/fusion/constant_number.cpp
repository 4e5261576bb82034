// Constants of one element.
#include "compiler/passes/fusion/constant_number.hpp"

namespace onnxc::passes {

std::optional<double> constant_number(const Value* v) {
  if (!v || !v->constant || v->constant->size() != 1) return std::nullopt;
  const ElemType elem = v->type.elem;
  if (elem == ElemType::float32 || elem == ElemType::float64) return v->constant->number(0);
  const std::vector<std::int64_t> integers = v->constant->to_int64s();
  if (integers.empty()) return std::nullopt;
  return static_cast<double>(integers[0]);
}

}  // namespace onnxc::passes
