// member_list.hpp - how the compiler reads the structs in which kernels state what they are given.
//
// A kernel's contract is the header <kernel>_call.hpp beside it: the struct of its shape, read as
// `s.in_c` by the kernel, and a struct of the whole call: template arguments, shape, operands. Both
// name their members once, in order, as a MemberList. Generated code has structs of constants
// instead, so that these headers are no part of it.
#pragma once

namespace onnxc {

template <auto... Members>
struct MemberList {};

template <class... Lists>
struct JoinLists;
template <auto... A>
struct JoinLists<MemberList<A...>> {
  using type = MemberList<A...>;
};
template <auto... A, auto... B, class... Rest>
struct JoinLists<MemberList<A...>, MemberList<B...>, Rest...>
    : JoinLists<MemberList<A..., B...>, Rest...> {};

// The members of some lists, one list after the other.
template <class... Lists>
using Joined = typename JoinLists<Lists...>::type;

// An array of extents in the number type N of a shape struct.
template <class N>
struct ListType {
  using type = const N*;
};
template <class N>
using ListOf = typename ListType<N>::type;

}  // namespace onnxc
