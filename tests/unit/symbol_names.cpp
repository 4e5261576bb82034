// Names of open sizes: the model's own, and made-up ones where it has none.
#include <catch2/catch.hpp>

#include "compiler/ir/size_names.hpp"
#include "compiler/onnx/read/context.hpp"

namespace onnxc::reader {

TEST_CASE("a size without a name is called by its tensor and axis", "[import]") {
  SymbolNames names;
  CHECK(names.anonymous("x", 0) == Dim::symbol("x.0"));
  CHECK(names.anonymous("x", 12) == Dim::symbol("x.12"));
  CHECK(names.anonymous("a b:c_1.d", 1) == Dim::symbol("a_b_c_1.d.1"));
  CHECK(names.anonymous("7x", 0) == Dim::symbol("_7x.0"));
  CHECK(names.anonymous("", 0) == Dim::symbol("_.0"));
  CHECK(names.anonymous(std::string(61, 'y'), 0) == Dim::symbol(std::string(60, 'y') + ".0"));
  CHECK(names.anonymous("AZaz09", 3) == Dim::symbol("AZaz09.3"));
}

TEST_CASE("made-up names differ", "[import]") {
  SymbolNames names;
  CHECK(names.anonymous("a b", 0) == Dim::symbol("a_b.0"));
  CHECK(names.anonymous("a:b", 0) == Dim::symbol("a_b.0_2"));
  CHECK(names.anonymous("a/b", 0) == Dim::symbol("a_b.0_3"));
}

TEST_CASE("long names of sizes are cut between characters, and stay different", "[import]") {
  SymbolNames names;
  const std::string longest(200, 'x'), wide = std::string(199, 'x') + "\u00e4";
  CHECK(names.named(longest) == Dim::symbol(longest));
  const Dim cut = names.named(longest + "a"), other = names.named(longest + "b");
  CHECK(cut.to_string().find(longest + "... #1") != std::string::npos);
  CHECK(other.to_string().find(longest + "... #2") != std::string::npos);
  CHECK(names.named(longest + "a") == cut);
  CHECK(names.named(wide).to_string().find(std::string(199, 'x') + "... #3") != std::string::npos);
}

TEST_CASE("a name that is no word is a symbol in quotes, and comes back", "[names]") {
  CHECK(symbol_of_name("batch_1") == "batch_1");
  CHECK(symbol_of_name("N+1") == "\"N+1\"");
  CHECK(symbol_of_name("a\"b\\c") == "\"a\\\"b\\\\c\"");
  CHECK(symbol_of_name("a\n\x7f ") == "\"a\\x0a\\x7f \"");
  for (const char* name :
       {"batch", "N+1", "a\"b\\c", "a\n\x7f\x1f ", "gr\u00f6\u00dfe", "1", "x.0"})
    CHECK(name_of_symbol(symbol_of_name(name)) == name);
  CHECK(has_name(symbol_of_name("x.0")));
  CHECK(has_name("x"));
  CHECK_FALSE(has_name("x.0"));
}

}  // namespace onnxc::reader
