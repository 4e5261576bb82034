// onnxc_embed FOLDER OUTPUT FILE...: files of the source tree as one C++ source, the headers of
// kernels and of the runtime as tables, others as texts. The build runs it on the machine that
// compiles onnxc.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "compiler/embed/header_tables.hpp"

namespace onnxc {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return text;
}

bool is_header(const std::string& path) {
  return path.ends_with(".hpp") &&
         (path.starts_with("templates/") || path.starts_with("runtime_min/"));
}

std::string file_table(const std::vector<SourceFile>& files) {
  std::string out = "#include \"compiler/support/embedded_files.hpp\"\n\n";
  out += "using namespace std::string_view_literals;\n\nnamespace onnxc {\n\n";
  out += "const EmbeddedFile kEmbeddedFiles[] = {\n";
  for (const SourceFile& file : files)
    out += fmt::format("    {{\"{}\",\n{}}},\n", file.path, text_literal(file.text));
  return out +
         fmt::format("}};\n\nconst std::size_t kEmbeddedFileCount = {};\n\n}}\n\n", files.size());
}

void embed(const std::string& folder, const std::string& output,
           const std::vector<std::string>& paths) {
  std::vector<SourceFile> headers, files;
  for (const std::string& path : paths)
    (is_header(path) ? headers : files).push_back({path, read(folder + "/" + path)});
  std::ofstream out(output, std::ios::binary);
  out << file_table(files) << header_tables(headers);
  if (!out.flush()) throw std::runtime_error(output + ": cannot be written");
}

}  // namespace
}  // namespace onnxc

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("usage: onnxc_embed FOLDER OUTPUT FILE...");
    onnxc::embed(argv[1], argv[2], {argv + 3, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "onnxc_embed: {}\n", error.what());
    return 1;
  }
}
