// Printing for people: the only way for text to a terminal.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>

namespace onnxc::terminal {

// One line without control bytes: they, malformed UTF-8 and characters that change the direction or
// the line of text appear as \xNN. Other UTF-8 stays as it is.
std::string text(std::string_view raw);

// What print() shows of an argument: text made harmless, numbers as they are.
template <class T>
auto shown(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return text(value);
  else if constexpr (std::is_convertible_v<const T&, const std::string&>)
    return text(static_cast<const std::string&>(value));
  else {
    static_assert(std::is_arithmetic_v<T>, "text has to pass through terminal::text");
    return value;
  }
}
template <class T>
using Shown = decltype(shown(std::declval<const T&>()));

// Control bytes of the format itself pass, those of the arguments do not.
template <class... A>
void print(std::FILE* out, fmt::format_string<Shown<A>...> format, const A&... args) {
  fmt::vprint(out, format, fmt::make_format_args(static_cast<const Shown<A>&>(shown(args))...));
}

// A text of several lines that onnxc composed itself: help, a JSON document.
void print_document(std::FILE* out, const std::string& document);

}  // namespace onnxc::terminal
