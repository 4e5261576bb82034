// The functions that kernels take as arguments: element-wise maps, epilogues and decision trees.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

class SourceFunctions {
 public:
  // Each returns the expression for the function in a call; equal functions share a definition.
  // `pointer` writes a buffer that an epilogue reads.
  using Pointer = std::function<std::string(BufferId)>;
  std::string map(const Lambda& f, SourceNames& names);
  std::string epilogue(const Lambda& f, const Pointer& pointer, SourceNames& names);
  std::string trees(const DecisionTrees& trees, SourceNames& names);
  void write(CodeWriter& w) const;  // the definitions of all functions so far

 private:
  std::string named(const std::string& text, const Identifier& stem, SourceNames& names);

  std::map<std::string, std::string> functions_;  // text with @ for the name -> name
  std::vector<const std::pair<const std::string, std::string>*> order_;
};

}  // namespace onnxc
