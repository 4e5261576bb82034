// Maps and parses a model file.
#include "compiler/onnx/read/model_file.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>

#include "compiler/ir/graph.hpp"
#include "compiler/onnx/read/file.hpp"
#include "compiler/support/hash.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using namespace reader;

// How deep messages are nested in a model with subgraphs, or types, of this depth: a graph is in an
// attribute of a node of a graph. Protobuf's own limit is 100.
int message_depth(int depth) { return std::max(100, 3 * depth + 10); }

bool parse(std::span<const std::byte> bytes, int nesting, pb::ModelProto& proto) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  in.SetRecursionLimit(nesting);
  return proto.ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
}

// Explains why the bytes are not a model; called after the parser refused them or found no graph.
std::string refusal(std::span<const std::byte> bytes, bool parsed, int nesting) {
  const std::string guess = guess_other_format(bytes);
  if (!guess.empty()) return "this is " + guess;
  const std::string tensor = describe_tensor(bytes);
  if (!tensor.empty()) return "this is " + tensor;
  const std::string problem = explain_model_bytes(bytes, nesting);
  if (!problem.empty()) return "not an ONNX model: " + problem;
  return parsed ? "has no graph: another kind of protobuf file, such as Core ML or Caffe?"
                : "not an ONNX model";
}

}  // namespace

ModelFile read_model_file(const std::string& path, Diagnostics& diagnostics, int depth) {
  ModelFile result;
  result.path = path;
  const auto refuse = [&](const std::string& message) {
    diagnostics.error("not-onnx", "", message);
    return result;
  };
  const auto file = map_file(path);
  const auto bytes = file->bytes();
  result.bytes = bytes.size();
  if (bytes.empty()) return refuse(fmt::format("{} is empty, it has no graph", quoted(path)));
  if (bytes.size() > std::size_t{0x7fffffff})
    return refuse(
        "the file is over 2 GiB, the limit of its format; larger weights are stored as external "
        "data");
  auto proto = std::make_shared<pb::ModelProto>();
  const int nesting = message_depth(depth);
  const bool parsed = parse(bytes, nesting, *proto);
  if (!parsed || !proto->has_graph()) return refuse(refusal(bytes, parsed, nesting));
  result.sha256 = sha256(bytes);
  result.proto = std::move(proto);
  return result;
}

bool reader::has_external_data(const pb::ModelProto& model) {
  const auto& tensors = model.graph().initializer();
  return std::any_of(tensors.begin(), tensors.end(), [](const pb::TensorProto& t) {
    return t.data_location() == pb::TensorProto::EXTERNAL;
  });
}

}  // namespace onnxc
