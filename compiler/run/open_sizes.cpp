// Finds sizes without a value.
#include "compiler/run/open_sizes.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/ir/size_names.hpp"
#include "compiler/run/recorded.hpp"
#include "compiler/run/test_case.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

bool has_size(const CompileOptions& options, const std::string& symbol, const Value& input,
              std::size_t axis) {
  return options.dims.count(name_of_symbol(symbol)) || options.dims.count(symbol) ||
         options.dims.count(fmt::format("{}:{}", input.name, axis));
}

void add_open(const Value& input, const CompileOptions& options, std::vector<OpenSize>& open) {
  if (!input.type.is_tensor() || !input.type.shape) return;
  const Shape& shape = *input.type.shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto symbol = shape[axis].as_symbol();
    if (!symbol || has_size(options, *symbol, input, axis)) continue;
    const std::string name = name_of_symbol(*symbol);
    const auto same = [&](const OpenSize& o) { return o.name == name; };
    if (std::none_of(open.begin(), open.end(), same))
      open.push_back({name, axis == 0 && shape.size() > 1, axis > 0 && shape.size() > 3});
  }
}

// The sizes of the first data set in the folder of the model; empty without one, or if it does not
// fit.
SizeValues sizes_of_data(const Model& model, const std::vector<OpenSize>& open) {
  const std::string folder = std::filesystem::path(model.path).parent_path().string();
  try {
    const std::vector<std::string> sets = find_data_sets(folder.empty() ? "." : folder);
    if (sets.empty()) return {};
    const InputShapes shapes = input_shapes({read_inputs(sets[0], typed_inputs(model)), {}});
    SizeValues sizes;
    for (std::size_t i = 0; i < shapes.size() && i < model.graph.inputs.size(); ++i) {
      const auto& shape = model.graph.inputs[i]->type.shape;
      if (!shapes[i] || !shape || shape->size() != shapes[i]->size()) continue;
      for (std::size_t axis = 0; axis < shape->size(); ++axis)
        if (const auto symbol = (*shape)[axis].as_symbol())
          sizes.emplace(name_of_symbol(*symbol), (*shapes[i])[axis]);
    }
    const auto known = [&](const OpenSize& o) { return sizes.count(o.name) > 0; };
    return std::all_of(open.begin(), open.end(), known) ? sizes : SizeValues();
  } catch (const FatalError&) {
    return {};
  }
}

SizeValues sizes_up_to(const std::vector<OpenSize>& open, std::int64_t image, std::int64_t length) {
  SizeValues sizes;
  for (const OpenSize& o : open) sizes[o.name] = o.is_batch ? 1 : o.is_image ? image : length;
  return sizes;
}

bool compiles(const ModelFile& file, CompileOptions options, const SizeValues& sizes) {
  for (const auto& [name, value] : sizes) options.dims[name] = {value, value};
  Diagnostics diagnostics;
  load(file, options, diagnostics);
  return !diagnostics.has_errors();
}

}  // namespace

std::vector<OpenSize> open_sizes(const Graph& graph, const CompileOptions& options) {
  std::vector<OpenSize> open;
  for (const Value* v : graph.inputs) add_open(*v, options, open);
  return open;
}

std::vector<OpenSize> open_sizes(const Model& model, const CompileOptions& options) {
  std::vector<OpenSize> open = open_sizes(model.graph, options);
  for (const auto& entry : model.entries)
    for (const Value* v : entry->graph.inputs) add_open(*v, options, open);
  return open;
}

SizeValues example_sizes(const ModelFile& file, const Model& model,
                         const std::vector<OpenSize>& open, const CompileOptions& options) {
  constexpr std::int64_t kLength = 32;
  if (const SizeValues recorded = sizes_of_data(model, open);
      !recorded.empty() && compiles(file, options, recorded))
    return recorded;
  for (const std::int64_t image : {224, 32, 8}) {
    const SizeValues sizes = sizes_up_to(open, image, std::min(image, kLength));
    if (compiles(file, options, sizes)) return sizes;
  }
  return sizes_up_to(open, 1, 1);
}

std::string as_dim_options(const std::vector<OpenSize>& open, const SizeValues& sizes) {
  std::string text;
  for (const OpenSize& o : open)
    text += fmt::format("{}--dim {}={}", text.empty() ? "" : " ", o.name, sizes.at(o.name));
  return text;
}

std::string are_open(const std::vector<OpenSize>& open) {
  std::string names;
  for (const OpenSize& o : open) names += (names.empty() ? "" : ", ") + o.name;
  return names + (open.size() == 1 ? " is open" : " are open");
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

SizeValues sizes_of(const std::vector<Port>& inputs, const std::vector<SizeSymbol>& symbols) {
  SizeValues sizes;
  for (const Port& port : inputs)
    for (std::size_t i = 0; i < port.shape.size() && i < port.dims.size(); ++i)
      if (const auto symbol = port.shape[i].as_symbol(); symbol && port.dims[i] >= 0)
        sizes[*symbol] = port.dims[i];
  for (const SizeSymbol& s : symbols) {
    if (sizes.count(s.name)) continue;
    const auto value = s.definition ? at_sizes(*s.definition, sizes) : std::nullopt;
    if (value || s.range.high) sizes[s.name] = value ? *value : *s.range.high;
  }
  return sizes;
}

}  // namespace onnxc
