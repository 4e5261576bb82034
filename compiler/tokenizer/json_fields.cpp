// Access to the members of tokenizer.json.
#include "compiler/tokenizer/json_fields.hpp"

#include <cmath>

namespace onnxc::ops {

JsonValue read_document(std::string_view json) {
  try {
    JsonValue document = read_json(json);
    if (document.is(JsonValue::Kind::object)) return document;
  } catch (const JsonError& e) {
    throw TokenizerError("JSON", e.what());
  }
  throw TokenizerError("JSON", "is no object");
}

TokenizerField TokenizerField::operator[](std::string_view name) const {
  const std::string place = where_.empty() ? std::string(name) : where_ + "." + std::string(name);
  return {value_ ? value_->find(name) : nullptr, place};
}

const JsonValue& TokenizerField::of(JsonValue::Kind kind, const char* name) const {
  if (!value_) fail("is missing");
  if (!value_->is(kind)) fail(std::string("is no ") + name);
  return *value_;
}

std::string TokenizerField::text() const { return of(JsonValue::Kind::string, "string").string; }
bool TokenizerField::flag() const { return of(JsonValue::Kind::boolean, "truth value").boolean; }
double TokenizerField::number() const { return of(JsonValue::Kind::number, "number").number; }

std::int64_t TokenizerField::integer() const {
  const double value = number();
  if (value != std::floor(value) || std::abs(value) > 1e9) fail("is no number of this kind");
  return static_cast<std::int64_t>(value);
}

std::int32_t TokenizerField::piece() const {
  constexpr std::int64_t kMaxPieces = 1 << 22;
  const std::int64_t value = integer();
  if (value < 0 || value >= kMaxPieces) fail("is no number of a piece");
  return static_cast<std::int32_t>(value);
}

void TokenizerField::each(const std::function<void(const TokenizerField&)>& f) const {
  std::size_t i = 0;
  for (const JsonValue& item : of(JsonValue::Kind::array, "list").items)
    f({&item, where_ + "[" + std::to_string(i++) + "]"});
}

}  // namespace onnxc::ops
