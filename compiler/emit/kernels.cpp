// Selects the text of templates/ and runtime_min/ that a generated source needs.
#include "compiler/emit/kernels.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string_view>

#include "compiler/emit/declarations.hpp"
#include "compiler/emit/licence.hpp"
#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/support/embedded_files.hpp"

namespace onnxc {
namespace {

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

// Rounding by adding and subtracting, error-free sums and tests for NaN need the arithmetic of the
// standard, whatever the flags of the rest of the program.
constexpr const char* kFloatRules = R"(#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2
#error "float sums are not rounded to float here: compile with -msse2 -mfpmath=sse"
#endif
// -ffast-math and its parts end here. clang keeps -ffinite-math-only on some machines: NaN and
// infinity are not handled there.
#if defined(__clang__)
#if defined(__x86_64__) || defined(__i386__) || defined(__s390x__) || defined(__powerpc__)
#pragma float_control(precise, on)
#else
#pragma clang fp reassociate(off)
#if __FINITE_MATH_ONLY__
#pragma message("-ffinite-math-only: NaN and infinity in a model give other results")
#endif
#endif
#elif defined(__GNUC__) && (defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || \
                            defined(__RECIPROCAL_MATH__) || __FINITE_MATH_ONLY__)
#pragma GCC optimize("no-fast-math", "no-unsafe-math-optimizations", "no-associative-math", \
                     "no-reciprocal-math", "no-finite-math-only", "signed-zeros", "trapping-math")
#endif

)";

// The contents of onnxc_runtime.hpp: the few names that nearly every source needs. Its text does
// not depend on the model, so that models generated into one folder can share the file.
bool is_shared(std::string_view path) {
  return path == "runtime_min/types.hpp" || path == "runtime_min/extent.hpp" ||
         path == "runtime_min/memory.hpp";
}

// What the kernels use of the larger standard headers: these are included where one of the names is
// used, others wherever a header of ours includes them. tests/lint/lint.py checks that no name is
// left out.
struct StandardHeader {
  std::string_view name, names;
};
constexpr StandardHeader kStandardHeaders[] = {
    {"<algorithm>", " copy equal fill lower_bound sort "},
    {"<cmath>",
     " abs acos acosh asin asinh atan atanh ceil copysign cos cosh erf erfc exp expm1 fabs floor"
     " fmod frexp ldexp log log1p nearbyint pow round sin sinh sqrt tan tanh trunc "},
    {"<cstdlib>", " free malloc "},
    {"<cstring>", " memchr memcmp memcpy memmove memset "},
    {"<utility>",
     " index_sequence index_sequence_for integer_sequence make_index_sequence"
     " make_integer_sequence swap "}};

bool is_needed(const std::string& include, const std::set<std::string>& used) {
  const auto header = std::find_if(std::begin(kStandardHeaders), std::end(kStandardHeaders),
                                   [&](const StandardHeader& h) { return h.name == include; });
  if (header == std::end(kStandardHeaders)) return true;
  return std::any_of(used.lower_bound("std::"), used.lower_bound("std:;"), [&](const auto& name) {
    return header->names.find(" " + name.substr(5) + " ") != std::string_view::npos;
  });
}

// An embedded header, without the namespace that the emitter provides.
struct ParsedHeader {
  std::string path;
  std::vector<std::string> system, own;  // its includes: "<cmath>", "runtime_min/types.hpp"
  HeaderText text;

  bool declares(const std::string& name) const {
    return std::any_of(text.declarations.begin(), text.declarations.end(),
                       [&](const Declaration& d) { return d.names.count(name) != 0; });
  }
  template <class Condition>
  bool declares_any(Condition condition) const {
    return std::any_of(text.declarations.begin(), text.declarations.end(),
                       [&](const Declaration& d) {
                         return std::any_of(d.names.begin(), d.names.end(), condition);
                       });
  }
};

ParsedHeader parse_header(const std::string& path) {
  ParsedHeader header{path, {}, {}, {}};
  std::string body;
  std::string_view text = embedded_text(path);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    if (line.starts_with("#include ")) {
      const std::string name(line.substr(9, line.find_last_of(">\"") - 8));
      if (name[0] == '<')
        header.system.push_back(name);
      else
        header.own.push_back(name.substr(1, name.size() - 2));
    } else if (!line.starts_with("#pragma once") && !line.starts_with("namespace onnxc {") &&
               !line.starts_with("}  // namespace onnxc\n")) {
      body += line;
    }
  }
  header.text = split_declarations(body);
  return header;
}

