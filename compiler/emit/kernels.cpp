// Selects the text of templates/ and runtime_min/ that a generated source needs.
#include "compiler/emit/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include "compiler/emit/fixed_text.hpp"
#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/support/embedded_headers.hpp"
#include "compiler/support/identifiers.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

// The contents of onnxc_runtime.hpp: the few names that nearly every source needs. Its text does
// not depend on the model, so that models generated into one folder can share the file.
constexpr std::string_view kShared[] = {"runtime_min/extent", "runtime_min/memory",
                                        "runtime_min/types", "runtime_min/vector"};

bool is_runtime(const EmbeddedHeader& h) { return h.stem.starts_with("runtime_min/"); }

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

using Names = std::unordered_set<std::string_view>;

bool has_any(const Names& names, std::string_view words) {
  return std::ranges::any_of(words_of(words),
                             [&](std::string_view word) { return names.count(word) != 0; });
}

bool is_needed(std::string_view include, const Names& used) {
  const auto header = std::ranges::find(kStandardHeaders, include, &StandardHeader::name);
  if (header == std::end(kStandardHeaders)) return true;
  return std::ranges::any_of(words_of(header->names), [&](std::string_view name) {
    return used.count(fmt::format("std::{}", name)) != 0;
  });
}

// A header, and which of its declarations a source gets.
struct Header {
  const EmbeddedHeader* source = nullptr;
  std::vector<bool> wanted;  // for each of its declarations

  bool is_wanted() const { return std::find(wanted.begin(), wanted.end(), true) != wanted.end(); }
};

// Headers in dependency order, each once.
class HeaderClosure {
 public:
  void add(std::string_view stem) {
    const auto header = std::ranges::find(kEmbeddedHeaders, stem, &EmbeddedHeader::stem);
    if (header == kEmbeddedHeaders.end())
      throw std::logic_error(fmt::format("no kernel header {}", stem));
    if (!seen_.insert(stem).second) return;
    for (const std::string_view include : words_of(header->own)) add(include);
    for (const std::string_view include : words_of(header->system)) system_.insert(include);
    for (const EmbeddedDeclaration& d : header->declarations)
      for (const std::string_view name : words_of(d.names)) declared_.insert(name);
    headers_.push_back({&*header, std::vector<bool>(header->declarations.size())});
  }

  std::vector<Header>& headers() { return headers_; }
  const std::set<std::string_view>& system_includes() const { return system_; }
  const Names& declared() const { return declared_; }

 private:
  std::set<std::string_view> seen_, system_;
  Names declared_;
  std::vector<Header> headers_;
};

bool is_wanted(const EmbeddedDeclaration& d, const Header& h, const HeaderClosure& closure,
               const Names& used) {
  if (d.comes_along && h.is_wanted()) return true;
  return has_any(used, d.names) &&
         std::ranges::all_of(words_of(d.arguments), [&](std::string_view name) {
           return closure.declared().count(name) == 0 || used.count(name) != 0;
         });
}

// Marks the declarations of the names in use, and those that these use, which become `used`.
void select(HeaderClosure& closure, Names& used) {
  for (bool more = true; more;) {
    more = false;
    for (Header& h : closure.headers())
      for (std::size_t i = 0; i < h.wanted.size(); ++i)
        if (const EmbeddedDeclaration& d = h.source->declarations[i];
            !h.wanted[i] && is_wanted(d, h, closure, used)) {
          h.wanted[i] = more = true;
          for (const std::string_view name : words_of(d.uses)) used.insert(name);
        }
  }
}

void write_scopes(std::string& out, std::string_view& open, std::string_view wanted) {
  if (open == wanted) return;
  std::string close;
  for (const std::string_view scope : words_of(open))
    close = fmt::format("}}  // namespace {}\n\n", scope) + close;
  out += close;
  for (const std::string_view scope : words_of(wanted))
    out += fmt::format("namespace {} {{\n\n", scope);
  open = wanted;
}

