#include "compiler/import/wire.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace onnxc::reader {
namespace {

enum class Message {
  none,
  model,
  opset,
  entry,
  training,
  function,
  graph,
  value_info,
  annotation,
  node,
  attribute,
  tensor,
  segment,
  sparse,
  shape,
  dim,
  type,
  type_tensor,
  type_sequence,
  type_map,
  type_optional,
  opaque,
  device,
};

// The fields of ONNX's messages that error messages can name; `child` is none for plain data.
struct Field {
  Message in;
  std::uint32_t number;
  std::string_view name;
  Message child;
};

using M = Message;
constexpr Field kFields[] = {
    {M::model, 1, "ir_version", M::none},
    {M::model, 2, "producer_name", M::none},
    {M::model, 3, "producer_version", M::none},
    {M::model, 4, "domain", M::none},
    {M::model, 5, "model_version", M::none},
    {M::model, 6, "doc_string", M::none},
    {M::model, 7, "graph", M::graph},
    {M::model, 8, "opset_import", M::opset},
    {M::model, 14, "metadata_props", M::entry},
    {M::model, 20, "training_info", M::training},
    {M::model, 25, "functions", M::function},
    {M::model, 26, "configuration", M::device},
    {M::training, 1, "initialization", M::graph},
    {M::training, 2, "algorithm", M::graph},
    {M::training, 3, "initialization_binding", M::entry},
    {M::training, 4, "update_binding", M::entry},
    {M::function, 1, "name", M::none},
    {M::function, 4, "input", M::none},
    {M::function, 5, "output", M::none},
    {M::function, 7, "node", M::node},
    {M::function, 9, "opset_import", M::opset},
    {M::function, 11, "attribute_proto", M::attribute},
    {M::function, 12, "value_info", M::value_info},
    {M::function, 14, "metadata_props", M::entry},
    {M::graph, 1, "node", M::node},
    {M::graph, 2, "name", M::none},
    {M::graph, 5, "initializer", M::tensor},
    {M::graph, 10, "doc_string", M::none},
    {M::graph, 11, "input", M::value_info},
    {M::graph, 12, "output", M::value_info},
    {M::graph, 13, "value_info", M::value_info},
    {M::graph, 14, "quantization_annotation", M::annotation},
    {M::graph, 15, "sparse_initializer", M::sparse},
    {M::graph, 16, "metadata_props", M::entry},
    {M::value_info, 1, "name", M::none},
    {M::value_info, 2, "type", M::type},
    {M::value_info, 4, "metadata_props", M::entry},
    {M::annotation, 2, "quant_parameter_tensor_names", M::entry},
    {M::node, 1, "input", M::none},
    {M::node, 2, "output", M::none},
    {M::node, 3, "name", M::none},
    {M::node, 4, "op_type", M::none},
    {M::node, 5, "attribute", M::attribute},
    {M::node, 7, "domain", M::none},
    {M::node, 9, "metadata_props", M::entry},
    {M::attribute, 1, "name", M::none},
    {M::attribute, 4, "s", M::none},
    {M::attribute, 5, "t", M::tensor},
    {M::attribute, 6, "g", M::graph},
    {M::attribute, 7, "floats", M::none},
    {M::attribute, 8, "ints", M::none},
    {M::attribute, 9, "strings", M::none},
    {M::attribute, 10, "tensors", M::tensor},
    {M::attribute, 11, "graphs", M::graph},
    {M::attribute, 14, "tp", M::type},
    {M::attribute, 15, "type_protos", M::type},
    {M::attribute, 22, "sparse_tensor", M::sparse},
    {M::attribute, 23, "sparse_tensors", M::sparse},
    {M::tensor, 1, "dims", M::none},
    {M::tensor, 2, "data_type", M::none},
    {M::tensor, 3, "segment", M::segment},
    {M::tensor, 4, "float_data", M::none},
    {M::tensor, 5, "int32_data", M::none},
    {M::tensor, 6, "string_data", M::none},
    {M::tensor, 7, "int64_data", M::none},
    {M::tensor, 8, "name", M::none},
    {M::tensor, 9, "raw_data", M::none},
    {M::tensor, 10, "double_data", M::none},
    {M::tensor, 11, "uint64_data", M::none},
    {M::tensor, 13, "external_data", M::entry},
    {M::tensor, 16, "metadata_props", M::entry},
    {M::sparse, 1, "values", M::tensor},
    {M::sparse, 2, "indices", M::tensor},
    {M::shape, 1, "dim", M::dim},
    {M::type, 1, "tensor_type", M::type_tensor},
    {M::type, 4, "sequence_type", M::type_sequence},
    {M::type, 5, "map_type", M::type_map},
    {M::type, 7, "opaque_type", M::opaque},
    {M::type, 8, "sparse_tensor_type", M::type_tensor},
    {M::type, 9, "optional_type", M::type_optional},
    {M::type_tensor, 2, "shape", M::shape},
    {M::type_sequence, 1, "elem_type", M::type},
    {M::type_map, 2, "value_type", M::type},
    {M::type_optional, 1, "elem_type", M::type},
};

const Field* find_field(Message message, std::uint32_t number) {
  for (const Field& f : kFields)
    if (f.in == message && f.number == number) return &f;
  return nullptr;
}

// Walks the wire format and stops at the first thing that is wrong.
class Walker {
 public:
  explicit Walker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::string run() {
    message(Message::model, bytes_.size(), 0);
    return problem_;
  }

