// How a model's text appears in each kind of output: every byte and every pair of bytes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "compiler/emit/dependency_file.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/interface/sanitized_text.hpp"
#include "compiler/ir/graph.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

// Nothing but the sanitizing functions makes these types.
template <class T>
constexpr bool is_open =
    std::is_constructible_v<T, std::string> || std::is_convertible_v<std::string, T>;
static_assert(!is_open<CommentText> && !is_open<StringLiteral> && !is_open<HtmlText>);
static_assert(!is_open<Identifier> && !is_open<FileStem> && !is_open<DependencyPath>);

// Calls `visit` with the empty text, every byte and every pair of bytes, alone and inside a word.
template <class F>
void each_text(F visit) {
  visit(std::string());
  for (int a = 0; a < 256; ++a) {
    const std::string one(1, static_cast<char>(a));
    visit(one);
    for (int b = 0; b < 256; ++b) {
      const std::string two = one + static_cast<char>(b);
      visit(two);
      visit("x" + two + "y");
    }
  }
}

bool is_printable(const std::string& s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool has(const std::string& s, const char* part) { return s.find(part) != std::string::npos; }

// The number of texts for which `holds` fails, so that a failure is one line, not 65536.
template <class F>
int failures(F holds) {
  int count = 0;
  each_text([&](const std::string& text) { count += holds(text) ? 0 : 1; });
  return count;
}

bool is_safe_comment(const std::string& s) {
  return is_printable(s) && !has(s, "*/") && !has(s, "/*") && !has(s, "\\") && !has(s, "?");
}

// The value of a C++ literal without hexadecimal escapes.
std::string unescaped(const std::string& literal) {
  std::string s;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      s += literal[i];
      continue;
    }
    s += static_cast<char>(std::stoi(literal.substr(i + 1, 3), nullptr, 8));
    i += 3;
  }
  return s;
}

}  // namespace

TEST_CASE("comment text stays in its comment, whatever is next to it", "[sanitized_text]") {
  CHECK(failures([](const std::string& text) {
          const std::string s = comment_text(text).text();
          // Between two others.
          const std::string between = comment_text("a*").text() + s + comment_text("*/").text();
          return is_safe_comment(s) && is_safe_comment(between) && is_safe_comment(" " + s + " ");
        }) == 0);
  CHECK(failures([](const std::string& text) {
          CommentText twice = comment_text(text);
          twice += comment_text(text);
          return is_safe_comment(twice.text());
        }) == 0);
  CHECK(failures([](const std::string& text) {
          return is_safe_comment(comment_text(text + text).first(1).text()) &&
                 is_safe_comment(comment_text("a" + text).first(2).text() + "/") &&
                 is_safe_comment(shape_comment(text).text());
        }) == 0);
  CHECK(comment_text("/conv1/Conv").text() == "/conv1/Conv");
  CHECK(comment_text("2*batch").text() == "2*batch");
  CHECK(comment_text("*/int f(){return 1;}/*").text() == "./int f(){return 1;}/.");
}

TEST_CASE("a string literal is the same bytes, in printable ASCII", "[sanitized_text]") {
  CHECK(failures([](const std::string& text) {
          const std::string s = string_literal(text).text();
          return is_printable(s) && !has(s, "?") && unescaped(s) == text &&
                 std::count(s.begin(), s.end(), '"') == 2;
        }) == 0);
  CHECK(failures([](const std::string& text) {
          return unescaped(byte_literal(text).text()) == text;
        }) == 0);
}

TEST_CASE("an identifier is nothing else, and not reserved", "[sanitized_text]") {
  const auto is_identifier = [](const std::string& s) {
    const auto good = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    return !s.empty() && std::isalpha(static_cast<unsigned char>(s[0])) && !has(s, "__") &&
           is_printable(s) && std::all_of(s.begin(), s.end(), good);
  };
  CHECK(failures([&](const std::string& text) {
          NameScope scope;
          const Identifier id = identifier_from(text);
          const Identifier given = scope.unique(id), again = scope.unique(id);
          return is_identifier(id) && is_identifier(given) && is_identifier(again) &&
                 !is_reserved(given.text()) && !is_reserved(again.text()) &&
                 given.text() != again.text();
        }) == 0);
}

