// Finds the tensors by name; clean-up removes what no output needs.
#include "compiler/onnx/read/chosen_outputs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/support/words.hpp"

namespace onnxc {

void choose_outputs(Graph& graph, const std::vector<std::string>& names, Diagnostics& diagnostics) {
  if (names.empty()) return;
  std::vector<Value*> chosen;
  for (const std::string& name : names) {
    const auto same = [&](const auto& v) { return v->name == name; };
    const auto found = std::find_if(graph.values.begin(), graph.values.end(), same);
    if (found != graph.values.end()) {
      if (std::find(chosen.begin(), chosen.end(), found->get()) == chosen.end())
        chosen.push_back(found->get());
      continue;
    }
    std::vector<std::string> known;
    for (const auto& v : graph.values) known.push_back(v->name);
    diagnostics.error(
        "undefined-name", fmt::format("--keep-output {}", name),
        fmt::format("no node or input makes a tensor of this name{}", did_you_mean(name, known)));
  }
  graph.outputs.clear();
  for (Value* v : chosen) graph.outputs.push_back(v);
}

}  // namespace onnxc
