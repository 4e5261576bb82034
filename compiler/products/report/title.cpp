// The name of a model for people.
#include <algorithm>
#include <filesystem>
#include <set>

#include "compiler/products/report/sections.hpp"

namespace onnxc {
namespace {

// Exporters write these, or a number of many digits, where the user gave no name.
bool is_generic(std::string name) {
  static const std::set<std::string> kNames = {
      "",          "g",       "graph",       "main",          "main_graph",       "model",
      "my_model",  "net",     "network",     "onnx",          "onnx_model",       "test",
      "sub_graph", "tf2onnx", "torch_jit",   "test_model",    "torch_jit_export", "quantized_model",
      "untitled",  "mlir",    "model_graph", "exported_model"};
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == '-' || c == ' ' || c == '.') c = '_';
  }
  constexpr std::size_t kIdDigits = 16;
  const bool is_id =
      name.size() >= kIdDigits && name.find_first_not_of("0123456789abcdef_") == std::string::npos;
  const bool is_origin = name.find("model_from_") == 0 || name.find("extracted_from_") == 0;
  return is_id || is_origin || kNames.count(name) > 0;
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
