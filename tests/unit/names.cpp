#include <catch2/catch.hpp>

#include "compiler/emit/kernels.hpp"
#include "compiler/emit/names.hpp"

namespace onnxc {

TEST_CASE("identifier_from lets nothing through but an identifier", "[names]") {
  const std::pair<const char*, const char*> cases[] = {
      {"conv1", "conv1"}, {"a.b", "a_b"},    {"/enc/Add_3", "enc_Add_3"},     {"9", "t9"},
      {"", "t"},          {"\xc3\xa9", "t"}, {"x y\n*/ int z;", "x_y_int_z"}, {"__a__b__", "a_b"},
      {"a\"\\", "a"},
  };
  for (const auto& [text, want] : cases) CHECK(identifier_from(text) == want);
}

TEST_CASE("NameScope hands out each name once and never a reserved one", "[names]") {
  NameScope names;
  names.reserve("gemm");
  CHECK(names.unique("a") == "a");
  CHECK(names.unique("a") == "a_2");
  CHECK(names.unique("a_2") == "a_2_2");
  CHECK(names.unique("gemm") == "gemm_2");
  for (const char* word : {"int", "exp", "INT64_MIN", "size_t", "NULL", "std", "while"}) {
    CHECK(is_reserved(word));
    CHECK(names.unique(word) == std::string(word) + "_");
  }
}

TEST_CASE("declared_names finds what a header declares, not its locals", "[names]") {
  const auto names = declared_names(
      "template <class T>\nstruct Box { T item; };\nconstexpr Index kBlock = 4;\n"
      "inline void fill(Index count, float* x) { for (Index i = 0; i < count; ++i) x[i] = 0; }\n");
  for (const char* name : {"Box", "kBlock", "fill"}) CHECK(names.count(name) == 1);
  for (const char* name : {"x", "i", "count", "item"}) CHECK(names.count(name) == 0);
}

}  // namespace onnxc
