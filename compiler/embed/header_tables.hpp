// The tables of compiler/support/embedded_headers.hpp as C++ source.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

struct SourceFile {
  std::string path;  // "templates/elementwise/map.hpp"
  std::string text;
};

struct TableSources {
  std::string tables;
  std::string names;  // ONNXC_KERNEL(gemm) or ONNXC_FUNCTION(add) for each function
};

// Of headers and of other files, each in the order of their paths. Throws std::runtime_error, which
// names the file, for a header that the tables cannot hold. `store`: as in pack.hpp.
TableSources sources_of_tables(const std::vector<SourceFile>& files,
                               const std::vector<SourceFile>& headers, bool store);

// A string_view literal of any bytes.
std::string text_literal(std::string_view text);

}  // namespace onnxc
