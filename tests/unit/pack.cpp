// pack.cpp - texts inside the compiler come out as they went in.
#include "compiler/embed/pack.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "compiler/support/packed_text.hpp"

using namespace onnxc;

TEST_CASE("what is packed comes out again", "[pack]") {
  std::string words, bytes, far = "a line that is repeated far away\n";
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    words += std::string("float int const auto ").substr(random() % 20, random() % 7);
    bytes += static_cast<char>(random());
  }
  const std::string texts[] = {
      "", "a", "abcabcabc", std::string(1000, 'x'), words, bytes, far + words + bytes + far};
  for (const std::string& text : texts) {
    CHECK(unpack(pack(text, false)) == text);
    CHECK(unpack(pack(text, true)) == text);
  }
  CHECK(pack(std::string(1000, 'x'), false).size() < 20);
  CHECK(pack(words, false).size() < words.size());
}
