// Names of sizes as symbols, in the quotes of Lexer::string_literal.
#include "compiler/ir/size_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onnxc {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || digit(c);
  };
  return !text.empty() && !digit(text[0]) && std::all_of(text.begin(), text.end(), fits);
}

}  // namespace

std::string symbol_of_name(const std::string& name) {
  if (is_word(name)) return name;
  std::string symbol = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      symbol += {'\\', c};
    else if (byte < 0x20 || byte == 0x7f)
      symbol += fmt::format("\\x{:02x}", byte);
    else
      symbol += c;
  }
  return symbol + "\"";
}

bool has_name(const std::string& symbol) { return symbol[0] == '"' || is_word(symbol); }

std::string name_of_symbol(const std::string& symbol) {
  if (symbol.size() < 2 || symbol[0] != '"') return symbol;
  std::string name;
  for (std::size_t i = 1; i + 1 < symbol.size(); ++i) {
    if (symbol[i] == '\\' && symbol[i + 1] == 'x') {
      name += static_cast<char>(std::stoi(symbol.substr(i + 2, 2), nullptr, 16));
      i += 3;
    } else {
      if (symbol[i] == '\\') ++i;
      name += symbol[i];
    }
  }
  return name;
}

std::string readable_sizes(std::string expression) {
  for (std::size_t at; (at = expression.find(kInnerSize)) != std::string::npos;) {
    const bool numbered = at + 1 < expression.size() && expression[at + 1] == '#';
    expression.replace(at, numbered ? 2 : 1, numbered ? "n" : "n1");
  }
  return expression;
}

std::optional<NamedAxis> named_axis(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::string digits = text.substr(colon + 1);
  const bool number = !digits.empty() && digits.size() <= 9 &&
                      digits.find_first_not_of("0123456789") == std::string::npos;
  if (!number) return std::nullopt;
  return NamedAxis{text.substr(0, colon), std::stoul(digits)};
}

std::optional<NamedSize> find_size(const Graph& graph, const std::string& name) {
  const std::vector<std::string> symbols = dynamic_dims(graph);
  for (const std::string& symbol : {symbol_of_name(name), name})
    if (std::find(symbols.begin(), symbols.end(), symbol) != symbols.end())
      return NamedSize{symbol};
  const auto place = named_axis(name);
  if (!place) return std::nullopt;
  for (Value* v : graph.inputs) {
    if (v->name != place->value || !v->type.shape || place->axis >= v->type.rank()) continue;
    return NamedSize{(*v->type.shape)[place->axis].as_symbol(), v, place->axis};
  }
  return std::nullopt;
}

}  // namespace onnxc
