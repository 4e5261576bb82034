// The rule of -MD: which files the generated source depends on.
#include "compiler/products/product.hpp"
#include "compiler/emit/dependency_file.hpp"

namespace onnxc::products::dependencies {

extern const Product product{
    [](const CompileOptions& o) { return o.write_depfile; },
    [](const ProductInput& in) -> std::vector<GeneratedFile> {
      const CompileOptions& o = in.context.options;
      return {{o.depfile.empty() ? in.base + ".d" : o.depfile,
               dependency_rule(o.depends.empty() ? in.base + ".cpp" : o.depends, in.model_files)}};
    }};

}  // namespace onnxc::products::dependencies
