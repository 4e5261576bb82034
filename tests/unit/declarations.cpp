// Which pieces headers are split into, and what those declare.
#include "compiler/embed/declarations.hpp"

#include <catch2/catch.hpp>

#include "compiler/embed/header_tables.hpp"
#include "compiler/support/identifiers.hpp"

namespace onnxc {

using Names = std::set<std::string>;

TEST_CASE("a header is its head and its declarations", "[declarations]") {
  const HeaderText h = split_declarations(
      "// x.hpp - a header.\n\n// Adds.\ntemplate <class V = float>\ninline V add(V a, V b) {\n"
      "  return plus(a, b);  // not minus\n\n}\n\nconstexpr int kLimit = other(3), kNext = 4;\n");
  CHECK(h.head == "// x.hpp - a header.\n");
  REQUIRE(h.declarations.size() == 2);
  CHECK(h.declarations[0].names == Names{"add"});
  CHECK(h.declarations[0].uses.count("plus") == 1);
  CHECK(h.declarations[0].uses.count("minus") == 0);
  CHECK(h.declarations[0].text.starts_with("// Adds.\n"));
  CHECK(h.declarations[1].names.count("kLimit") == 1);
  CHECK(h.declarations[1].names.count("kNext") == 1);
  CHECK(h.declarations[1].names.count("other") == 0);
}

TEST_CASE("code before the namespace stays outside", "[emit]") {
  const HeaderText h = split_declarations(
      "// a.hpp - what it is.\n#pragma once\n\n#include <new>\n\n#if A\n#include <a>\n\n#else\n"
      "#include <b>\n#endif\n\nnamespace onnxc {\n\nint f();\n\n}  // namespace onnxc\n");
  CHECK(h.head == "// a.hpp - what it is.\n");
  CHECK(h.outside == "#if A\n#include <a>\n\n#else\n#include <b>\n#endif\n");
  CHECK(h.system == std::vector<std::string>{"<new>"});
  CHECK(h.declarations.size() == 1);
}

TEST_CASE("types, aliases and the values of plain enumerations are names", "[declarations]") {
  const HeaderText h = split_declarations(
      "struct alignas(8) A : Base {\n  int member;\n};\n\nusing B = A;\n\nenum C { first, second "
      "};\n\n"
      "enum class D { third };\n");
  REQUIRE(h.declarations.size() == 4);
  CHECK(h.declarations[0].names == Names{"A"});
  CHECK(h.declarations[1].names == Names{"B"});
  CHECK(h.declarations[2].names == Names{"C", "first", "second"});
  CHECK(h.declarations[3].names == Names{"D"});
}

TEST_CASE("numbers are no names", "[declarations]") {
  const HeaderText h = split_declarations(
      "template <class V>\nconstexpr bool wide = std::is_same_v<V, float> && kLanes > 1;\n");
  REQUIRE(h.declarations.size() == 1);
  CHECK(h.declarations[0].names == Names{"wide"});
}

TEST_CASE("specialisations know what they are for", "[declarations]") {
  const HeaderText h =
      split_declarations("template <class T>\nstruct Of {};\ntemplate <>\nstruct Of<half> {};\n");
  REQUIRE(h.declarations.size() == 2);
  CHECK(h.declarations[0].arguments.empty());
  CHECK(h.declarations[1].names == Names{"Of"});
  CHECK(h.declarations[1].arguments == Names{"half"});
}

TEST_CASE("operators and macros come with their header", "[declarations]") {
  const HeaderText h = split_declarations(
      "inline bool operator==(A a, A b) {\n  return true;\n}\n\n#define M(x) int f(x);\n\nM(a)\n"
      "#undef M\n\n#if defined(X)\n\nint one();\n\n#else\nint two();\n#endif\n");
  REQUIRE(h.declarations.size() == 3);
  CHECK(h.declarations[0].comes_along);
  CHECK(h.declarations[1].comes_along);
  CHECK(h.declarations[2].names == Names{"one", "two"});
}

TEST_CASE("names in namespaces have them before", "[declarations]") {
  const HeaderText h = split_declarations(
      "namespace a::math {\n\nint exp() { return std::log(two()); }\n\n}  // namespace a::math\n\n"
      "int log() { return math::exp() + onnxc::abs(1); }\n");
  REQUIRE(h.declarations.size() == 2);
  CHECK(h.declarations[0].scopes == std::vector<std::string>{"a::math"});
  CHECK(h.declarations[0].names == Names{"math::exp"});
  for (const char* name : {"two", "a::two", "math::two", "std::log"})
    CHECK(h.declarations[0].uses.count(name) == 1);
  for (const char* name : {"log", "math::log"}) CHECK(h.declarations[0].uses.count(name) == 0);
  CHECK(h.declarations[1].scopes.empty());
  CHECK(h.declarations[1].names == Names{"log"});
  for (const char* name : {"math::exp", "abs"}) CHECK(h.declarations[1].uses.count(name) == 1);
  CHECK(h.declarations[1].uses.count("exp") == 0);
}

TEST_CASE("names in namespaces inside a conditional are found with and without them",
          "[declarations]") {
  const HeaderText h = split_declarations(
      "#if defined(X)\nnamespace inner {\nint one() { return two(); }\n}  // namespace inner\n"
      "inline int three() { return inner::one(); }\n#endif\n");
  REQUIRE(h.declarations.size() == 1);
  CHECK(h.declarations[0].names == Names{"one", "three", "inner::one", "inner::three"});
  CHECK(h.declarations[0].uses.count("inner::two") == 1);
}

TEST_CASE("declared_names finds what a header declares, not its locals", "[names]") {
  const auto names = declared_names(
      "template <class T>\nstruct Box { T item; };\nconstexpr Index kBlock = 4;\n"
      "inline void fill(Index count, float* x) { for (Index i = 0; i < count; ++i) x[i] = 0; }\n");
  for (const char* name : {"Box", "kBlock", "fill"}) CHECK(names.count(name) == 1);
  for (const char* name : {"x", "i", "count", "item"}) CHECK(names.count(name) == 0);
}

TEST_CASE("functions have their result and parameters", "[declarations]") {
  const HeaderText h = split_declarations(
      "template <class S>\nStatus gather(S s, const T* x, Pair<A, B> y) {\n  return ok(s);\n}\n"
      "inline int sum(First first, const Rest&... rest);\n");
  REQUIRE(h.declarations.size() == 1);
  const std::vector<DeclaredFunction>& f = h.declarations[0].functions;
  REQUIRE(f.size() == 2);
  CHECK(f[0].name == "gather");
  CHECK(f[0].fallible);
  CHECK(f[0].parameters == std::vector<std::string>{"s", "x", "y"});
  CHECK(f[1].name == "sum");
  CHECK_FALSE(f[1].fallible);
  CHECK(f[1].parameters.empty());
}

TEST_CASE("headers that tables cannot hold are named", "[declarations]") {
  const SourceFile good{"templates/a/good.hpp", "int x();\n"};
  CHECK(sources_of_tables({}, {good}, false).tables.find("\"good\"sv, ") != std::string::npos);
  CHECK(sources_of_tables({}, {good}, false).names == "ONNXC_KERNEL(x)\n");
  const std::pair<SourceFile, const char*> cases[] = {
      {{"templates/b/open.hpp", "struct X {\n  int y;\n"}, "ends inside of a declaration"},
      {{"templates/b/empty.hpp", "// Nothing.\n"}, "declares nothing"},
      {{"templates/b/good.hpp", "int y();\n"}, "another header has this name"},
      {{"templates/b/user.hpp", "#include \"templates/c.hpp\"\n\nint y();\n"},
       "templates/c.hpp\", which is no header"},
  };
  for (const auto& [header, reason] : cases)
    CHECK_THROWS_WITH(sources_of_tables({}, {good, header}, false),
                      Catch::StartsWith(header.path) && Catch::Contains(reason));
}

TEST_CASE("the text of a declaration is a literal of the same bytes", "[declarations]") {
  CHECK(text_literal("a\n\"\\\t\n") == "\"a\\012\\\"\\\\\\011\\012\"sv");
}

TEST_CASE("comments and literals have no identifiers", "[declarations]") {
  CHECK(identifiers_of(without_comments("a /* b */ \"c\" 'd' fn::e 1'000 // f\n")) ==
        Names{"a", "fn", "fn::e"});
}

}  // namespace onnxc
