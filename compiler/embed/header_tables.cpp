// Reads the headers, numbers their words, and prints the tables.
#include "compiler/embed/header_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include "compiler/embed/declarations.hpp"
#include "compiler/embed/pack.hpp"

namespace onnxc {
namespace {

constexpr std::string_view kFunctions = "templates/fn/";

constexpr const char* kSource = R"(#include "compiler/support/embedded_files.hpp"
#include "compiler/support/embedded_headers.hpp"

namespace onnxc {{
namespace {{

using namespace std::string_view_literals;

constexpr std::string_view kPacked =
{};

constexpr EmbeddedFile kFiles[] = {{
{}}};

constexpr EmbeddedDeclaration kDeclarations[] = {{
{}}};

constexpr EmbeddedHeader kHeaders[] = {{
{}}};

constexpr EmbeddedFunction kFunctions[] = {{
{}}};

}}  // namespace

constinit const std::string_view kPackedTexts = kPacked;
constinit const std::span<const EmbeddedFile> kEmbeddedFiles = kFiles;
constinit const std::span<const EmbeddedHeader> kEmbeddedHeaders = kHeaders;
constinit const std::span<const EmbeddedFunction> kEmbeddedFunctions = kFunctions;

}}  // namespace onnxc
)";

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

struct Header {
  std::string path, stem;
  HeaderText text;
  std::set<std::string> reserved;
};

// Stems are unique below templates/; element-wise functions are often named like kernels.
std::string stem_of(const std::string& path) {
  const bool short_form = path.starts_with("templates/") && !path.starts_with(kFunctions);
  const std::size_t begin = short_form                     ? path.rfind('/') + 1
                            : path.starts_with(kFunctions) ? path.find('/') + 1
                                                           : 0;
  return path.substr(begin, path.rfind('.') - begin);
}

std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/'), begin = path.rfind('/', end - 1);
  return path.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1));
}

Header read_header(const SourceFile& file) {
  Header header{file.path, stem_of(file.path), {}, {}};
  try {
    header.text = split_declarations(file.text);
  } catch (const std::runtime_error& error) {
    fail(file.path, error.what());
  }
  if (header.text.declarations.empty()) fail(file.path, "declares nothing");
  for (const Declaration& d : header.text.declarations)
    // Functions of fn are called by their full names.
    if (d.scopes != std::vector<std::string>{"fn"}) header.reserved.merge(declared_names(d.text));
  return header;
}

// As it stands in a literal.
void append_character(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\')
    out += std::string("\\") + c;
  else if (byte < 0x20 || byte >= 0x7f)
    out += fmt::format("\\{:03o}", static_cast<unsigned>(byte));
  else
    out += c;
}

// Texts one after the other, equal ones once.
class Texts {
 public:
  // The place of the text, as it stands in a table.
  std::string add(std::string_view text) {
    const auto [place, is_new] = places_.emplace(text, all_.size());
    if (is_new) all_ += text;
    return fmt::format("{{{}, {}}}", place->second, text.size());
  }
  std::string add_list(const auto& words) { return add(fmt::format("{}", fmt::join(words, " "))); }
  const std::string& all() const { return all_; }

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
  std::string all_;
};

// Lines of bounded length, of any bytes.
std::string bytes_literal(std::string_view bytes) {
  constexpr std::size_t kLine = 100;
  std::string out;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(kLine, bytes.size()))) {
    out += '"';
    for (const char c : bytes.substr(0, kLine)) append_character(out, c);
    out += "\"\n";
  }
  return out + "\"\"sv";
}

class Tables {
 public:
  explicit Tables(const std::vector<SourceFile>& headers) {
    for (const SourceFile& file : headers) {
      headers_.push_back(read_header(file));
      if (!stems_.insert(headers_.back().stem).second)
        fail(file.path, "another header has this name");
    }
    for (const Header& h : headers_) {
      find_functions(h);
      for (const Declaration& d : h.text.declarations)
        declared_.insert(d.names.begin(), d.names.end());
    }
  }

