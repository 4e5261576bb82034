// Vocabularies as attributes of operators hold them.
#pragma once

#include <string>
#include <vector>

#include "compiler/ops/node_view.hpp"
#include "compiler/ops/text/vocabulary.hpp"

namespace onnxc::ops {

// The lines of a text, without empty ones.
std::vector<std::string> lines_of(const std::string& text);
// A word in each line, numbered from 0.
Vocabulary numbered_lines(const std::string& text);
// {"word": number, ...} of an attribute, in the order of the numbers.
Vocabulary vocabulary_of_json(const NodeView& n, const std::string& attribute);

}  // namespace onnxc::ops
