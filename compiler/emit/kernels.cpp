#include "compiler/emit/kernels.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "compiler/emit/embedded_files.hpp"

namespace onnxc {
namespace {

std::string_view embedded(std::string_view path) {
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i)
    if (kEmbeddedFiles[i].path == path) return kEmbeddedFiles[i].text;
  throw std::logic_error("no embedded file " + std::string(path));
}

// "conv2d_nhwc" -> "templates/convolution/conv2d_nhwc.hpp": stems are unique below templates/.
std::string kernel_path(const std::string& stem) {
  const std::string end = "/" + stem + ".hpp";
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i) {
    const std::string_view path = kEmbeddedFiles[i].path;
    if (path.starts_with("templates/") && path.ends_with(end) &&
        (stem.find('/') != std::string::npos || !path.starts_with("templates/fn/")))
      return std::string(path);
  }
  throw std::logic_error("no kernel header " + stem);
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

// Splices headers together in dependency order, each once.
class Splicer {
 public:
  explicit Splicer(bool runtime) : runtime_(runtime) {}

  void add(const std::string& path) {
    if (!seen_.insert(path).second) return;
    std::string body;
    std::string_view text = embedded(path);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1);
      const std::string_view line = text.substr(0, end + 1);
      text.remove_prefix(end + 1);
      if (!drop(line)) body += line;
    }
    trim_blank(body);
    result_.body += body + "\n";
  }

  KernelText take() {
    result_.system_includes.assign(system_.begin(), system_.end());
    return std::move(result_);
  }

 private:
  // Includes and the outer namespace go; the emitter provides both.
  bool drop(std::string_view line) {
    if (starts_with(line, "#pragma once")) return true;
    if (starts_with(line, "namespace onnxc {") || starts_with(line, "}  // namespace onnxc\n"))
      return true;
    if (!starts_with(line, "#include ")) return false;
    const std::string_view name = line.substr(9, line.find_last_of(">\"") - 8);
    if (name[0] == '<') {
      system_.insert(std::string(name));
    } else {
      const std::string path(name.substr(1, name.size() - 2));
      const bool is_runtime = starts_with(path, "runtime_min/");
      if (runtime_ || !is_runtime) add(path);
    }
    return true;
  }

  // At most one blank line in a row, none at the ends.
  static void trim_blank(std::string& s) {
    std::string out;
    for (std::size_t i = 0; i < s.size(); ++i) {
      const bool third = s[i] == '\n' && i + 1 < s.size() && s[i + 1] == '\n' &&
                         (out.empty() || (out.size() > 1 && out.back() == '\n'));
      if (!third) out += s[i];
    }
    while (out.size() > 1 && out.back() == '\n' && out[out.size() - 2] == '\n') out.pop_back();
    s = std::move(out);
  }

  bool runtime_;
  std::set<std::string> seen_, system_;
  KernelText result_;
};

}  // namespace

KernelText collect_kernels(const std::set<std::string>& headers) {
  Splicer splicer(false);
  for (const std::string& h : headers) splicer.add(kernel_path(h));
  return splicer.take();
}

std::set<std::string> kernel_headers(const Program& program) {
  std::set<std::string> headers;
  for (const Step& s : program.steps) {
    if (s.kind == Step::Kind::call) headers.insert(s.header);
    for (const Arg& arg : s.args) {
      const auto* f = std::get_if<Lambda>(&arg.value);
      if (!f) continue;
      for (const LambdaCall& call : f->calls)
        headers.insert("fn/" + (call.fn.header.empty() ? call.fn.name : call.fn.header));
    }
  }
  return headers;
}

std::set<std::string> declared_names(std::string_view text) {
  static const std::set<std::string_view> kIntroducers = {
      "struct", "class", "enum", "using", "namespace", "constexpr", "Index", "int"};
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::set<std::string> names;
  std::string_view before;
  for (std::size_t i = 0; i < text.size();) {
    if (!in_name(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string_view name = text.substr(i, end - i);
    const char next = end < text.size() ? text[end] : ' ';
    // Constants of a kernel are spelt kName; other names after a type are locals.
    const bool type_before = before == "Index" || before == "int" || before == "constexpr";
    if (next == '(' || next == '<' || (kIntroducers.count(before) && !type_before) ||
        (type_before && name[0] == 'k'))
      names.emplace(name);
    before = name;
    i = end;
  }
  return names;
}

std::string runtime_header() {
  Splicer splicer(true);
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i)
    if (starts_with(kEmbeddedFiles[i].path, "runtime_min/"))
      splicer.add(std::string(kEmbeddedFiles[i].path));
  const KernelText text = splicer.take();
  std::string s =
      "// onnxc_runtime.hpp - what code generated by onnxc " ONNXC_VERSION
      " needs beside its kernels. Do not edit.\n"
      "// Everything has internal linkage: programs built with different flags can share it.\n"
      "#pragma once\n\n";
  for (const std::string& include : text.system_includes) s += "#include " + include + "\n";
  return s + "\nnamespace onnxc {\nnamespace {\n" + text.body +
         "\n}  // namespace\n}  // namespace onnxc\n";
}

}  // namespace onnxc
