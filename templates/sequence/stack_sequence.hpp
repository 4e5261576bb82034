// stack_sequence.hpp - the tensors of a sequence along a new first axis, whatever their rank.
#pragma once

#include <algorithm>

#include "runtime_min/value.hpp"

namespace onnxc {

// y: the tensors of x, all of one shape, along a new first axis.
inline Status stack_sequence(const Value& x, Value& y) {
  if (x.size() == 0) return Status::bad_value;
  const Value first = x.at(0);
  if (!first.exists() || first.is_list()) return Status::bad_value;
  const Index rank = first.rank();
  auto* const dims = static_cast<Extent*>(x.heap().allocate(Extent(rank + 1) * sizeof(Extent)));
  if (dims == nullptr) return Status::out_of_memory;
  dims[0] = x.size();
  for (Index k = 0; k < rank; ++k) dims[k + 1] = first.dim(k);
  auto* to = static_cast<unsigned char*>(y.make_tensor(rank + 1, dims, first.width()));
  x.heap().release(dims);
  if (to == nullptr) return Status::out_of_memory;
  const Index bytes = static_cast<Index>(first.size()) * first.width();
  for (std::int64_t i = 0; i < x.size(); ++i, to += bytes) {
    const Value member = x.at(i);
    if (!member.exists() || member.is_list() || member.rank() != rank) return Status::bad_shape;
    if (!std::equal(member.dims(), member.dims() + rank, first.dims())) return Status::bad_shape;
    std::copy(member.data<unsigned char>(), member.data<unsigned char>() + bytes, to);
  }
  return Status::ok;
}

}  // namespace onnxc
