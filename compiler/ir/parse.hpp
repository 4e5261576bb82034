// Reads the text form of the IR that print.hpp writes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/lexer.hpp"

namespace onnxc {

// Blanks and line ends separate tokens; `//` starts a comment. Throws ParseError.
std::unique_ptr<Graph> parse_graph(std::string_view text);

// A dimension ("N*2 + floor_div(H - 3, 2)") and a type ("f32[N,3]").
Dim parse_dim(std::string_view text);
Type parse_type(std::string_view text);

}  // namespace onnxc
