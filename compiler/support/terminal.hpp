// Printing for people: all text to a terminal goes through here.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace onnxc::terminal {

// One line without control bytes. Control bytes, malformed UTF-8 and characters that change the
// direction or the line of text appear as \xNN. Other UTF-8 is unchanged.
std::string text(std::string_view raw);

// The form in which print() shows an argument: text is escaped, numbers are unchanged.
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

// Control bytes of the format itself are printed, those of the arguments are escaped.
template <class... A>
void print(std::FILE* out, fmt::format_string<Shown<A>...> format, const A&... args) {
  fmt::vprint(out, format, fmt::make_format_args(static_cast<const Shown<A>&>(shown(args))...));
}

// "1 case", "2 cases".
std::string counted(std::size_t n, std::string_view noun);

// How a part of a message looks; only on a terminal, and not where NO_COLOR is set or TERM is dumb.
enum class Tone { plain, error, warning, note };
// For all that follows.
void set_tone(std::FILE* out, Tone tone);

// A text of several lines that onnxc composed itself: help, a JSON document.
void print_document(std::FILE* out, const std::string& document);

// The last line of a terminal on stderr; nothing where stderr is none.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text) const;
  // The same, followed by the seconds since then.
  void show_with_time(const std::string& text) const;
  // Before anything else is printed.
  void clear() const;

 private:
  class Clock;

  bool terminal_;
  mutable bool shown_ = false;
  mutable std::unique_ptr<Clock> clock_;
};

}  // namespace onnxc::terminal