 private:
  static constexpr int kDepthLimit = 100;  // protobuf's own
  static constexpr std::size_t kPathShown = 200;

  bool fail(std::size_t at, const std::string& what) {
    std::string path = path_;
    if (path.size() > kPathShown) path = path.substr(0, kPathShown) + "...";
    problem_ = fmt::format("byte offset {}{}: {}", at, path.empty() ? "" : ", field " + path, what);
    return false;
  }

  bool varint(std::size_t end, std::uint64_t& value) {
    const std::size_t start = at_;
    value = 0;
    for (unsigned i = 0; i < 10; ++i) {
      if (at_ >= end) return fail(start, "truncated varint");
      const auto b = std::to_integer<std::uint64_t>(bytes_[at_++]);
      value |= (b & 0x7f) << (7 * i);
      if (b < 0x80) return true;
    }
    return fail(start, "varint longer than 10 bytes");
  }

  bool skip_bytes(std::size_t end, std::uint64_t count, std::size_t start) {
    if (count > end - at_)
      return fail(start,
                  fmt::format("length {} goes past the end ({} bytes are left)", count, end - at_));
    at_ += static_cast<std::size_t>(count);
    return true;
  }

  bool field(Message in, std::size_t end, int depth, bool& group_end) {
    const std::size_t start = at_;
    std::uint64_t tag = 0;
    if (!varint(end, tag)) return false;
    const auto number = static_cast<std::uint32_t>(tag >> 3);
    const std::string before = path_;
    const Field* known = find_field(in, number);
    path_ +=
        (path_.empty() ? "" : ".") + (known ? std::string(known->name) : fmt::format("{}", number));
    if (number == 0 || (tag >> 3) > 536870911) {
      path_ = before;
      return fail(start, fmt::format("field number {}", tag >> 3));
    }
    if (!content(known, tag & 7, start, end, depth, group_end)) return false;
    path_ = before;
    return true;
  }

  bool content(const Field* known, std::uint64_t wire_type, std::size_t start, std::size_t end,
               int depth, bool& group_end) {
    std::uint64_t value = 0;
    switch (wire_type) {
      case 0:
        return varint(end, value);
      case 1:
        return skip_bytes(end, 8, start);
      case 2: {
        if (!varint(end, value)) return false;
        const std::size_t from = at_;
        if (!skip_bytes(end, value, start)) return false;
        if (!known || known->child == Message::none) return true;
        const std::size_t inner_end = at_;
        at_ = from;
        return message(known->child, inner_end, depth + 1);
      }
      case 3:
        return group(end, depth + 1, start);
      case 4:
        group_end = true;
        return true;
      case 5:
        return skip_bytes(end, 4, start);
      default:
        return fail(start, fmt::format("wire type {}", wire_type));
    }
  }

  bool group(std::size_t end, int depth, std::size_t start) {
    if (depth > kDepthLimit) return fail(start, "groups nested too deeply");
    while (at_ < end) {
      bool group_end = false;
      if (!field(Message::none, end, depth, group_end)) return false;
      if (group_end) return true;
    }
    return fail(start, "unterminated group");
  }

  bool message(Message type, std::size_t end, int depth) {
    if (depth > kDepthLimit)
      return fail(at_, fmt::format("nesting depth over {} (types or subgraphs)", kDepthLimit));
    while (at_ < end) {
      bool group_end = false;
      const std::size_t start = at_;
      if (!field(type, end, depth, group_end)) return false;
      if (group_end) return fail(start, "end-group without a group");
    }
    return true;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::string path_, problem_;
};

}  // namespace

std::string explain_model_bytes(std::span<const std::byte> bytes) { return Walker(bytes).run(); }

std::string guess_other_format(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 512));
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (text.starts_with("version https://git-lfs"))
    return "a git-lfs pointer: fetch the file with `git lfs pull`";
  if (text.starts_with("<") && (has("<html") || has("<!DOCTYPE") || has("<HTML") || has("<?xml")))
    return "a web page, not an ONNX file";
  if (text.size() > 8 && text.substr(4, 4) == "TFL3") return "a TFLite model";
  if (text.size() > 8 && text.substr(4, 4) == "ORTM") return "a model in ORT format";
  if (text.starts_with("PK\x03\x04")) return "a zip archive";
  if (text.starts_with("\x1f\x8b")) return "a gzip file";
  if (has("ir_version:") || has("graph {") || has("opset_import"))
    return "ONNX in protobuf's text format; onnxc reads the binary format";
  return "";
}

}  // namespace onnxc::reader