// Kept, since one source asks for most headers several times, and parsing them is most of the time
// that a small model takes.
const ParsedHeader& parsed(const std::string& path) {
  static std::map<std::string, ParsedHeader> headers;
  const auto found = headers.find(path);
  return found != headers.end() ? found->second
                                : headers.emplace(path, parse_header(path)).first->second;
}

// A header, and which of its declarations a source gets.
struct Header {
  const ParsedHeader* source = nullptr;
  std::vector<bool> wanted;  // for each of its declarations

  const std::vector<Declaration>& declarations() const { return source->text.declarations; }
  bool is_runtime() const { return source->path.starts_with("runtime_min/"); }
  bool is_wanted() const { return std::find(wanted.begin(), wanted.end(), true) != wanted.end(); }
};

// Headers in dependency order, each once.
class HeaderClosure {
 public:
  void add(const std::string& path) {
    if (!seen_.insert(path).second) return;
    const ParsedHeader& header = parsed(path);
    for (const std::string& include : header.own) add(include);
    system_.insert(header.system.begin(), header.system.end());
    headers_.push_back({&header, std::vector<bool>(header.text.declarations.size())});
  }

  std::vector<Header>& headers() { return headers_; }
  const std::set<std::string>& system_includes() const { return system_; }
  bool declares(const std::string& name) const {
    return std::any_of(headers_.begin(), headers_.end(),
                       [&](const Header& h) { return h.source->declares(name); });
  }

 private:
  std::set<std::string> seen_, system_;
  std::vector<Header> headers_;
};

// Marks the declarations of the names in use, and those that these use.
class Selection {
 public:
  Selection(std::vector<Header>& headers, std::set<std::string> used)
      : headers_(headers), used_(std::move(used)) {
    for (const Header& h : headers_)
      for (const Declaration& d : h.declarations()) known_.insert(d.names.begin(), d.names.end());
  }

  // Returns the names that they and the code use.
  const std::set<std::string>& run() {
    for (bool more = true; more;) {
      more = false;
      for (Header& h : headers_)
        for (std::size_t i = 0; i < h.wanted.size(); ++i)
          if (!h.wanted[i] && is_wanted(h, h.declarations()[i])) {
            h.wanted[i] = more = true;
            const std::set<std::string>& uses = h.declarations()[i].uses;
            used_.insert(uses.begin(), uses.end());
          }
    }
    return used_;
  }

 private:
  bool is_used(const std::string& name) const { return used_.count(name) != 0; }

  bool is_wanted(const Header& h, const Declaration& d) const {
    if (d.comes_along && h.is_wanted()) return true;
    return std::any_of(d.names.begin(), d.names.end(),
                       [this](const std::string& name) { return is_used(name); }) &&
           std::all_of(d.arguments.begin(), d.arguments.end(), [this](const std::string& name) {
             return known_.count(name) == 0 || is_used(name);
           });
  }

  std::vector<Header>& headers_;
  std::set<std::string> used_, known_;
};

void write_scopes(std::string& out, std::vector<std::string>& open,
                  const std::vector<std::string>& wanted) {
  if (open == wanted) return;
  for (; !open.empty(); open.pop_back()) out += "}  // namespace " + open.back() + "\n\n";
  for (const std::string& scope : wanted) out += "namespace " + scope + " {\n\n";
  open = wanted;
}

std::string wanted_text(const Header& h) {
  const std::string& head = h.source->text.head;
  std::string out = head.empty() ? "" : head + "\n";
  std::vector<std::string> scopes;
  for (std::size_t i = 0; i < h.wanted.size(); ++i) {
    if (!h.wanted[i]) continue;
    write_scopes(out, scopes, h.declarations()[i].scopes);
    out += h.declarations()[i].text + "\n";
  }
  write_scopes(out, scopes, {});
  return out;
}

