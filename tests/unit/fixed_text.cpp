// Placeholders in the files of fixed text.
#include "compiler/emit/fixed_text.hpp"

#include <catch2/catch.hpp>

#include "compiler/interface/names.hpp"

namespace onnxc {

TEST_CASE("placeholders of fixed text get their values", "[fixed_text]") {
  const std::string text =
      fixed_text("compiler/emit/text/weights_incbin.cpp.in", {{"stem", *FileStem::from("net-1")},
                                                              {"symbol", identifier_from("net.1")},
                                                              {"alignment", 64}});
  for (const char* part :
       {"// net-1_weights.cpp", "\"_net_1\"", ".balign 64\\n", "// SPDX-License"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(text.find("@{") == std::string::npos);
}

TEST_CASE("a placeholder without a value is an error that names it", "[fixed_text]") {
  CHECK_THROWS_WITH(fixed_text("compiler/tokenizer/text/pick.cpp.in", {{"nam", 1}}),
                    Catch::Equals("compiler/tokenizer/text/pick.cpp.in: no value for @{name}"));
}

}  // namespace onnxc
