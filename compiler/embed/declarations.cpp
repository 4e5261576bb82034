// Parses enough C++ to find where a declaration of our headers ends and which names it declares.
#include "compiler/embed/declarations.hpp"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "compiler/support/identifiers.hpp"

namespace onnxc {
namespace {

bool is_directive(std::string_view line) { return line.starts_with("#"); }

// Names and single characters of code, without directives.
std::vector<std::string_view> tokens_of(std::string_view blanked) {
  std::vector<std::string_view> tokens;
  bool directive = false;
  for (std::size_t i = 0; i < blanked.size();) {
    const bool line_start = i == 0 || blanked[i - 1] == '\n';
    if (line_start)
      directive = blanked[i] == '#' || (directive && i >= 2 && blanked[i - 2] == '\\');
    std::size_t end = i + 1;
    if (is_identifier_char(blanked[i]))
      while (end < blanked.size() && is_identifier_char(blanked[end])) ++end;
    if (!directive && std::isspace(static_cast<unsigned char>(blanked[i])) == 0)
      tokens.push_back(blanked.substr(i, end - i));
    i = end;
  }
  return tokens;
}

// Finds the names that a piece of code declares at namespace level.
class NameFinder {
 public:
  NameFinder(const std::vector<std::string_view>& tokens, Declaration& d) : t_(tokens), d_(d) {}

  void run() {
    while (at_ < t_.size()) step();
    if (plain_) d_.arguments.clear();
  }

 private:
  std::string_view now() const { return token(at_); }
  std::string_view token(std::size_t i) const { return i < t_.size() ? t_[i] : ""; }
  static bool is_name(std::string_view t) { return !t.empty() && is_identifier_char(t[0]); }

  // Moves past the bracket that closes the one here.
  std::size_t past(std::size_t i, const char* open, const char* close) const {
    int depth = 0;
    for (; i < t_.size(); ++i) {
      if (t_[i] == open) ++depth;
      if (t_[i] == close && --depth == 0) return i + 1;
      // A comparison in an argument must be in parentheses.
      if (*open == '<' && t_[i] == "(") i = past(i, "(", ")") - 1;
    }
    return i;
  }

  void step() {
    const std::string_view t = now();
    if (t == "template" && token(at_ + 1) == "<") {
      at_ = past(at_ + 1, "<", ">");
    } else if (t == "namespace") {
      at_ += 3;  // its declarations are also at namespace level
    } else if (t == "operator") {
      d_.comes_along = true;
      ++at_;
    } else if (t == "struct" || t == "class" || t == "union" || t == "enum" || t == "using") {
      introduced(t);
    } else if (t == "(") {
      at_ = past(at_, "(", ")");
    } else if (t == "[") {
      at_ = past(at_, "[", "]");
    } else if (t == "{") {
      at_ = past(at_, "{", "}");
    } else if (t == "=") {
      initialiser();
    } else {
      name();
    }
  }

  void name() {
    static const std::set<std::string_view> kNone = {
        "static_assert", "decltype", "alignas", "noexcept", "const", "asm", "__attribute__"};
    std::size_t next = at_ + 1;
    if (is_name(now()) && token(next) == "<") next = past(next, "<", ">");
    const std::string_view after = token(next);
    const bool ends =
        after == "(" || (next == at_ + 1 && (after == "=" || after == ";" || after == "[" ||
                                             after == "{" || after == "__attribute__"));
    const bool is_number = std::isdigit(static_cast<unsigned char>(now()[0])) != 0;
    if (is_name(now()) && !is_number && ends && kNone.count(now()) == 0) {
      d_.names.emplace(now());
      if (after == "(")
        d_.functions.push_back(
            {std::string(now()), at_ > 0 && t_[at_ - 1] == "Status", parameters(next)});
      plain_ = true;
    }
    at_ = next;
  }

  // The last names between the commas of the list that opens at `i`; none of a list that varies.
  std::vector<std::string> parameters(std::size_t i) const {
    std::vector<std::string> names;
    for (const std::size_t end = past(i, "(", ")") - 1; ++i < end;) {
      if (t_[i] == ".") return {};
      if (t_[i] == "<") i = past(i, "<", ">") - 1;
      if (is_name(token(i)) && (i + 1 == end || t_[i + 1] == ",")) names.emplace_back(t_[i]);
    }
    return names;
  }

