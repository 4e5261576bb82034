// Reads dimensions, shapes and types in the text form of the IR.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/lexer.hpp"
#include "compiler/ir/type.hpp"

namespace onnxc {

// Reads from a lexer that other parsers may share. All functions throw ParseError.
class TypeParser {
 public:
  explicit TypeParser(Lexer& lexer) : in_(lexer) {}

  Dim dim();      // "N*2 + floor_div(H - 3, 2)"
  Shape shape();  // "[N,3]"
  Type type();    // "f32[N,3]", "seq(i64[?])"
  ElemType elem(const std::string& word);

 private:
  struct Depth {
    explicit Depth(TypeParser& p);
    ~Depth() { --parser.depth_; }
    TypeParser& parser;
  };

  Dim term();
  Dim factor();
  Dim call(const std::string& name, const std::vector<Dim>& args);

  Lexer& in_;
  int depth_ = 0;
};

}  // namespace onnxc
