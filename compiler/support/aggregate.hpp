// Members of a plain struct, one after the other and with their names, without a list of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace onnxc {
namespace aggregate {

// Stands for a value of any type where members are counted; never evaluated.
struct Anything {
  template <class T>
  operator T() const;
};

template <class S, class... Given>
consteval std::size_t member_count() {
  if constexpr (requires { S{Given{}..., Anything{}}; })
    return member_count<S, Given..., Anything>();
  else
    return sizeof...(Given);
}

// References to the members. Structured bindings need the number of names in the source.
template <class S>
constexpr auto members_of(S& s) {
  constexpr std::size_t count = member_count<std::remove_const_t<S>>();
  static_assert(count >= 1 && count <= 16, "no names for so many members");
  if constexpr (count == 1) {
    auto& [a] = s;
    return std::tie(a);
  } else if constexpr (count == 2) {
    auto& [a, b] = s;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = s;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = s;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = s;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = s;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = s;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = s;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = s;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (count == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (count == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (count == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (count == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = s;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  }
}

// Never defined: its members have addresses that are constants.
template <class S>
extern const S sample;

// clang takes the address of a member as a template argument only within a struct.
template <class T>
struct Address {
  T pointer;
};
template <class T>
Address(T) -> Address<T>;

// The name after the last scope or dot of "... = Address<const Dim*>{(& sample<S>.S::outer)}; ...".
template <auto Place>
std::string name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find(" = ") + 3);
  text = text.substr(0, text.find_first_of(";])}"));
  return std::string(text.substr(text.find_last_of(":.") + 1));
}

}  // namespace aggregate

#ifdef __clang__  // which misses the definition of `sample`
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif

// Calls f(member, name) for each member of a struct without bases; name() is the member's name.
template <class S, class F>
void each_own_member(S& s, F&& f) {
  using Plain = std::remove_const_t<S>;
  const auto members = aggregate::members_of(s);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::get<I>(members),
       [] {
         return aggregate::name_of<aggregate::Address{
             &std::get<I>(aggregate::members_of(aggregate::sample<const Plain>))}>();
       }),
     ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(aggregate::members_of(s))>>{});
}

#ifdef __clang__
#pragma clang diagnostic pop
#endif

}  // namespace onnxc
