#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include "compiler/import/file.hpp"
#include "compiler/import/graph_reader.hpp"
#include "compiler/import/import.hpp"
#include "compiler/import/wire.hpp"
#include "compiler/support/sha256.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using namespace reader;

constexpr std::int64_t kNewestIr = 14;

bool parse(const MappedFile& file, const std::string& path, pb::ModelProto& proto,
           Diagnostics& diagnostics) {
  const auto bytes = file.bytes();
  const auto refuse = [&](const std::string& message) {
    diagnostics.error("not-onnx", "", message);
    return false;
  };
  if (bytes.empty()) return refuse(fmt::format("{} is empty", quoted(path)));
  if (bytes.size() > std::size_t{0x7fffffff})
    return refuse(
        "the file is over 2 GiB, the limit of its format; larger weights are stored as "
        "external data");
  if (proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) && proto.has_graph())
    return true;
  const std::string guess = guess_other_format(bytes);
  if (!guess.empty()) return refuse("this is " + guess);
  const std::string problem = explain_model_bytes(bytes);
  if (!problem.empty()) return refuse("not an ONNX model: " + problem);
  return refuse(proto.has_graph() ? "not an ONNX model" : "has no graph");
}

OpsetImports read_header(const pb::ModelProto& proto, Model& model, Context& context) {
  if (!proto.has_ir_version())
    context.error("bad-ir-version", "", "ir_version is missing");
  else if (proto.ir_version() < 1 || proto.ir_version() > kNewestIr)
    context.error("bad-ir-version", "",
                  fmt::format("ir_version {} is outside [1, {}]", proto.ir_version(), kNewestIr));
  model.ir_version = context.ir_version = proto.ir_version();
  model.producer = proto.producer_name();
  model.producer_version = proto.producer_version();
  model.domain = proto.domain();
  model.doc = proto.doc_string();
  for (const auto& entry : proto.metadata_props())
    if (!model.metadata.emplace(entry.key(), entry.value()).second)
      context.diagnostics.warning("metadata", "metadata_props " + quoted(entry.key()),
                                  "is given twice; the first is used");
  for (const char* key : {"license", "model_license", "licence"})
    if (const auto it = model.metadata.find(key);
        it != model.metadata.end() && model.licence.empty())
      model.licence = it->second;
  model.opset_imports = import_opsets(proto.opset_import(), "", context);
  if (proto.opset_import().empty()) {
    if (proto.ir_version() >= 3) context.error("bad-opset", "", "opset_import is missing");
    model.opset_imports[""] = 1;
  }
  return model.opset_imports;
}

}  // namespace

Model import_model(const std::string& path, Diagnostics& diagnostics) {
  Model model;
  model.path = path;
  const auto proto = std::make_shared<pb::ModelProto>();
  ExternalData external(path);
  Context context(diagnostics, external);
  context.keeper = proto;
  {
    const auto file = MappedFile::open(path);
    if (!parse(*file, path, *proto, diagnostics)) return model;
    model.sha256 = sha256(file->bytes());
  }
  const OpsetImports opsets = read_header(*proto, model, context);
  Functions functions;
  if (functions.read(*proto, context)) {
    Frame frame;
    frame.graph = &model.graph;
    frame.opsets = &opsets;
    GraphReader graph_reader(context, functions);
    graph_reader.read(proto->graph(), frame, true);
    graph_reader.finish();
  }
  context.finish();
  for (const std::string& warning : external.warnings)
    diagnostics.warning("external-data", "", warning);
  model.files = external.files();
  return model;
}

}  // namespace onnxc
