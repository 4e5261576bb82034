// Writing JSON: indented, keys in the order given, every string escaped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace onnxc {

class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::size_t number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(double number);  // shortest text that reads back the same; null unless finite
  JsonWriter& value(bool flag);
  JsonWriter& null();

  template <class T>
  JsonWriter& field(std::string_view name, T content) {
    return key(name).value(content);
  }

  // The document, with a line feed at the end.
  std::string take();

 private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  JsonWriter& raw(std::string_view text);

  std::string out_;
  std::size_t depth_ = 0;
  bool first_ = true;  // no item yet in the innermost object or array
  bool after_key_ = false;
};

// The text between quotes, in printable ASCII; bytes that are not UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace onnxc