  TableSources run(const std::vector<SourceFile>& other, bool store) {
    std::string files, declarations, headers, functions, names;
    for (const SourceFile& file : other)
      files += fmt::format("    {{{}, {}}},\n", text_literal(file.path), texts_.add(file.text));
    std::size_t first = 0;
    for (const Header& h : headers_) {
      const std::size_t count = h.text.declarations.size();
      headers += fmt::format(
          "    {{{}, {}, {}, {}, {}, {},\n     {}, {{kDeclarations + {}, {}}}}},\n",
          text_literal(h.stem), text_literal(folder_of(h.path)), texts_.add(h.text.head),
          texts_.add(h.text.outside), texts_.add_list(h.text.system), texts_.add_list(own(h)),
          texts_.add_list(h.reserved), first, count);
      first += count;
      for (const Declaration& d : h.text.declarations) declarations += declaration(d);
    }
    for (const auto& [name, f] : functions_) {
      const bool scoped = name.starts_with("fn::");
      names += fmt::format("ONNXC_{}({})\n", scoped ? "FUNCTION" : "KERNEL",
                           name.substr(scoped ? 4 : 0));
      functions +=
          fmt::format("    {{{}, {}, {}, {}}},\n", text_literal(name), text_literal(f.header->stem),
                      f.function->fallible, texts_.add_list(f.function->parameters));
    }
    const std::string packed = bytes_literal(pack(texts_.all(), store));
    return {fmt::format(kSource, packed, files, declarations, headers, functions), names};
  }

 private:
  struct FunctionOfHeader {
    const DeclaredFunction* function;
    const Header* header;
  };

  // Those that generated code can call. The first declaration of a name counts, but one in the
  // header of its own name before others.
  void find_functions(const Header& h) {
    if (!h.path.starts_with("templates/")) return;
    const bool in_fn = h.path.starts_with(kFunctions);
    const std::string scope = in_fn ? "fn::" : "";
    const std::vector<std::string> scopes(in_fn ? 1 : 0, "fn");
    for (const Declaration& d : h.text.declarations)
      for (const DeclaredFunction& f : d.functions) {
        if (d.scopes != scopes) continue;
        const bool first = functions_.emplace(scope + f.name, FunctionOfHeader{&f, &h}).second;
        FunctionOfHeader& known = functions_[scope + f.name];
        if (!first && f.name == h.stem && known.header->stem != h.stem) known = {&f, &h};
      }
  }

  std::vector<std::string> own(const Header& h) const {
    std::vector<std::string> stems;
    for (const std::string& include : h.text.own) {
      stems.push_back(stem_of(include));
      if (stems_.count(stems.back()) == 0)
        fail(h.path, "includes \"" + include + "\", which is no header");
    }
    return stems;
  }

  std::string declaration(const Declaration& d) {
    std::set<std::string> uses = d.uses;
    // Other names select nothing and need no standard header.
    std::erase_if(uses, [this](const std::string& name) {
      return declared_.count(name) == 0 && !name.starts_with("std::");
    });
    return fmt::format("    {{{}, {}, {}, {}, {}, {}}},\n", texts_.add(d.text),
                       texts_.add_list(d.scopes), texts_.add_list(d.names),
                       texts_.add_list(d.arguments), texts_.add_list(uses), d.comes_along);
  }

  std::deque<Header> headers_;  // which do not move
  std::set<std::string> stems_, declared_;
  std::map<std::string, FunctionOfHeader> functions_;
  Texts texts_;
};

}  // namespace

std::string text_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) append_character(out, c);
  return out + "\"sv";
}

TableSources sources_of_tables(const std::vector<SourceFile>& files,
                               const std::vector<SourceFile>& headers, bool store) {
  return Tables(headers).run(files, store);
}

}  // namespace onnxc
