// The name of a model for people.
#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/products/report/sections.hpp"

namespace onnxc {
namespace {

// Exporters write these, or a number of many digits, where the user gave no name.
bool is_generic(std::string name) {
  static const std::set<std::string> kNames = {"",
                                               "cntkgraph",
                                               "exported_model",
                                               "functional",
                                               "g",
                                               "graph",
                                               "main",
                                               "main_graph",
                                               "mlir",
                                               "model",
                                               "my_model",
                                               "net",
                                               "network",
                                               "onnx",
                                               "onnx_model",
                                               "onnxmodel",
                                               "sequential",
                                               "spox_graph",
                                               "subgraph",
                                               "test",
                                               "test_graph",
                                               "test_model",
                                               "tf2onnx",
                                               "torch_jit",
                                               "untitled",
                                               "sub_graph",
                                               "torch_jit_export",
                                               "model_graph",
                                               "quantized_model"};
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ' || c == '.') c = '_';
  }
  constexpr std::size_t kIdDigits = 16;
  const bool is_id =
      name.size() >= kIdDigits && name.find_first_not_of("0123456789abcdef_") == std::string::npos;
  // "Model from PaddlePaddle.", "Extracted from {torch_jit}"
  const bool is_origin = name.starts_with("model_from_") || name.starts_with("extracted_from_");
  const std::string word = name.substr(0, name.find_last_not_of("_0123456789") + 1);
  return is_id || is_origin || kNames.count(name) + kNames.count(word) > 0;
}

}  // namespace

std::string title_of(const EmitContext& c) {
  const std::filesystem::path path = c.model.path;
  for (const std::string& name :
       {c.model.graph.name, path.stem().string(), path.parent_path().filename().string()})
    if (!is_generic(name) && name.find_first_not_of("._-") != std::string::npos) return name;
  return c.name.text();
}

}  // namespace onnxc
