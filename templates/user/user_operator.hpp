// user_operator.hpp - a node that the user computes with a function template of his own.
#pragma once

namespace onnxc {

// Calls function(s, operands...): pointers to the inputs, then to the outputs, in the order of the
// model; null for one that is left out.
// s: in<k>, out<k>: the dimensions of input and output k, unless it is a scalar or left out; the
// attributes of the node by their names.
template <class S, class Function, class... Operands>
void user_operator(S s, Function function, Operands... operands) {
  function(s, operands...);
}

}  // namespace onnxc
