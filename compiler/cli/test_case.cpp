#include "compiler/cli/test_case.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <sys/stat.h>

#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDepth = 64;
using FolderId = std::pair<dev_t, ino_t>;

std::vector<fs::path> sub_folders(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_data_set(const fs::path& folder) {
  return folder.filename().string().starts_with("test_data_set_");
}

void search(const fs::path& folder, std::size_t depth, std::set<FolderId>& seen,
            std::vector<TestCase>& out) {
  struct stat status {};
  if (depth > kMaxDepth || stat(folder.c_str(), &status) != 0) return;
  if (!seen.emplace(status.st_dev, status.st_ino).second) return;
  std::error_code error;
  if (fs::is_regular_file(folder / "model.onnx", error)) {
    std::vector<std::string> data = find_data_sets(folder.string());
    if (!data.empty())
      out.push_back({folder.string(), std::move(data), folder.string() + "/model.onnx"});
  }
  for (const fs::path& inner : sub_folders(folder)) {
    if (!is_data_set(inner)) search(inner, depth + 1, seen, out);
  }
}

// "a/b/" and "a/b" name the same folder.
fs::path tidy(const std::string& path) {
  fs::path p = fs::path(path).lexically_normal();
  return p.has_filename() || !p.has_relative_path() ? p : p.parent_path();
}

void read_number(const std::string& json, const std::string& key, double& value) {
  const std::regex pattern("\"" + key + "\"\\s*:\\s*([-+0-9.eE]+)");
  std::smatch match;
  if (std::regex_search(json, match, pattern)) value = std::strtod(match[1].str().c_str(), nullptr);
}

}  // namespace

std::vector<TestCase> find_test_cases(const std::vector<std::string>& paths) {
  std::vector<TestCase> out;
  std::set<FolderId> seen;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      throw FatalError(exit_code::io, fmt::format("{}: no such folder", path));
    }
    search(tidy(path), 0, seen, out);
  }
  return out;
}

std::vector<TestCase> test_cases_of(const std::string& model,
                                    const std::vector<std::string>& paths) {
  std::vector<TestCase> out;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      throw FatalError(exit_code::io, fmt::format("{}: no such folder", path));
    }
    std::vector<std::string> data = find_data_sets(path);
    if (data.empty()) data = {tidy(path).string()};
    out.push_back({tidy(path).string(), std::move(data), model});
  }
  return out;
}

std::vector<std::string> find_data_sets(const std::string& folder) {
  std::vector<std::string> out;
  for (const fs::path& inner : sub_folders(folder)) {
    if (is_data_set(inner)) out.push_back(inner.string());
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return out;
}

Tolerance tolerance_of(const TestCase& test, Tolerance tolerance) {
  std::ifstream file(test.path + "/data.json");
  if (!file) return tolerance;
  std::stringstream text;
  text << file.rdbuf();
  read_number(text.str(), "rtol", tolerance.rtol);
  read_number(text.str(), "atol", tolerance.atol);
  return tolerance;
}

}  // namespace onnxc
