// Tables of tokenizers as constants of a program.
#pragma once

#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/vocabulary.hpp"

namespace onnxc::ops {

BufferId integers(Lower& n, const std::vector<std::int32_t>& values, const std::string& role);

// Adds a PrefixTree to the arguments of a call.
void add_tree(Lower& n, Call& call, const PrefixTreeTables& tree);

}  // namespace onnxc::ops