std::string wanted_text(const Header& h) {
  std::string out(h.source->head);
  if (!out.empty()) out += "\n";
  std::string_view scopes;
  for (std::size_t i = 0; i < h.wanted.size(); ++i) {
    if (!h.wanted[i]) continue;
    const EmbeddedDeclaration& d = h.source->declarations[i];
    write_scopes(out, scopes, d.scopes);
    out += d.text;
    out += "\n";
  }
  write_scopes(out, scopes, {});
  return out;
}

// The headers of kernels, and the runtime headers that declare names in `used`.
HeaderClosure closure_of(const std::set<std::string>& kernels, const Names& used) {
  HeaderClosure closure;
  for (const std::string& h : kernels) closure.add(h);
  const auto is_new = [&](std::string_view name) {
    return used.count(name) != 0 && closure.declared().count(name) == 0;
  };
  for (const EmbeddedHeader& h : kEmbeddedHeaders)
    if (is_runtime(h) && std::ranges::any_of(h.declarations, [&](const EmbeddedDeclaration& d) {
          return std::ranges::any_of(words_of(d.names), is_new);
        }))
      closure.add(h.stem);
  return closure;
}

}  // namespace

KernelText collect_kernels(const std::set<std::string>& headers, std::string_view code) {
  const std::set<std::string> identifiers = identifiers_of(without_comments(code));
  Names used(identifiers.begin(), identifiers.end());
  HeaderClosure closure = closure_of(headers, used);
  select(closure, used);
  KernelText result;
  for (const std::string_view include : closure.system_includes())
    if (is_needed(include, used)) result.system_includes.emplace_back(include);
  for (const Header& h : closure.headers())
    if (h.is_wanted() && std::ranges::find(kShared, h.source->stem) == std::end(kShared)) {
      result.outside += h.source->outside;
      (is_runtime(*h.source) ? result.runtime : result.kernels) += wanted_text(h);
    }
  return result;
}

std::string runtime_header(const Target& target) {
  HeaderClosure closure;
  for (const std::string_view stem : kShared) closure.add(stem);
  std::string includes, outside, declarations;
  for (const std::string_view include : closure.system_includes())
    includes += fmt::format("#include {}\n", include);
  if (target.no_library) includes = fixed_text("compiler/emit/text/standard_library.hpp.in", {});
  for (Header& h : closure.headers()) {
    h.wanted.assign(h.wanted.size(), true);
    declarations += wanted_text(h);
    outside += h.source->outside;
  }
  // Rounding by adding and subtracting, error-free sums and tests for NaN need the arithmetic of
  // the standard, whatever the flags of the rest of the program: the file turns it on.
  return fixed_text("compiler/emit/text/runtime.hpp.in",
                    {{"includes", TextValue::code(includes + outside)},
                     {"declarations", TextValue::code(declarations)}});
}

std::set<std::string> header_names(const std::set<std::string>& headers) {
  HeaderClosure closure;
  for (const EmbeddedHeader& h : kEmbeddedHeaders)
    if (is_runtime(h)) closure.add(h.stem);
  for (const std::string& h : headers) closure.add(h);
  std::set<std::string> names;
  for (const Header& h : closure.headers())
    for (const std::string_view name : words_of(h.source->reserved)) names.emplace(name);
  return names;
}

std::set<std::string> kernel_headers(const Program& program) {
  std::set<std::string> headers;
  for (const Step& s : program.steps) {
    if (s.kind == Step::Kind::call) headers.emplace(kernel_declaration(s.kernel).header);
    for (const Arg& arg : s.args) {
      const auto* f = std::get_if<Lambda>(&arg.value);
      if (!f) continue;
      for (const LambdaCall& call : f->calls)
        headers.emplace(element_function(call.fn.name).header);
    }
  }
  return headers;
}

}  // namespace onnxc