// The headers of kernels, and the runtime headers that declare names in `used`.
HeaderClosure closure_of(const std::set<std::string>& kernels, const std::set<std::string>& used) {
  HeaderClosure closure;
  for (const std::string& h : kernels) closure.add(kernel_path(h));
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i) {
    const std::string path(kEmbeddedFiles[i].path);
    if (!path.starts_with("runtime_min/")) continue;
    if (parsed(path).declares_any([&](const std::string& name) {
          return used.count(name) != 0 && !closure.declares(name);
        }))
      closure.add(path);
  }
  return closure;
}

}  // namespace

KernelText collect_kernels(const std::set<std::string>& headers, std::string_view code) {
  std::set<std::string> used = identifiers_in(code);
  HeaderClosure closure = closure_of(headers, used);
  Selection selection(closure.headers(), std::move(used));
  const std::set<std::string>& all_used = selection.run();
  KernelText result;
  for (const std::string& include : closure.system_includes())
    if (is_needed(include, all_used)) result.system_includes.push_back(include);
  for (const Header& h : closure.headers())
    if (h.is_wanted() && !is_shared(h.source->path))
      (h.is_runtime() ? result.runtime : result.kernels) += wanted_text(h);
  return result;
}

std::string runtime_header() {
  HeaderClosure closure;
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i)
    if (is_shared(kEmbeddedFiles[i].path)) closure.add(std::string(kEmbeddedFiles[i].path));
  std::string s = "// onnxc_runtime.hpp - what every source generated by onnxc " ONNXC_VERSION
                  " includes. Do not edit.\n";
  s += licence_line("// ", "\n") +
       "// Everything has internal linkage: programs built with different flags can share it.\n"
       "#pragma once\n\n" +
       kFloatRules;
  for (const std::string& include : closure.system_includes()) s += "#include " + include + "\n";
  s += "\nnamespace onnxc {\nnamespace {\n\n";
  for (Header& h : closure.headers()) {
    h.wanted.assign(h.wanted.size(), true);
    s += wanted_text(h);
  }
  return s + "}  // namespace\n}  // namespace onnxc\n";
}

std::set<std::string> header_names(const std::set<std::string>& headers) {
  HeaderClosure closure;
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i)
    if (kEmbeddedFiles[i].path.starts_with("runtime_min/"))
      closure.add(std::string(kEmbeddedFiles[i].path));
  for (const std::string& h : headers) closure.add(kernel_path(h));
  std::set<std::string> names;
  for (const Header& h : closure.headers())
    for (const Declaration& d : h.declarations())
      // Functions of fn are called by their full names.
      if (d.scopes != std::vector<std::string>{"fn"}) names.merge(declared_names(d.text));
  return names;
}

std::vector<std::string> parameter_names(const std::string& function) {
  const std::string_view text = embedded_text(kernel_path(function_header(function)));
  const auto in_declaration = [&](std::size_t at) {
    const char first = text[text.rfind('\n', at) + 1];
    return first != ' ' && first != '/';
  };
  std::size_t begin = text.find(" " + function + "(");
  while (begin != text.npos && !in_declaration(begin))
    begin = text.find(" " + function + "(", begin + 1);
  if (begin == text.npos) return {};
  std::string_view list = text.substr(begin + function.size() + 2);
  list = list.substr(0, list.find(')'));
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view one = list.substr(0, end);
    if (one.find("...") != std::string_view::npos) return {};
    names.emplace_back(one.substr(one.find_last_of(" \n") + 1));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

std::set<std::string> kernel_headers(const Program& program) {
  std::set<std::string> headers;
  for (const Step& s : program.steps) {
    if (s.kind == Step::Kind::call) headers.insert(kernel_declaration(s.kernel).header);
    for (const Arg& arg : s.args) {
      const auto* f = std::get_if<Lambda>(&arg.value);
      if (!f) continue;
      for (const LambdaCall& call : f->calls) headers.insert(function_header(call.fn.name));
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
    // Constants of a kernel are named kName; other names after a type are locals.
    const bool type_before = before == "Index" || before == "int" || before == "constexpr";
    if (next == '(' || next == '<' || (kIntroducers.count(before) && !type_before) ||
        (type_before && name[0] == 'k'))
      names.emplace(name);
    before = name;
    i = end;
  }
  return names;
}

}  // namespace onnxc
