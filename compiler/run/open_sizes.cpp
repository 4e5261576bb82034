// Finds sizes without a value.
#include "compiler/run/open_sizes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/ir/size_names.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

}  // namespace

std::vector<std::string> open_sizes(const Graph& graph, const CompileOptions& options) {
  std::vector<std::string> names;
  for (const Value* v : graph.inputs) {
    if (!v->type.is_tensor() || !v->type.shape) continue;
    const Shape& shape = *v->type.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto name = shape[i].as_symbol();
      if (name && !options.dims.count(name_of_symbol(*name)) && !options.dims.count(*name) &&
          !options.dims.count(fmt::format("{}:{}", v->name, i)))
        add_once(names, name_of_symbol(*name));
    }
  }
  return names;
}

std::string as_dim_options(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += fmt::format("{}--dim {}=1", text.empty() ? "" : " ", name);
  return text;
}

std::vector<Port> at_largest(std::vector<Port> ports, const std::vector<SizeSymbol>& symbols,
                             std::vector<std::string>& fixed) {
  const auto largest = [&](const std::string& name) -> std::optional<Dim> {
    for (const SizeSymbol& s : symbols)
      if (s.name == name && s.range.high) {
        add_once(fixed, fmt::format("{}={}", name_of_symbol(name), *s.range.high));
        return Dim(*s.range.high);
      }
    return std::nullopt;
  };
  for (Port& port : ports) {
    if (port.is_object() || !port.is_dynamic()) continue;
    for (std::size_t i = 0; i < port.dims.size(); ++i)
      port.dims[i] = port.shape[i].substitute(largest).constant().value_or(-1);
    if (port.is_dynamic()) continue;
    port.elements = 1;
    for (const std::int64_t d : port.dims) port.elements = checked_mul(port.elements, d);
  }
  return ports;
}

}  // namespace onnxc
