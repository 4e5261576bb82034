#include "compiler/emit/source_shapes.hpp"

#include <algorithm>

namespace onnxc {

// A member of the shape struct; one that varies adds its value to `values`.
std::string SourceShapes::member(const Param& param, std::string& values) const {
  const std::string head = "static constexpr ";
  const auto variable = [&](const std::string& value) {
    values += (values.empty() ? "" : ", ") + value;
  };
  if (const auto* d = std::get_if<Dim>(&param.value)) {
    if (is_fixed(*d)) return fmt::format("{}Index {} = {};", head, param.name, names_.number(*d));
    variable(names_.number(*d));
    return fmt::format("Index {};", param.name);
  }
  if (const auto* list = std::get_if<std::vector<Dim>>(&param.value)) {
    if (std::all_of(list->begin(), list->end(), [this](const Dim& d) { return is_fixed(d); }))
      return fmt::format("{}Index {}[{}] = {{{}}};", head, param.name, list->size(),
                         names_.numbers(*list));
    variable("{" + names_.numbers(*list) + "}");
    return fmt::format("Index {}[{}];", param.name, list->size());
  }
  if (const auto* b = std::get_if<bool>(&param.value))
    return fmt::format("{}bool {} = {};", head, param.name, *b ? "true" : "false");
  return fmt::format("{}float {} = {};", head, param.name,
                     float_literal(std::get<float>(param.value)));
}

std::string SourceShapes::object(const Step& step) {
  CodeWriter body;
  std::string values;
  for (const Param& param : step.params) body.line("  {}", member(param, values));
  const auto [it, fresh] = structs_.emplace(body.text(), "");
  if (fresh) {
    const std::string& stem = small_ ? step.kernel : step.name;
    it->second = names_.new_global(pascal_case(identifier_from(stem)).with("Shape"));
    order_.push_back(&*it);
  }
  return it->second + "{" + values + "}";
}

void SourceShapes::write(CodeWriter& w) const {
  w.raw_line("// ---- shapes ----");
  w.raw_line("");
  for (const auto* entry : order_) {
    w.line("struct {} {{", entry->second);
    w.raw(entry->first);
    w.raw_line("};");
  }
  w.raw_line("");
}

}  // namespace onnxc
