// The folder in which generated models are compiled with a driver.
#include "compiler/run/harness.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>

#include "compiler/run/harness_adapter.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/embedded_files.hpp"
#include "compiler/support/platform/files.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSourceFolder = "compiler/run/harness/";

bool is_source(const std::string& path) { return path.ends_with(".cpp"); }
bool is_weights_source(const std::string& path) { return path.ends_with("_weights.cpp"); }

}  // namespace

std::string_view external_weights(const CompileResult& generated) {
  std::string_view blob;
  for (const GeneratedFile& file : generated.files) {
    if (is_weights_source(file.path)) return {};
    if (file.path.ends_with("_weights.bin")) blob = file.content;
  }
  return blob;
}

std::string unit_name(int index) { return fmt::format("u{}", index); }

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw FatalError(exit_code::io, fmt::format("cannot write {}", path));
}

HarnessFolder::HarnessFolder(std::string path, const Toolchain& toolchain, bool standalone)
    : path_(std::move(path)), toolchain_(toolchain), standalone_(standalone) {
  fs::create_directories(path_);
  for (const EmbeddedFile& file : kEmbeddedFiles) {
    if (!file.path.starts_with(kSourceFolder)) continue;
    const std::string name(file.path.substr(kSourceFolder.size()));
    if (!fs::exists(path_ + "/" + name)) write_file(path_ + "/" + name, std::string(file.text));
  }
}

std::string HarnessFolder::driver(const std::string& name) const {
  const std::string object = fmt::format("{}/{}.o", path_, name);
  const ProcessResult r = toolchain_.compile(fmt::format("{}/{}.cpp", path_, name), object);
  if (!r.ok())
    throw FatalError(exit_code::io, "the C++ compiler fails: " + first_error_line(r.output));
  return object;
}

// The header that every unit begins with, precompiled; empty if the compiler does not support it.
std::string HarnessFolder::precompiled_header() const {
  const std::string folder = path_ + "/precompiled", header = folder + "/precompiled.hpp";
  const platform::FileLock lock(path_ + "/lock");
  if (!fs::exists(folder + "/ready")) {
    fs::create_directories(folder);
    write_file(header, harness_precompiled_header());
    if (!toolchain_.precompile(header)) fs::remove(header);
    write_file(folder + "/ready", "");
  }
  return fs::exists(header) ? header : "";
}

ProcessResult HarnessFolder::compile_team(const CompileResult& whole,
                                          const std::vector<CompileResult>& parts,
                                          const std::string& unit,
                                          const std::string& folder) const {
  std::vector<const ModelInterface*> interfaces;
  for (std::size_t d = 0; d < parts.size(); ++d) {
    interfaces.push_back(&parts[d]);
    ProcessResult r =
        compile_unit(parts[d], fmt::format("{}_{}", unit, d), fmt::format("{}/{}", folder, d));
    if (!r.ok()) return r;
  }
  write_file(folder + "/unit.cpp", harness_team(whole, interfaces, unit));
  return toolchain_.compile(folder + "/unit.cpp", folder + "/unit.o", {"-I" + path_});
}

ProcessResult HarnessFolder::compile_unit(const CompileResult& generated, const std::string& unit,
                                          const std::string& folder) const {
  fs::create_directories(folder);
  std::string source, weights;
  for (const GeneratedFile& file : generated.files) {
    const std::string name = fs::path(file.path).filename().string();
    write_file(folder + "/" + name, file.content);
    if (is_weights_source(name)) {
      weights = name;
    } else if (is_source(name)) {
      source = name;
    }
  }
  write_file(folder + "/unit.cpp",
             harness_adapter(generated, unit, source, external_weights(generated).size()));
  std::vector<std::string> flags = {"-I" + path_};
  const std::string header = standalone_ ? "" : precompiled_header();
  if (!header.empty()) flags.insert(flags.end(), {"-include", header});
  ProcessResult r = toolchain_.compile(folder + "/unit.cpp", folder + "/unit.o", flags);
  if (r.ok() && !weights.empty()) {
    r = toolchain_.compile(folder + "/" + weights, folder + "/weights.o", {});
  }
  return r;
}

ProcessResult HarnessFolder::link(const std::string& driver, std::span<const std::string> units,
                                  std::vector<std::string> objects,
                                  const std::string& program) const {
  write_file(program + "_table.cpp", harness_table(units));
  const std::string object = program + "_table.o";
  ProcessResult r = toolchain_.compile(program + "_table.cpp", object, {"-I" + path_});
  if (!r.ok()) return r;
  objects.insert(objects.end(), {object, driver});
  return toolchain_.link(objects, program);
}

}  // namespace onnxc
