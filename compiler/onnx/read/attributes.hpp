// AttributeProto -> Attribute.
#pragma once

#include <functional>

#include "compiler/ir/attribute.hpp"
#include "compiler/onnx/read/context.hpp"

namespace onnxc::pb {
class AttributeProto;
class GraphProto;
}  // namespace onnxc::pb

namespace onnxc::reader {

// Imports the body of a graph attribute.
using ImportBody = std::function<std::shared_ptr<Graph>(const pb::GraphProto& body)>;

// The value of an attribute that is not a reference. Throws OpError.
Attribute import_attribute(const pb::AttributeProto& proto, Context& context,
                           const ImportBody& import_body);

// Whether a field for a value is set.
bool holds_data(const pb::AttributeProto& proto);

}  // namespace onnxc::reader
