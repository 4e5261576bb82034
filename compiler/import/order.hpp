// Explaining names that are used before they are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/import/frame.hpp"

namespace onnxc::reader {

// Which node of the frame's list makes `name`, wherever it stands.
std::optional<std::int64_t> maker_of(Frame& frame, std::string_view name);

// A cycle through node `start` as "a -> b -> a", "" when there is none.
std::string find_cycle(Frame& frame, std::int64_t start);

// A node as messages call it: its quoted name, or its index.
std::string node_title(const pb::NodeProto& node, std::int64_t index);

}  // namespace onnxc::reader
