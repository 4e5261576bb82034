// What libc++ lacks before release 15: algorithms of ranges, std::bit_cast, std::from_chars of
// floats. Read before every file of a build that has such a library, and only there. It holds the
// forms that the compiler uses, no more.
#pragma once

#include <cstddef>

#if defined _LIBCPP_VERSION && _LIBCPP_VERSION < 15000

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <type_traits>

namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, from);
}

// The standard's one takes neither blanks, `+` nor 0x; strtod does.
template <class T, enable_if_t<is_floating_point_v<T>, int> = 0>
from_chars_result from_chars(const char* first, const char* last, T& value) {
  const char* digits = first + (first != last && *first == '-');
  if (digits == last || *digits == '+' || *digits == '-' || *digits <= ' ')
    return {first, errc::invalid_argument};
  const char* stop = digits;
  if (last - digits > 1 && digits[0] == '0' && (digits[1] | 0x20) == 'x')
    stop = digits + 1;
  else
    stop = last;
  const string text(first, stop);
  char* end = nullptr;
  const int before = errno;
  errno = 0;
  const T v = is_same_v<T, float> ? static_cast<T>(strtof(text.c_str(), &end))
                                  : static_cast<T>(strtod(text.c_str(), &end));
  const bool range = errno == ERANGE && (v == 0 || v > 1 || v < -1);
  errno = before;
  if (end == text.c_str()) return {first, errc::invalid_argument};
  const char* rest = first + (end - text.c_str());
  if (range) return {rest, errc::result_out_of_range};
  value = v;
  return {rest, errc{}};
}

namespace ranges {

struct same_value {
  template <class T>
  constexpr T&& operator()(T&& v) const noexcept {
    return static_cast<T&&>(v);
  }
};

template <class R, class T, class P = same_value>
constexpr auto find(R&& range, const T& value, P projection = {}) {
  auto at = std::begin(range);
  while (at != std::end(range) && !(std::invoke(projection, *at) == value)) ++at;
  return at;
}

template <class R, class F>
constexpr auto find_if(R&& range, F test) {
  return std::find_if(std::begin(range), std::end(range), test);
}

template <class R, class F>
constexpr bool any_of(R&& range, F test) {
  return std::any_of(std::begin(range), std::end(range), test);
}

template <class R, class F>
constexpr bool all_of(R&& range, F test) {
  return std::all_of(std::begin(range), std::end(range), test);
}

template <class A, class B>
constexpr bool equal(const A& a, const B& b) {
  return std::equal(std::begin(a), std::end(a), std::begin(b), std::end(b));
}

struct ascending {
  template <class A, class B>
  constexpr bool operator()(const A& a, const B& b) const {
    return a < b;
  }
};

template <class R, class T, class C = ascending, class P = same_value>
constexpr auto lower_bound(R&& range, const T& value, C before = {}, P projection = {}) {
  return std::lower_bound(
      std::begin(range), std::end(range), value,
      [&](const auto& a, const T& b) { return before(std::invoke(projection, a), b); });
}

template <class R, class T>
constexpr bool binary_search(const R& range, const T& value) {
  const auto at = ranges::lower_bound(range, value);
  return at != std::end(range) && !(value < *at);
}

template <class R, class C = ascending, class P = same_value>
void stable_sort(R&& range, C before = {}, P projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return before(std::invoke(projection, a), std::invoke(projection, b));
  });
}

template <class R, class C = ascending, class P = same_value>
constexpr auto min_element(R&& range, C before = {}, P projection = {}) {
  return std::min_element(std::begin(range), std::end(range), [&](const auto& a, const auto& b) {
    return before(std::invoke(projection, a), std::invoke(projection, b));
  });
}

}  // namespace ranges
}  // namespace std

#endif