  // `using X = ...`, `struct X<Argument> : Base {`, `enum X : T { a, b }`
  void introduced(std::string_view keyword) {
    const bool plain_enum = keyword == "enum" && token(at_ + 1) != "class";
    ++at_;
    while (now() == "class" || now() == "alignas" || now() == "__attribute__")
      at_ = now() == "class" ? at_ + 1 : past(at_ + 1, "(", ")");
    if (is_name(now())) d_.names.emplace(now());
    ++at_;
    plain_ = plain_ || now() != "<";
    if (now() == "<") {
      const std::size_t end = past(at_, "<", ">");
      for (; at_ < end; ++at_)
        if (is_name(now())) d_.arguments.emplace(now());
    }
    while (at_ < t_.size() && now() != "{" && now() != ";" && now() != "=") ++at_;
    if (plain_enum && now() == "{")
      for (std::size_t i = at_, end = past(at_, "{", "}"); i < end; ++i)
        if (is_name(t_[i])) d_.names.emplace(t_[i]);
  }

  void initialiser() {
    for (int depth = 0; at_ < t_.size(); ++at_) {
      if (now() == "{" || now() == "(") ++depth;
      if (now() == "}" || now() == ")") --depth;
      // A comma is followed by the next name, or by the rest of a template's arguments.
      if (depth == 0 && (now() == ";" || now() == ",")) return;
    }
  }

  const std::vector<std::string_view>& t_;
  Declaration& d_;
  std::size_t at_ = 0;
  bool plain_ = false;  // declares more than specialisations
};

// Splits at the blank lines of namespace level, and before specialisations.
class Splitter {
 public:
  explicit Splitter(std::string_view text)
      : text_(text),
        blanked_(without_comments(text)),
        outside_(text.find("\nnamespace onnxc {\n") != std::string_view::npos) {}

