// Reads vocabularies of attributes.
#include "compiler/ops/text/vocabulary_lines.hpp"

#include <algorithm>

#include "compiler/support/json_reader.hpp"

namespace onnxc::ops {
namespace {

constexpr double kMaxWords = 1 << 24;

}  // namespace

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::string line;
  for (char c : text + "\n")
    if (c == '\n') {
      if (!line.empty()) out.push_back(line);
      line.clear();
    } else if (c != '\r') {
      line += c;
    }
  return out;
}

Vocabulary numbered_lines(const std::string& text) {
  Vocabulary out;
  for (std::string& line : lines_of(text))
    out.emplace_back(std::move(line), static_cast<std::int32_t>(out.size()));
  return out;
}

Vocabulary vocabulary_of_json(const NodeView& n, const std::string& attribute) {
  const std::string field = "attribute \"" + attribute + "\"";
  JsonValue json;
  try {
    json = read_json(n.attr_string(attribute));
  } catch (const JsonError& e) {
    n.fail(field, std::string("is no JSON: ") + e.what());
  }
  n.require(json.is(JsonValue::Kind::object) && !json.members.empty(), field,
            "is no object of words");
  Vocabulary out;
  for (const auto& [word, number] : json.members) {
    n.require(number.is(JsonValue::Kind::number) && number.number >= 0 &&
                  number.number < kMaxWords &&
                  number.number == static_cast<std::int32_t>(number.number),
              field, "the number of {} is none", quoted(word));
    out.emplace_back(word, static_cast<std::int32_t>(number.number));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  return out;
}

}  // namespace onnxc::ops
