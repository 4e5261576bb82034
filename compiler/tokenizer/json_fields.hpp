// Members of tokenizer.json with their places, for messages.
#pragma once

#include <functional>
#include <string>

#include "compiler/support/json_reader.hpp"
#include "compiler/tokenizer/tokenizer.hpp"

namespace onnxc::ops {

// Throws TokenizerError for what is no JSON object.
JsonValue read_document(std::string_view json);

class TokenizerField {
 public:
  TokenizerField(const JsonValue* value, std::string where)
      : value_(value), where_(std::move(where)) {}

  const std::string& where() const { return where_; }
  [[noreturn]] void fail(const std::string& what) const { throw TokenizerError(where_, what); }
  bool given() const { return value_ && !value_->is(JsonValue::Kind::null); }
  TokenizerField operator[](std::string_view name) const;

  const JsonValue& of(JsonValue::Kind kind, const char* name) const;
  std::string text() const;
  bool flag() const;
  std::int64_t integer() const;
  std::int32_t piece() const;  // a number of a piece
  double number() const;
  std::string text_or(std::string fallback) const { return given() ? text() : fallback; }
  bool flag_or(bool fallback) const { return given() ? flag() : fallback; }
  std::int64_t integer_or(std::int64_t fallback) const { return given() ? integer() : fallback; }
  void each(const std::function<void(const TokenizerField&)>& f) const;  // of an array

 private:
  const JsonValue* value_;
  std::string where_;
};

}  // namespace onnxc::ops
