// Kernel calls as typed structs: the contracts of compiler/kernels/*_calls.hpp with symbolic
// dimensions, written to a Step and read back from it.
//
// A contract K<N, A> names its kernel and has up to three members: `tile` (template arguments),
// `shape` (the shape struct, dimensions of type N) and `operands` (arguments of type A). A struct
// in one of them is expanded in place. These kernels are divisible. No pass depends on the name of
// a kernel, the members of a shape, or the position of an argument.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "compiler/ir/program.hpp"
#include "compiler/kernels/shape_struct.hpp"
#include "compiler/support/aggregate.hpp"

namespace onnxc {

template <>
struct ListType<Dim> {
  using type = Shape;
};

namespace kernel_call {

template <class T>
concept Listed = requires {
  typename T::Members;
};

// A struct whose members are parameters or operands, not one itself.
template <class T>
inline constexpr bool is_group = std::is_aggregate_v<T> && !std::is_same_v<T, Arg>;

// Calls f(member, name) for the members in order, those of a struct in its place. f gets the name
// as a function, as most callers do not need it.
template <class S, class F>
void each_member(S& s, F&& f) {
  const auto visit = [&](auto& member, auto name) {
    if constexpr (is_group<std::remove_cvref_t<decltype(member)>>)
      each_member(member, f);
    else
      f(member, name);
  };
  if constexpr (Listed<std::remove_const_t<S>>) [&]<auto... Members>(MemberList<Members...>) {
      (visit(s.*Members, [] { return aggregate::name_of<Members>(); }), ...);
    }
  (typename S::Members{});
  else each_own_member(s, visit);
}

// Writing and reading one member.
std::vector<Param> params_of(const auto& shape) {
  std::vector<Param> params;
  each_member(shape, [&](const auto& member, auto name) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, Shape>) {
      Shape list = member;
      if (list.empty()) list.emplace_back(1);  // C++ has no arrays without elements
      params.push_back({name(), std::move(list)});
    } else
      params.push_back({name(), member});
  });
  return params;
}

void read_params(const std::vector<Param>& params, auto& shape) {
  std::size_t i = 0;
  each_member(shape, [&](auto& member, auto) {
    member = std::get<std::remove_reference_t<decltype(member)>>(params.at(i++).value);
  });
}

inline void add_operand(std::vector<Arg>& args, const Arg& arg) { args.push_back(arg); }
inline void add_operand(std::vector<Arg>& args, const std::optional<Arg>& arg) {
  if (arg) args.push_back(*arg);
}

// A group with a `type` is one argument of the kernel: a struct of that name.
template <class Group>
void add_operands(Step& step, const Group& group) {
  constexpr bool is_argument = requires { Group::type; };
  const std::size_t at = step.arg_structs.size();
  if constexpr (is_argument) step.arg_structs.push_back({Group::type, step.args.size(), 0});
  each_own_member(group, [&](const auto& member, auto) {
    if constexpr (is_group<std::remove_cvref_t<decltype(member)>>)
      add_operands(step, member);
    else
      add_operand(step.args, member);
  });
  if constexpr (is_argument) step.arg_structs[at].end = step.args.size();
}

inline void get_operand(const std::vector<Arg>& args, std::size_t i, Arg& arg) { arg = args.at(i); }
inline void get_operand(const std::vector<Arg>& args, std::size_t i, std::optional<Arg>& arg) {
  if (i < args.size()) arg = args[i];
}

}  // namespace kernel_call

// Makes a step call the kernel; its name, notes and work are unchanged.
template <template <class, class> class K>
void set_call(Step& step, const K<Dim, Arg>& call) {
  using namespace kernel_call;
  step.kernel = call.kernel;
  step.divisible = true;
  if constexpr (requires { call.tile; })
    each_member(call.tile,
                [&](int value, auto) { step.template_args.push_back(std::to_string(value)); });
  if constexpr (requires { call.shape; }) step.params = params_of(call.shape);
  add_operands(step, call.operands);
}

// The call of a step; nullopt if it calls another kernel.
template <template <class, class> class K>
std::optional<K<Dim, Arg>> as(const Step& step) {
  using namespace kernel_call;
  K<Dim, Arg> call{};
  if (step.kind != Step::Kind::call || step.kernel != call.kernel) return std::nullopt;
  std::size_t i = 0;
  if constexpr (requires { call.tile; })
    each_member(call.tile,
                [&](int& value, auto) { value = std::stoi(step.template_args.at(i++)); });
  if constexpr (requires { call.shape; }) read_params(step.params, call.shape);
  i = 0;
  each_member(call.operands, [&](auto& arg, auto) { get_operand(step.args, i++, arg); });
  return call;
}

// Whether all dimensions of a shape are known.
bool is_static(const auto& shape) {
  bool fixed = true;
  kernel_call::each_member(shape, [&](const auto& member, auto) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, Dim>)
      fixed = fixed && member.is_const();
  });
  return fixed;
}

// A shape with known dimensions as integers, the form that kernels take.
template <template <class> class S>
S<std::int64_t> numbers(const S<Dim>& shape) {
  S<std::int64_t> result{};
  std::vector<Param> params = kernel_call::params_of(shape);
  std::size_t i = 0;
  kernel_call::each_member(result, [&](auto& member, auto) {
    const auto& value = params[i++].value;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, std::int64_t>)
      member = std::get<Dim>(value).value();
    else
      member = std::get<std::remove_cvref_t<decltype(member)>>(value);
  });
  return result;
}

// The buffer of an argument, or -1.
inline BufferId buffer_of(const Arg& arg) {
  const auto* b = std::get_if<BufferArg>(&arg.value);
  return b ? b->buffer : -1;
}

}  // namespace onnxc
