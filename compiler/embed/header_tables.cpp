// Reads the headers, numbers their words, and prints the tables.
#include "compiler/embed/header_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "compiler/embed/declarations.hpp"

namespace onnxc {
namespace {

constexpr std::string_view kFunctions = "templates/fn/";

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw std::runtime_error(path + ": " + what);
}

// A header, without the namespace that the emitter provides.
struct Header {
  std::string path, stem;
  std::vector<std::string> system, own;  // its includes: "<cmath>", "runtime_min/types.hpp"
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

Header read_header(const SourceFile& file) {
  Header header{file.path, stem_of(file.path), {}, {}, {}, {}};
  std::string body;
  for (std::string_view text = file.text; !text.empty();) {
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
  try {
    header.text = split_declarations(body);
  } catch (const std::runtime_error& error) {
    fail(file.path, error.what());
  }
  if (header.text.declarations.empty()) fail(file.path, "declares nothing");
  for (const Declaration& d : header.text.declarations)
    // Functions of fn are called by their full names.
    if (d.scopes != std::vector<std::string>{"fn"}) header.reserved.merge(declared_names(d.text));
  return header;
}

class Tables {
 public:
  explicit Tables(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files) headers_.push_back(read_header(file));
    for (std::size_t i = 0; i < headers_.size(); ++i)
      if (!index_.emplace(headers_[i].path, i).second || !stems_.insert(headers_[i].stem).second)
        fail(headers_[i].path, "another header has this name");
    for (const Header& h : headers_) {
      find_functions(h);
      for (const Declaration& d : h.text.declarations)
        declared_.insert(d.names.begin(), d.names.end());
    }
    for (const Header& h : headers_) add_words(h);
    if (words_.size() > UINT16_MAX) throw std::runtime_error("more words than a WordId counts");
    std::size_t next = 0;
    for (auto& [word, number] : words_) number = next++;
  }

  std::string run() {
    std::string headers;
    for (const Header& h : headers_) headers += header(h);
    std::string functions;
    for (const auto& [name, f] : functions_)
      functions += fmt::format("    {{\"{}\", \"{}\", {}, {}}},\n", name, f.header->stem,
                               f.function->fallible, words(f.function->parameters));
    std::string out = "#include \"compiler/support/embedded_headers.hpp\"\n\nnamespace onnxc {\n";
    out += "namespace {\n\nconstexpr std::string_view kWords[] = {\n";
    for (const auto& [word, number] : words_) out += "    " + text_literal(word) + ",\n";
    out += fmt::format("}};\n\nconstexpr std::uint16_t kNumbers[] = {{\n{}}};\n\n", numbers());
    out += "constexpr EmbeddedDeclaration kDeclarations[] = {\n" + declarations_ + "};\n\n";
    out += "constexpr EmbeddedHeader kHeaders[] = {\n" + headers + "};\n\n";
    out +=
        "constexpr EmbeddedFunction kFunctions[] = {\n" + functions + "};\n\n}  // namespace\n\n";
    for (const auto& [type, name] : {std::pair("std::string_view", "Words"),
                                     {"EmbeddedHeader", "Headers"},
                                     {"EmbeddedFunction", "Functions"}})
      out += fmt::format("constinit const std::span<const {0}> kEmbedded{1} = k{1};\n", type, name);
    return out + "\n}  // namespace onnxc\n";
  }

 private:
  struct FunctionOfHeader {
    const DeclaredFunction* function;
    const Header* header;
  };

  // The first declaration of a name counts, but one in the header of its own name before others.
  void find_functions(const Header& h) {
    if (!h.path.starts_with("templates/")) return;
    const std::string scope = h.path.starts_with(kFunctions) ? "fn::" : "";
    for (const Declaration& d : h.text.declarations)
      for (const DeclaredFunction& f : d.functions) {
        const bool first = functions_.emplace(scope + f.name, FunctionOfHeader{&f, &h}).second;
        FunctionOfHeader& known = functions_[scope + f.name];
        if (!first && f.name == h.stem && known.header->stem != h.stem) known = {&f, &h};
      }
  }

  // What selects a declaration, or needs a standard header.
  bool matters(const std::string& name) const {
    return declared_.count(name) != 0 || name.starts_with("std::");
  }

  void add_words(const Header& h) {
    const auto add = [&](const auto& words) {
      for (const std::string& word : words) words_.emplace(word, 0);
    };
    add(h.system);
    add(h.reserved);
    for (const Declaration& d : h.text.declarations) {
      add(d.scopes);
      add(d.names);
      for (const std::string& name : d.uses)
        if (matters(name)) words_.emplace(name, 0);
      for (const DeclaredFunction& f : d.functions) add(f.parameters);
    }
  }

  // ---- printing -----------------------------------------------------------------------------

  // The place of a list of numbers, each list once.
  std::string list(const std::vector<std::size_t>& numbers) {
    if (numbers.empty()) return "{}";
    const auto [found, is_new] = lists_.emplace(numbers, list_end_);
    if (is_new) {
      list_order_.push_back(&found->first);
      list_end_ += numbers.size();
    }
    return fmt::format("{{kNumbers + {}, {}}}", found->second, numbers.size());
  }
  template <class Words>
  std::string words(const Words& words) {
    std::vector<std::size_t> numbers;
    for (const std::string& word : words)
      if (const auto found = words_.find(word); found != words_.end())
        numbers.push_back(found->second);
    return list(numbers);
  }
  std::string numbers() const {
    std::string out;
    for (const std::vector<std::size_t>* numbers : list_order_)
      out += fmt::format("    {},\n", fmt::join(*numbers, ", "));
    return out;
  }

  std::string header(const Header& h) {
    std::vector<std::size_t> own;
    for (const std::string& include : h.own) {
      const auto found = index_.find(include);
      if (found == index_.end()) fail(h.path, "includes \"" + include + "\", which is no header");
      own.push_back(found->second);
    }
    const std::size_t first = declaration_count_;
    for (const Declaration& d : h.text.declarations) {
      ++declaration_count_;
      std::set<std::string> uses = d.uses;
      std::erase_if(uses, [&](const std::string& name) { return !matters(name); });
      declarations_ += fmt::format("    {{{},\n     {}, {}, {}, {}, {}}},\n", text_literal(d.text),
                                   words(d.scopes), words(d.names), words(d.arguments), words(uses),
                                   d.comes_along);
    }
    return fmt::format("    {{\"{}\", {}, {}, {}, {}, {{kDeclarations + {}, {}}}}},\n", h.stem,
                       text_literal(h.text.head), words(h.system), list(own), words(h.reserved),
                       first, declaration_count_ - first);
  }

  std::vector<Header> headers_;
  std::map<std::string, std::size_t> index_, words_;
  std::set<std::string> stems_, declared_;
  std::map<std::string, FunctionOfHeader> functions_;
  std::map<std::vector<std::size_t>, std::size_t> lists_;
  std::vector<const std::vector<std::size_t>*> list_order_;
  std::size_t list_end_ = 0, declaration_count_ = 0;
  std::string declarations_;
};

}  // namespace

std::string text_literal(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n')
      out += i + 1 < text.size() ? "\\n\"\n\"" : "\\n";
    else if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + "\"sv";
}

std::string header_tables(const std::vector<SourceFile>& headers) { return Tables(headers).run(); }

}  // namespace onnxc
