// Selects the text of templates/ and runtime_min/ that a generated source needs.
#include "compiler/emit/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compiler/emit/licence.hpp"
#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/support/embedded_headers.hpp"
#include "compiler/support/identifiers.hpp"

namespace onnxc {
namespace {

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
constexpr std::string_view kShared[] = {"runtime_min/extent", "runtime_min/memory",
                                        "runtime_min/types"};

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

// A set of words.
class Words {
 public:
  bool has(WordId word) const { return bits_[word]; }
  void add(WordId word) { bits_[word] = true; }
  void add(WordList words) {
    for (const WordId word : words) add(word);
  }
  bool has_any(WordList words) const {
    return std::ranges::any_of(words, [this](WordId word) { return has(word); });
  }

 private:
  std::vector<bool> bits_ = std::vector<bool>(kEmbeddedWords.size());
};

bool is_needed(std::string_view include, const Words& used) {
  const auto header = std::ranges::find(kStandardHeaders, include, &StandardHeader::name);
  if (header == std::end(kStandardHeaders)) return true;
  const auto names = std::ranges::equal_range(kEmbeddedWords, std::string_view("std::"), {},
                                              [](auto word) { return word.substr(0, 5); });
  return std::ranges::any_of(names, [&](const std::string_view& name) {
    const auto word = static_cast<WordId>(&name - kEmbeddedWords.data());
    return used.has(word) &&
           header->names.find(fmt::format(" {} ", name.substr(5))) != std::string_view::npos;
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
  void add(std::size_t index) {
    if (seen_[index]) return;
    seen_[index] = true;
    const EmbeddedHeader& header = kEmbeddedHeaders[index];
    for (const std::size_t include : header.own) add(include);
    for (const WordId include : header.system) system_.insert(kEmbeddedWords[include]);
    for (const EmbeddedDeclaration& d : header.declarations) declared_.add(d.names);
    headers_.push_back({&header, std::vector<bool>(header.declarations.size())});
  }

  std::vector<Header>& headers() { return headers_; }
  const std::set<std::string_view>& system_includes() const { return system_; }
  const Words& declared() const { return declared_; }

 private:
  std::vector<bool> seen_ = std::vector<bool>(kEmbeddedHeaders.size());
  std::set<std::string_view> system_;
  Words declared_;
  std::vector<Header> headers_;
};

// Marks the declarations of the names in use, and those that these use. Adds to `used` the names
// that they use.
class Selection {
 public:
  Selection(HeaderClosure& closure, Words& used) : closure_(closure), used_(used) {}

  void run() {
    for (bool more = true; more;) {
      more = false;
      for (Header& h : closure_.headers())
        for (std::size_t i = 0; i < h.wanted.size(); ++i)
          if (!h.wanted[i] && is_wanted(h, h.source->declarations[i])) {
            h.wanted[i] = more = true;
            used_.add(h.source->declarations[i].uses);
          }
    }
  }

 private:
  bool is_wanted(const Header& h, const EmbeddedDeclaration& d) const {
    if (d.comes_along && h.is_wanted()) return true;
    return used_.has_any(d.names) && std::ranges::all_of(d.arguments, [this](WordId name) {
             return !closure_.declared().has(name) || used_.has(name);
           });
  }

  HeaderClosure& closure_;
  Words& used_;
};

void write_scopes(std::string& out, WordList& open, WordList wanted) {
  if (std::ranges::equal(open, wanted)) return;
  for (std::size_t i = open.size(); i-- > 0;)
    out += fmt::format("}}  // namespace {}\n\n", kEmbeddedWords[open[i]]);
  for (const WordId scope : wanted)
    out += fmt::format("namespace {} {{\n\n", kEmbeddedWords[scope]);
  open = wanted;
}

std::string wanted_text(const Header& h) {
  std::string out(h.source->head);
  if (!out.empty()) out += "\n";
  WordList scopes;
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

template <class F>
void each_runtime_header(F f) {
  for (std::size_t i = 0; i < kEmbeddedHeaders.size(); ++i)
    if (is_runtime(kEmbeddedHeaders[i])) f(i);
}

// The headers of kernels, and the runtime headers that declare names in `used`.
HeaderClosure closure_of(const std::set<std::string>& kernels, const Words& used) {
  HeaderClosure closure;
  for (const std::string& h : kernels) closure.add(embedded_header(h));
  each_runtime_header([&](std::size_t i) {
    for (const EmbeddedDeclaration& d : kEmbeddedHeaders[i].declarations)
      for (const WordId name : d.names)
        if (used.has(name) && !closure.declared().has(name)) return closure.add(i);
  });
  return closure;
}

}  // namespace

KernelText collect_kernels(const std::set<std::string>& headers, std::string_view code) {
  Words used;
  for (const std::string& name : identifiers_of(without_comments(code)))
    if (const auto word = embedded_word(name)) used.add(*word);
  HeaderClosure closure = closure_of(headers, used);
  Selection(closure, used).run();
  KernelText result;
  for (const std::string_view include : closure.system_includes())
    if (is_needed(include, used)) result.system_includes.emplace_back(include);
  for (const Header& h : closure.headers())
    if (h.is_wanted() && std::ranges::find(kShared, h.source->stem) == std::end(kShared))
      (is_runtime(*h.source) ? result.runtime : result.kernels) += wanted_text(h);
  return result;
}

std::string runtime_header() {
  HeaderClosure closure;
  for (const std::string_view stem : kShared) closure.add(embedded_header(stem));
  std::string s = "// onnxc_runtime.hpp - what every source generated by onnxc " ONNXC_VERSION
                  " includes. Do not edit.\n";
  s += licence_line("// ", "\n") +
       "// Everything has internal linkage: programs built with different flags can share it.\n"
       "#pragma once\n\n" +
       kFloatRules;
  for (const std::string_view include : closure.system_includes())
    s += fmt::format("#include {}\n", include);
  s += "\nnamespace onnxc {\nnamespace {\n\n";
  for (Header& h : closure.headers()) {
    h.wanted.assign(h.wanted.size(), true);
    s += wanted_text(h);
  }
  return s + "}  // namespace\n}  // namespace onnxc\n";
}

std::set<std::string> header_names(const std::set<std::string>& headers) {
  HeaderClosure closure;
  each_runtime_header([&](std::size_t i) { closure.add(i); });
  for (const std::string& h : headers) closure.add(embedded_header(h));
  std::set<std::string> names;
  for (const Header& h : closure.headers())
    for (const WordId name : h.source->reserved) names.emplace(kEmbeddedWords[name]);
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
