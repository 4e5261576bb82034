// What a tokenizer does with a text before its model: code, and the memory that it takes.
#pragma once

#include "compiler/tokenizer/emit_tables.hpp"

namespace onnxc {

// At most factor * bytes + constant bytes for a text of `bytes`.
struct TextBound {
  std::int64_t factor = 1, constant = 0;
};

// A member of the scratch memory.
struct ScratchMember {
  std::string type, name;
  TextBound bytes;
  std::string search;  // of a RegexSearch: its program and steps
};

struct TokenizerSteps {
  std::string tables;  // functions that make structs of tables
  std::string body;    // of encode_part
  std::vector<ScratchMember> members;
  TextBound words;  // of the text that the model sees
};

TokenizerSteps tokenizer_steps(const ops::Tokenizer& t, TokenizerTables& tables,
                               const std::string& model_call);

}  // namespace onnxc
