// Finds recorded test cases.
#include "compiler/run/test_case.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "compiler/support/diagnostics.hpp"
#include "compiler/support/platform/files.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDepth = 64;

std::vector<fs::path> sub_folders(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<fs::path> case_files(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".case" && entry.is_regular_file(error))
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

bool is_data_set(const fs::path& folder) {
  return folder.filename().string().starts_with("test_data_set_");
}

// "a/b/" and "a/b" name the same folder.
fs::path tidy(const std::string& path) {
  fs::path p = fs::path(path).lexically_normal();
  return p.has_filename() || !p.has_relative_path() ? p : p.parent_path();
}

class Search {
 public:
  explicit Search(const std::string& unpack_to) : unpacker_(unpack_to) {}

  void add_folder(const fs::path& folder, std::size_t depth = 0) {
    if (depth > kMaxDepth || !is_new(folder)) return;
    std::error_code error;
    if (fs::is_regular_file(folder / "model.onnx", error)) {
      const std::string path = folder.string();
      std::vector<std::string> data = find_data_sets(path);
      std::string training = find_training(path);
      if (!data.empty() || !training.empty())
        cases_.push_back(
            {path, std::move(data), path + "/model.onnx", path, "", "", std::move(training)});
    }
    for (const fs::path& file : case_files(folder))
      if (is_new(file)) add_file(file.string(), "");
    for (const fs::path& inner : sub_folders(folder))
      if (!is_data_set(inner)) add_folder(inner, depth + 1);
  }

  void add_file(const std::string& file, const std::string& name) {
    std::vector<TestCase> unpacked = unpacker_.unpack(file, name);
    std::move(unpacked.begin(), unpacked.end(), std::back_inserter(cases_));
  }

  // A model whose data are next to it.
  void add_model(const std::string& path) {
    if (!fs::exists(path)) throw FatalError(exit_code::io, fmt::format("{}: no such file", path));
    const std::string folder = tidy(path).parent_path().string();
    const std::string data_folder = folder.empty() ? "." : folder;
    std::vector<std::string> data = find_data_sets(data_folder);
    std::string training = find_training(data_folder);
    if (data.empty() && training.empty())
      throw FatalError(exit_code::usage,
                       fmt::format("{}: there are no recorded data (test_data_set_0, ...) next to "
                                   "it; --model {} FOLDER names some",
                                   path, path));
    cases_.push_back({path, std::move(data), path, data_folder, "", "", std::move(training)});
  }

  std::vector<TestCase> take() { return std::move(cases_); }

 private:
  bool is_new(const fs::path& path) {
    std::string identity = platform::identity_of(path.string());
    return !identity.empty() && seen_.insert(std::move(identity)).second;
  }

  CaseUnpacker unpacker_;
  std::set<std::string> seen_;  // identities
  std::vector<TestCase> cases_;
};

// The first number that a field of that name has; what is not a number leaves `value` as it is.
void read_number(const std::string& json, const std::string& key, double& value) {
  const auto skip = [&](const char* characters, std::size_t at) {
    return std::min(json.find_first_not_of(characters, at), json.size());
  };
  constexpr const char* kSpaces = " \t\n\v\f\r";
  const std::string quoted = "\"" + key + "\"";
  for (std::size_t at = json.find(quoted); at != json.npos; at = json.find(quoted, at + 1)) {
    const std::size_t colon = skip(kSpaces, at + quoted.size());
    if (colon == json.size() || json[colon] != ':') continue;
    const std::size_t begin = skip(kSpaces, colon + 1), end = skip("+-.0123456789Ee", begin);
    if (begin == end) continue;
    value = std::strtod(json.substr(begin, end - begin).c_str(), nullptr);
    return;
  }
}

}  // namespace

std::vector<TestCase> find_test_cases(const std::vector<std::string>& paths,
                                      const std::string& unpack_to) {
  Search search(unpack_to);
  for (const std::string& path : paths) {
    const std::size_t end = path.rfind(".case:");
    if (fs::is_directory(path))
      search.add_folder(tidy(path));
    else if (path.ends_with(".case"))
      search.add_file(path, "");
    else if (end != std::string::npos)
      search.add_file(path.substr(0, end + 5), path.substr(end + 6));
    else
      search.add_model(path);
  }
  return search.take();
}

std::vector<TestCase> test_cases_of(const std::string& model,
                                    const std::vector<std::string>& paths) {
  std::vector<TestCase> out;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      throw FatalError(exit_code::io, fmt::format("{}: no such folder", path));
    }
    std::vector<std::string> data = find_data_sets(path);
    std::string training = find_training(tidy(path).string());
    if (data.empty() && training.empty()) data = {tidy(path).string()};
    out.push_back({tidy(path).string(), std::move(data), model, tidy(path).string(), "", "",
                   std::move(training)});
  }
  return out;
}

std::string find_training(const std::string& folder) {
  const std::string path = folder + "/train";
  return fs::is_directory(path) ? path : "";
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
  std::ifstream file(test.folder + "/data.json");
  if (!file) return tolerance;
  std::stringstream text;
  text << file.rdbuf();
  read_number(text.str(), "rtol", tolerance.rtol);
  read_number(text.str(), "atol", tolerance.atol);
  return tolerance;
}

}  // namespace onnxc
