// shape_struct.hpp - how the compiler reads the structs in which kernels state what they are given.
//
// The contracts of a folder's kernels are in <folder>_calls.hpp: the struct of a kernel's shape,
// read as `s.in_c` by the kernel, and, where passes read calls, a struct of the whole call:
// template arguments, shape, operands. The compiler finds the members by itself; structs with bases
// and those of more than sixteen members list them as a MemberList. A member that is a struct
// stands for its members. Generated code has structs of constants instead, so that these headers
// are no part of it.
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

// Kernels that go over `count` elements.
template <class N>
struct CountShape {
  N count;
};

// map and einsum: dimensions, and the strides of all operands, one operand after the other.
template <class N>
struct BroadcastShape {
  ListOf<N> dims, strides;
};

// map of one operand.
template <class N, class A>
struct UnaryMap {
  static constexpr const char* kernel = "map";
  static constexpr const char* line_buffered = "map_line_buffered";
  struct Operands {
    A f, y, x;
  };
  BroadcastShape<N> shape;
  Operands operands;
};

}  // namespace onnxc
