// Finds the first byte that protobuf's wire format does not allow; the names of the fields on the
// path to it come from the descriptors of the format.
#include "compiler/onnx/read/model_file.hpp"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Walks the wire format and stops at the first error.
class Walker {
 public:
  Walker(std::span<const std::byte> bytes, int depth) : bytes_(bytes), depth_limit_(depth) {}
  std::string run() {
    message(pb::ModelProto::descriptor(), bytes_.size(), 0);
    return problem_;
  }

 private:
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
      return fail(
          start,
          fmt::format("length {} goes past the end ({} bytes are left): the file is cut off, "
                      "or no such file",
                      count, end - at_));
    at_ += static_cast<std::size_t>(count);
    return true;
  }

  bool field(const Descriptor* in, std::size_t end, int depth, bool& group_end) {
    const std::size_t start = at_;
    std::uint64_t tag = 0;
    if (!varint(end, tag)) return false;
    const auto number = static_cast<std::uint32_t>(tag >> 3);
    const std::string before = path_;
    if (number == 0 || (tag >> 3) > 536870911)
      return fail(start, fmt::format("field number {}", tag >> 3));
    const FieldDescriptor* descriptor =
        in ? in->FindFieldByNumber(static_cast<int>(number)) : nullptr;
    path_ +=
        (path_.empty() ? "" : ".") + (descriptor ? descriptor->name() : fmt::format("{}", number));
    if (!content(descriptor, tag & 7, start, end, depth, group_end)) return false;
    path_ = before;
    return true;
  }

  bool content(const FieldDescriptor* descriptor, std::uint64_t wire_type, std::size_t start,
               std::size_t end, int depth, bool& group_end) {
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
        if (!descriptor || !descriptor->message_type()) return true;
        const std::size_t inner_end = at_;
        at_ = from;
        return message(descriptor->message_type(), inner_end, depth + 1);
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
    if (depth > depth_limit_) return fail(start, "groups nested too deeply");
    while (at_ < end) {
      bool group_end = false;
      if (!field(nullptr, end, depth, group_end)) return false;
      if (group_end) return true;
    }
    return fail(start, "unterminated group");
  }

  bool message(const Descriptor* type, std::size_t end, int depth) {
    if (depth > depth_limit_)
      return fail(at_, fmt::format("nesting depth over {} (types or subgraphs); --max-depth",
                                   depth_limit_));
    while (at_ < end) {
      bool group_end = false;
      const std::size_t start = at_;
      if (!field(type, end, depth, group_end)) return false;
      if (group_end) return fail(start, "end-group without a group");
    }
    return true;
  }

  std::span<const std::byte> bytes_;
  int depth_limit_;
  std::size_t at_ = 0;
  std::string path_, problem_;
};

}  // namespace

std::string explain_model_bytes(std::span<const std::byte> bytes, int depth) {
  return Walker(bytes, depth).run();
}

}  // namespace onnxc::reader
