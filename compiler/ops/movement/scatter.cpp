// Checks the attribute `reduction` of scatter operators.
#include "compiler/ops/movement/scatter.hpp"

namespace onnxc::ops {

std::string scatter_op(const NodeView& n) {
  const std::string& how = n.attr_string("reduction");
  if (how == "none") return "ScatterOp::set";
  n.require(n.input(0).elem != ElemType::string, "attribute \"reduction\"",
            "strings can only replace each other");
  n.require(!is_complex(n.input(0).elem) || (how != "max" && how != "min"),
            "attribute \"reduction\"", "complex numbers have no order");
  for (const char* known : {"add", "mul", "max", "min"})
    if (how == known) return "ScatterOp::" + how;
  n.fail("attribute \"reduction\"", quoted(how) + " is none of none, add, mul, max, min");
}

}  // namespace onnxc::ops
