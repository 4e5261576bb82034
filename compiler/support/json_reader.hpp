// Reading JSON into values.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct JsonMember;

// A value; objects keep the order of the text.
struct JsonValue {
  enum class Kind : unsigned char { null, boolean, number, string, array, object };
  Kind kind = Kind::null;
  bool boolean = false;
  double number = 0;
  std::string string;
  std::vector<JsonValue> items;     // of an array
  std::vector<JsonMember> members;  // of an object

  bool is(Kind k) const { return kind == k; }
  // Null without such a member, and for other kinds; the last of equal names counts.
  const JsonValue* find(std::string_view name) const;
};
struct JsonMember {
  std::string name;
  JsonValue value;
};

// Throws JsonError, which names the line.
JsonValue read_json(std::string_view text);

}  // namespace onnxc