  HeaderText run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size() - 1) + 1;
      const std::string_view text = text_.substr(at, end - at);
      if (text == "namespace onnxc {\n") outside_ = false;
      if (outside_ && is_outside(text))
        outside(text);
      else if (text.starts_with("#include "))
        include(text);
      // The emitter provides the outer namespace.
      else if (text != "#pragma once\n" && text != "namespace onnxc {\n" &&
               text != "}  // namespace onnxc\n")
        line(text, std::string_view(blanked_).substr(at, end - at));
      at = end;
    }
    if (depth_ != 0 || conditionals_ != 0 || !scopes_.empty())
      throw std::runtime_error("ends inside of a declaration: " + piece_.substr(0, 60));
    flush();
    return std::move(result_);
  }

 private:
  void include(std::string_view text) {
    const std::string name(text.substr(9, text.find_last_of(">\"") - 8));
    if (name[0] == '<')
      result_.system.push_back(name);
    else
      result_.own.push_back(name.substr(1, name.size() - 2));
  }

  // Before the namespace: conditionals, with the includes and the empty lines in them, and what is
  // neither a comment at the top nor an include.
  bool is_outside(std::string_view text) const {
    return conditionals_ > 0 || !(text == "\n" || text == "#pragma once\n" ||
                                  text.starts_with("//") || text.starts_with("#include "));
  }
  void outside(std::string_view text) {
    if (text.starts_with("#if")) ++conditionals_;
    if (text.starts_with("#endif")) --conditionals_;
    result_.outside += text;
  }

  bool inside() const { return depth_ > 0 || conditionals_ > 0 || !macros_.empty(); }

  void line(std::string_view text, std::string_view code) {
    const bool empty = text == "\n";
    if (!inside() && opens_scope(code)) return open_scope(code);
    if (!inside() && code.starts_with("}") && !scopes_.empty()) {
      flush();
      scopes_.pop_back();
      return;
    }
    // A specialisation can be left out where its template is needed.
    if (!inside() && has_code_ && code.starts_with("template <>")) flush();
    if (empty && !inside()) {
      // A comment on its own belongs to the header, or to the code after it.
      if (has_code_ || result_.head.empty()) flush();
      return;
    }
    piece_ += text;
    piece_code_ += code;
    read(code);
  }

  static bool opens_scope(std::string_view code) {
    return code.starts_with("namespace ") && code.find(" {") != std::string_view::npos;
  }
  void open_scope(std::string_view code) {
    if (has_code_) flush();
    scopes_.emplace_back(code.substr(10, code.find(" {") - 10));
  }

  // Follows braces, conditionals and macros.
  void read(std::string_view code) {
    if (is_directive(code)) {
      has_code_ = true;
      directive(code.substr(1));
    } else if (!continued_) {
      for (const char c : code) {
        if (c == '{' || c == '(') ++depth_;
        if (c == '}' || c == ')') --depth_;
        has_code_ = has_code_ || std::isspace(static_cast<unsigned char>(c)) == 0;
      }
    }
    continued_ = (continued_ || is_directive(code)) && code.ends_with("\\\n");
  }

  void directive(std::string_view text) {
    if (text.starts_with("if")) ++conditionals_;
    if (text.starts_with("endif")) --conditionals_;
    const bool define = text.starts_with("define ");
    if (!define && !text.starts_with("undef ")) return;
    std::string_view name = text.substr(define ? 7 : 6);
    name = name.substr(
        0, static_cast<std::size_t>(std::find_if_not(name.begin(), name.end(), is_identifier_char) -
                                    name.begin()));
    if (define)
      macros_.emplace(name);
    else
      macros_.erase(std::string(name));
    defines_ = true;
  }

  void flush() {
    if (!has_code_) {
      if (!piece_.empty() && result_.head.empty()) {
        result_.head = std::exchange(piece_, "");
        piece_code_.clear();
      }
      return;
    }
    Declaration d;
    d.scopes = scopes_;
    const std::vector<std::string_view> tokens = tokens_of(piece_code_);
    NameFinder(tokens, d).run();
    d.uses = identifiers_of(piece_code_);
    add_scopes(d, tokens);
    d.comes_along = d.comes_along || d.names.empty() || defines_;
    d.text = std::exchange(piece_, "");
    piece_code_.clear();
    has_code_ = defines_ = false;
    result_.declarations.push_back(std::move(d));
  }

  // Its names get the innermost scope; what it uses without one may belong to any around it. Of
  // namespaces that a conditional contains, it is not known which names are theirs.
  static void add_scopes(Declaration& d, const std::vector<std::string_view>& tokens) {
    std::vector<std::string> around, inside;
    for (const std::string& nested : d.scopes)
      for (const std::string_view name : tokens_of(nested))
        if (is_identifier_char(name[0])) around.push_back(std::string(name) + "::");
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i] == "namespace") inside.push_back(std::string(tokens[i + 1]) + "::");
    const std::set<std::string> uses = d.uses, plain = std::exchange(d.names, {});
    for (const std::string& name : plain) {
      d.names.insert((around.empty() ? "" : around.back()) + name);
      for (const std::string& scope : inside) d.names.insert(scope + name);
    }
    around.insert(around.end(), inside.begin(), inside.end());
    for (const std::string& scope : around)
      for (const std::string& used : uses) d.uses.insert(scope + used);
  }

  std::string_view text_;
  const std::string blanked_;
  bool outside_;
  HeaderText result_;
  std::vector<std::string> scopes_;
  std::string piece_, piece_code_;
  bool has_code_ = false, defines_ = false, continued_ = false;
  int depth_ = 0, conditionals_ = 0;
  std::set<std::string> macros_;
};

}  // namespace

HeaderText split_declarations(std::string_view text) { return Splitter(text).run(); }

std::set<std::string> declared_names(std::string_view text) {
  static const std::set<std::string_view> kIntroducers = {
      "struct", "class", "enum", "using", "namespace", "constexpr", "Index", "int"};
  std::set<std::string> names;
  std::string_view before;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_identifier_char(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_identifier_char(text[end])) ++end;
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