TEST_CASE("JSON strings are printable ASCII and end where they should", "[sanitized_text]") {
  CHECK(failures([](const std::string& text) {
          const std::string s = json_quoted(text);
          bool closed = false;
          for (std::size_t i = 1; i < s.size(); ++i) {
            if (s[i] == '\\')
              ++i;
            else if (s[i] == '"')
              closed = i + 1 == s.size();
          }
          return is_printable(s) && closed;
        }) == 0);
  CHECK(json_quoted("\xc3\xa9\xe2\x80\xa8") == "\"\\u00e9\\u2028\"");
  CHECK(json_quoted("\xf0\x9f\x98\x80\xff") == "\"\\ud83d\\ude00\\ufffd\"");
}

TEST_CASE("HTML text holds no markup", "[sanitized_text]") {
  CHECK(failures([](const std::string& text) {
          const std::string s = html_text(text).text();
          return is_printable(s) && s.find_first_of("<>\"'`") == std::string::npos;
        }) == 0);
  CHECK(html_text("a<b>&\xc3\xa9\xff\n").text() == "a&lt;b&gt;&amp;&#xe9;&#xfffd;&#xfffd;");
}

TEST_CASE("JSON in a page cannot end its element", "[sanitized_text]") {
  JsonWriter j;
  j.begin_object().field("a", "</script><!--\n  b").key("c").begin_array().value(1).end_array();
  CHECK(script_data(j.end_object().take()).text() ==
        R"({"a": "\u003c/script>\u003c!--\u000a  b","c": [1]})");
}

TEST_CASE("terminal text holds no control byte and is UTF-8", "[sanitized_text]") {
  CHECK(failures([](const std::string& text) {
          const std::string s = terminal::text(text);
          return std::none_of(
                     s.begin(), s.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }) &&
                 terminal::text(s) == s;
        }) == 0);
  CHECK(terminal::text("\x1b[31m") == "\\x1b[31m");
  CHECK(terminal::text("\xc3\xa9") == "\xc3\xa9");
  CHECK(terminal::text("\xc2\x9b") == "\\xc2\\x9b");           // a control character of C1
  CHECK(terminal::text("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right-to-left override
}

TEST_CASE("paths in a dependency file stay one word of one line", "[sanitized_text]") {
  CHECK(failures([](const std::string& text) {
          const auto path = DependencyPath::from(text);
          if (!path) return true;
          const std::string& s = path->text();
          bool escaped = false;
          for (const char c : s) {
            if ((c == ' ' || c == '#' || c == ':') && !escaped) return false;
            if (static_cast<unsigned char>(c) < 0x20 || c == ';' || c == '|') return false;
            escaped = c == '\\' && !escaped;
          }
          return !escaped;
        }) == 0);
  CHECK(dependency_rule("o.cpp", {"a b#c$d:e"}) == "o.cpp: \\\n  a\\ b\\#c$$d\\:e\n");
  CHECK_THROWS_AS(dependency_rule("o.cpp", {"a\nb: c"}), FatalError);
  CHECK_THROWS_AS(dependency_rule("o.cpp", {"a;touch b"}), FatalError);
}

TEST_CASE("a file stem fits between the quotes of #include", "[sanitized_text]") {
  CHECK(failures([](const std::string& text) {
          const auto stem = FileStem::from(text);
          return !stem || (stem->text() == text && is_printable(text) &&
                           text.find_first_of("\"\\*?/") == std::string::npos);
        }) == 0);
  CHECK(FileStem::from("kws v2.1"));
}

TEST_CASE("the type of a node is short printable ASCII in messages", "[sanitized_text]") {
  Node node;
  node.op_type = "Re\nlu\x7f ~";
  CHECK(describe(node).text() == "node 0 (Re?lu? ~)");
  node.op_type = std::string(80, 'a');
  CHECK(describe(node).text() == "node 0 (" + node.op_type + ")");
  node.op_type += 'b';
  node.name = "n";
  node.index = 2;
  node.version = 7;
  CHECK(describe(node).text() == "node 2 \"n\" (" + std::string(80, 'a') + "...-7)");
}

}  // namespace onnxc
