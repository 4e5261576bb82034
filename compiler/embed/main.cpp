// onnxc_embed packed|stored FOLDER OUTPUT NAMES FILE...: files of the source tree as one C++
// source, the headers of kernels and of the runtime as tables, others as texts. NAMES gets the
// names of the kernels. The build runs it on the machine that compiles onnxc.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
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

// A file whose text does not change keeps its time.
void write(const std::string& path, const std::string& text) {
  if (std::filesystem::exists(path) && read(path) == text) return;
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
}

void embed(bool store, const std::string& folder, const std::string& output,
           const std::string& names, const std::vector<std::string>& paths) {
  std::vector<SourceFile> headers, files;
  for (const std::string& path : paths) {
    SourceFile file{path, read(folder + "/" + path)};
    (is_header(path) ? headers : files).push_back(std::move(file));
  }
  const TableSources sources = sources_of_tables(files, headers, store);
  write(output, sources.tables);
  write(names, sources.names);
}

}  // namespace
}  // namespace onnxc

int main(int argc, char** argv) {
  try {
    if (argc < 5)
      throw std::runtime_error("usage: onnxc_embed packed|stored FOLDER OUTPUT NAMES FILE...");
    const bool store = std::string_view(argv[1]) == "stored";
    onnxc::embed(store, argv[2], argv[3], argv[4], {argv + 5, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "onnxc_embed: {}\n", error.what());
    return 1;
  }
}
