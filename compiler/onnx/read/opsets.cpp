// Checks the opset versions that a model or function imports.
#include "compiler/onnx/read/opsets.hpp"

#include <fmt/format.h>

#include "compiler/ir/graph.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

struct Newest {
  std::string_view domain;
  std::int64_t version;
};
constexpr Newest kNewest[] = {{"", 28},
                              {"ai.onnx.ml", 5},
                              {"ai.onnx.preview", 1},
                              {"ai.onnx.preview.training", 1},
                              {"ai.onnx.training", 1}};

}  // namespace

std::string canonical_domain(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

OpsetImports import_opsets(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& list,
                           const std::string& where, Context& context) {
  OpsetImports opsets;
  const std::string field = where.empty() ? "opset_import" : where + ", opset_import";
  for (const auto& import : list) {
    const std::string domain = canonical_domain(import.domain());
    const std::string title = quoted(domain.empty() ? "ai.onnx" : domain);
    if (import.version() <= 0)
      context.error("bad-opset", field,
                    fmt::format("domain {}: opset version {}", title, import.version()));
    for (const Newest& known : kNewest)
      if (known.domain == domain && import.version() > known.version)
        context.error("bad-opset", field,
                      fmt::format("domain {}: opset version {} is newer than {}, the newest known",
                                  title, import.version(), known.version));
    // Some tools list a domain twice, or write ai.onnx under both of its names.
    const auto [it, fresh] = opsets.emplace(domain, import.version());
    if (!fresh && it->second != import.version())
      context.error("bad-opset", field,
                    fmt::format("domain {} is given twice, with versions {} and {}", title,
                                it->second, import.version()));
  }
  return opsets;
}

}  // namespace onnxc::reader
