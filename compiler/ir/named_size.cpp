// Finds sizes of inputs by name.
#include "compiler/ir/named_size.hpp"

#include <algorithm>

#include "compiler/ir/size_names.hpp"

namespace onnxc {
namespace {

std::optional<std::size_t> axis_number(const std::string& digits) {
  const bool number = !digits.empty() && digits.size() <= 9 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::optional<std::size_t>(std::stoul(digits)) : std::nullopt;
}

}  // namespace

std::optional<NamedSize> find_size(const Graph& graph, const std::string& name) {
  const std::vector<std::string> symbols = dynamic_dims(graph);
  for (const std::string& symbol : {symbol_of_name(name), name})
    if (std::find(symbols.begin(), symbols.end(), symbol) != symbols.end())
      return NamedSize{symbol};
  const std::size_t colon = name.rfind(':');
  const auto axis = colon == std::string::npos ? std::nullopt : axis_number(name.substr(colon + 1));
  if (!axis) return std::nullopt;
  for (Value* v : graph.inputs) {
    if (v->name != name.substr(0, colon) || !v->type.shape || *axis >= v->type.rank()) continue;
    return NamedSize{(*v->type.shape)[*axis].as_symbol(), v, *axis};
  }
  return std::nullopt;
}

}  // namespace onnxc
