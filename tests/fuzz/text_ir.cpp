// Bytes as the text form of a graph: what parses prints, and the print parses to the same text.
#include <cstdlib>
#include <string>

#include "compiler/ir/parse.hpp"
#include "compiler/ir/print.hpp"
#include "compiler/support/checked.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnxc;
  std::string text;
  try {
    text = print(*parse_graph({reinterpret_cast<const char*>(data), size}));
  } catch (const ParseError&) {
    return 0;
  } catch (const OverflowError&) {  // a dimension that does not fit
    return 0;
  }
  if (print(*parse_graph(text)) != text) std::abort();
  return 0;
}
