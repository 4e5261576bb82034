// Products: what else is made of a compiled model, besides its sources. Each folder of
// compiler/products/ is one, with its row in product.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/emit/emit.hpp"

namespace onnxc {

// What products are made of.
struct ProductInput {
  const EmitContext& context;
  const std::string& base;  // path of the sources without extension
  const std::vector<GeneratedFile>& sources;
  const std::vector<std::string>& model_files;  // read: the model and its external data
};

struct Product {
  bool (*wanted)(const CompileOptions& options);
  std::vector<GeneratedFile> (*files)(const ProductInput& input);
};

// In the order of their folders' names.
std::span<const Product* const> all_products();

}  // namespace onnxc
