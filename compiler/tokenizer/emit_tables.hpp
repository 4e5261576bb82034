// The tables of a tokenizer in generated code.
#pragma once

#include "compiler/emit/emit.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/tokenizer/tokenizer.hpp"

namespace onnxc {

class TokenizerTables {
 public:
  explicit TokenizerTables(const Identifier& name) : name_(name) { plan_.alignment = 8; }

  // Each adds a table once and returns the name under which code reads it.
  std::string integers(const std::string& name, const std::vector<std::int32_t>& values);
  std::string bytes(const std::string& name, const std::vector<std::uint8_t>& values);
  std::string numbers(const std::string& name, const std::vector<double>& values);
  // The initializers of a PrefixTree, a CharacterSet.
  std::string tree(const std::string& name, const ops::Vocabulary& words);
  std::string set(const std::string& name, const ops::CharacterSetTable& set);

  void place(WeightsMode wanted);   // when all are there
  std::string definitions() const;  // in the source, before they are read
  const WeightPlan& plan() const { return plan_; }

 private:
  std::string add(const std::string& name, Tensor values);

  Identifier name_;
  WeightPlan plan_;
};

}  // namespace onnxc
