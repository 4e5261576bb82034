// The text form of the IR, for pass tests, dumps and bug reports. parse.hpp reads it back.
//
//   graph "mnist" (%image: f32[N,1,28,28]) -> (%logits) {
//     const %w = dense<f32[2]: 1.5, 2>
//     %relu: f32[N,1,28,28] = Relu(%image) !name "/relu/Relu" !version 14
//     %y: f32[N,8], %z: f32[N,8] = Split(%relu, _) {axis=1, alpha=0.5, mode="nearest"}
//   }
//
// `_` is an input or output left out, `^%x` a value of the graph around this one. Facts other than
// the operator's own follow `!`: layout, extent and const of values; name, as, index, version,
// sources and body of nodes.
#pragma once

#include <string>

#include "compiler/ir/graph.hpp"

namespace onnxc {

std::string print(const Graph& graph);

}  // namespace onnxc
