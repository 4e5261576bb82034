#include "compiler/import/order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

std::vector<std::int64_t> dependencies(Frame& frame, std::int64_t index) {
  std::vector<std::int64_t> out;
  for (const std::string& name : frame.nodes->Get(static_cast<int>(index)).input())
    if (const auto maker = maker_of(frame, name)) out.push_back(*maker);
  return out;
}

}  // namespace

std::string node_title(const pb::NodeProto& node, std::int64_t index) {
  return node.name().empty() ? fmt::format("node {}", index) : "node " + quoted(node.name());
}

std::optional<std::int64_t> maker_of(Frame& frame, std::string_view name) {
  if (frame.makers.empty())
    for (int i = 0; i < frame.nodes->size(); ++i)
      for (const std::string& output : frame.nodes->Get(i).output())
        if (!output.empty()) frame.makers.emplace(output, i);
  const auto it = frame.makers.find(name);
  return it == frame.makers.end() ? std::nullopt : std::optional(it->second);
}

std::string find_cycle(Frame& frame, std::int64_t start) {
  struct Visit {
    std::int64_t node;
    std::vector<std::int64_t> inputs;
    std::size_t next = 0;
  };
  std::vector<bool> seen(static_cast<std::size_t>(frame.nodes->size()));
  std::vector<Visit> stack;
  stack.push_back({start, dependencies(frame, start)});
  while (!stack.empty()) {
    Visit& top = stack.back();
    if (top.next == top.inputs.size()) {
      stack.pop_back();
      continue;
    }
    const std::int64_t to = top.inputs[top.next++];
    if (to == start) {
      // The stack runs from consumer to producer; data flows the other way.
      std::string text = node_title(frame.nodes->Get(static_cast<int>(start)), start);
      for (auto it = stack.rbegin(); it != stack.rend(); ++it)
        text += " -> " + node_title(frame.nodes->Get(static_cast<int>(it->node)), it->node);
      return text;
    }
    if (seen[static_cast<std::size_t>(to)]) continue;
    seen[static_cast<std::size_t>(to)] = true;
    stack.push_back({to, dependencies(frame, to)});
  }
  return "";
}

}  // namespace onnxc::reader
