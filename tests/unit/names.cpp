// names.cpp - identifiers of generated code from names of models.
#include <catch2/catch.hpp>

#include "compiler/interface/names.hpp"

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
  CHECK(names.unique(identifier_from("a")) == "a");
  CHECK(names.unique(identifier_from("a")) == "a_2");
  CHECK(names.unique(identifier_from("a_2")) == "a_2_2");
  CHECK(names.unique(identifier_from("gemm")) == "gemm_2");
  for (const char* word : {"int", "exp", "INT64_MIN", "size_t", "NULL", "std", "while"}) {
    CHECK(is_reserved(word));
    CHECK(names.unique(identifier_from(word)) == std::string(word) + "_");
  }
}

TEST_CASE("Macros and keywords are reserved, names of tensors are not", "[names]") {
  for (const char* word : {"M_PI_2", "INFINITY", "M_PI", "NAN", "EOF", "linux", "unix", "I",
                           "assert", "errno", "AF_INET", "SYS_read", "PRId64", "SCNxFAST16",
                           "SIGINT", "st_mtime", "contract_assert", "typeof_unqual", "stdin"})
    CHECK(is_reserved(word));
  for (const char* word : {"X", "Y", "INPUT", "OUTPUT_0", "S_1", "M_A", "x_max", "PRInt", "input"})
    CHECK_FALSE(is_reserved(word));
}

TEST_CASE("Numbers after a name do not make a macro of it", "[names]") {
  NameScope names;
  CHECK(names.unique(identifier_from("M_PI")) == "M_PI_");
  CHECK(names.unique(identifier_from("M_PI")) == "M_PI_2_");
  CHECK(names.unique(identifier_from("M_PI")) == "M_PI_3_");
}

}  // namespace onnxc
