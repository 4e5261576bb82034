// Reports: --report, as JSON or as a page.
#include "compiler/products/product.hpp"
#include "compiler/products/report/report.hpp"

namespace onnxc::products::report {

extern const Product product{
    [](const CompileOptions& o) { return !o.reports.empty(); },
    [](const ProductInput& in) {
      std::vector<GeneratedFile> files;
      for (const std::string& path : in.context.options.reports)
        files.push_back(
            {path, path.ends_with(".html") ? html_report(in.context) : json_report(in.context)});
      return files;
    }};

}  // namespace onnxc::products::report
