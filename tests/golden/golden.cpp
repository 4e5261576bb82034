// Compares generated code with the files next to this one. Kernels and weights are left out: they
// have their own tests, and what is checked here is what the emitter composes. make_models.py
// writes the models of those that are not examples. ONNXC_UPDATE=1 in the environment rewrites the
// files.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiler/session/session.hpp"

namespace onnxc {
namespace {

const std::string kFolder = ONNXC_SOURCE_DIR "/tests/golden/";

struct Golden {
  const char* name;
  const char* model;
  const char* target;
  int threads = 1;
};
constexpr Golden kCases[] = {
    {"flowers", "/examples/01_mlp/model.onnx", "generic"},
    {"shapes", "/examples/02_cnn/model.onnx", "x86-64-v4"},
    {"shapes_threads", "/examples/02_cnn/model.onnx", "x86-64-v4", 4},
    {"dynamic", "/tests/golden/dynamic.onnx", "generic"},
    {"quantized", "/tests/golden/quantized.onnx", "generic"},
    {"loop", "/tests/golden/loop.onnx", "generic"},
    {"words", "/tests/golden/words.onnx", "generic"},
    {"functions", "/tests/golden/functions.onnx", "generic"},
    {"trees", "/tests/golden/trees.onnx", "generic"},
};

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Cuts from the line that starts a section to the line that starts the next one.
void cut(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t begin = text.find(from);
  if (begin == std::string::npos) return;
  const std::size_t end = text.find(to, begin);
  REQUIRE(end != std::string::npos);
  text.replace(begin, end - begin, from + "...\n");
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    longest = std::max(longest, end - at);
  return longest;
}

}  // namespace

TEST_CASE("generated code is as written down", "[golden]") {
  for (const Golden& g : kCases) {
    CompileOptions options;
    options.model = std::string(ONNXC_SOURCE_DIR) + g.model;
    options.output_base = g.name;
    options.target = g.target;
    options.threads = g.threads;
    Diagnostics diagnostics;
    const CompileResult r = compile(options, diagnostics);
    REQUIRE_FALSE(diagnostics.has_errors());
    for (const GeneratedFile& f : r.files) {
      std::string text = f.content;
      cut(text, "// ---- runtime", "// ---- shapes");
      cut(text, "// ---- weights", "}  // namespace");
      CHECK(longest_line(text) <= 100);
      const std::string golden = kFolder + f.path + ".golden";
      INFO(golden);
      if (std::getenv("ONNXC_UPDATE")) std::ofstream(golden) << text;
      CHECK(text == read(golden));
    }
  }
}

}  // namespace onnxc
