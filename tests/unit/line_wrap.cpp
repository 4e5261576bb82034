// Long lines of generated code: where they break.
#include "compiler/emit/writer.hpp"

#include <catch2/catch.hpp>

namespace onnxc {

using Lines = std::vector<std::string>;

TEST_CASE("short lines stay", "[line_wrap]") {
  CHECK(wrap_line("f(a, b);  // x", 20) == Lines{"f(a, b);  // x"});
  CHECK(wrap_line("", 20) == Lines{""});
}

TEST_CASE("calls break at the outermost comma", "[line_wrap]") {
  CHECK(wrap_line("call(first, inner(a, b), last);", 26) ==
        Lines{"call(first, inner(a, b),", "    last);"});
  CHECK(wrap_line("  call(first, inner(a, b));", 24) ==
        Lines{"  call(first,", "      inner(a, b));"});
}

TEST_CASE("a comment after code moves above it", "[line_wrap]") {
  CHECK(wrap_line("  call(a, b);  // the node", 20) == Lines{"  // the node", "  call(a, b);"});
}

TEST_CASE("literals and directives stay whole", "[line_wrap]") {
  CHECK(wrap_line("f(\"a, b, c, d, e\", x);", 16) ==
        Lines{"f(", "    \"a, b, c, d, e\",", "    x);"});
  CHECK(wrap_line("#define A a, b, c, d, e, f", 16).size() == 1);
}

TEST_CASE("comments go on as comments", "[line_wrap]") {
  CHECK(wrap_line("// one two three four", 14) == Lines{"// one two", "//   three", "//   four"});
  for (const std::string& line : wrap_line("// " + std::string(500, 'x'), 100)) {
    CHECK(line.size() <= 100);
    CHECK(line.starts_with("//"));
  }
  // The end of a comment is never split.
  for (std::size_t n = 90; n < 104; ++n) {
    std::string all;
    for (const std::string& line : wrap_line("/* " + std::string(n, 'x') + "*/", 100))
      all += line + "\n";
    CHECK(all.find("*/") != std::string::npos);
  }
}

}  // namespace onnxc
