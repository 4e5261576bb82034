// The data of a page in fewer bytes.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/products/report/sections.hpp"
#include "compiler/support/json_reader.hpp"

namespace onnxc {
namespace {

// Below this a page is small enough, and people can read its data.
constexpr std::size_t kLarge = 256 << 10;
constexpr std::size_t kManyRows = 32;

std::string text_of(const JsonValue& v);

std::string number_text(double number) {
  constexpr double kExact = 9e15;
  if (std::nearbyint(number) == number && std::abs(number) < kExact)
    return std::to_string(static_cast<std::int64_t>(number));
  return fmt::format("{}", number);
}

// What the rows hold for one key. Values that repeat stand once, and each row has the index of its
// own, -1 for none.
std::string column_text(const std::vector<JsonValue>& rows, const std::string& key) {
  std::map<std::string, std::size_t> places;
  std::vector<std::string> values, in_rows;
  std::vector<std::int64_t> indices;
  bool complete = true;
  for (const JsonValue& row : rows) {
    const JsonValue* const v = row.find(key);
    complete = complete && v;
    in_rows.push_back(v ? text_of(*v) : "");
    const auto [place, is_new] = places.try_emplace(in_rows.back(), values.size());
    if (is_new) values.push_back(in_rows.back());
    indices.push_back(v ? static_cast<std::int64_t>(place->second) : -1);
  }
  if (complete && values.size() * 2 > rows.size())
    return fmt::format("[{}]", fmt::join(in_rows, ","));
  for (std::string& v : values)
    if (v.empty()) v = "0";  // that of the rows without one
  return fmt::format("{{\"of\":[{}],\"at\":[{}]}}", fmt::join(values, ","),
                     fmt::join(indices, ","));
}

std::string columns_text(const std::vector<JsonValue>& rows) {
  std::vector<std::string> keys;
  for (const JsonValue& row : rows)
    for (const JsonMember& m : row.members)
      if (std::find(keys.begin(), keys.end(), m.name) == keys.end()) keys.push_back(m.name);
  std::string text;
  for (const std::string& key : keys)
    text +=
        fmt::format("{}{}:{}", text.empty() ? "" : ",", json_quoted(key), column_text(rows, key));
  return fmt::format("{{\"$rows\":{},\"$columns\":{{{}}}}}", rows.size(), text);
}

std::string list_text(const std::vector<JsonValue>& items) {
  const bool is_table =
      items.size() >= kManyRows && std::all_of(items.begin(), items.end(), [](const JsonValue& v) {
        return v.is(JsonValue::Kind::object);
      });
  if (is_table) return columns_text(items);
  std::vector<std::string> texts;
  for (const JsonValue& v : items) texts.push_back(text_of(v));
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string object_text(const std::vector<JsonMember>& members) {
  std::vector<std::string> texts;
  for (const JsonMember& m : members) texts.push_back(json_quoted(m.name) + ":" + text_of(m.value));
  return fmt::format("{{{}}}", fmt::join(texts, ","));
}

std::string text_of(const JsonValue& v) {
  switch (v.kind) {
    case JsonValue::Kind::boolean:
      return v.boolean ? "true" : "false";
    case JsonValue::Kind::number:
      return number_text(v.number);
    case JsonValue::Kind::string:
      return json_quoted(v.string);
    case JsonValue::Kind::array:
      return list_text(v.items);
    case JsonValue::Kind::object:
      return object_text(v.members);
    case JsonValue::Kind::null:
      break;
  }
  return "null";
}

}  // namespace

std::string packed(std::string json) {
  return json.size() < kLarge ? std::move(json) : text_of(read_json(json));
}

}  // namespace onnxc
