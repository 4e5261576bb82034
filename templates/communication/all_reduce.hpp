// all_reduce.hpp - the sum, product, maximum or minimum of the tensors of several devices.
#pragma once

#include "runtime_min/chunk.hpp"
#include "runtime_min/half.hpp"
#include "templates/communication/message.hpp"

namespace onnxc {

// 0: sum, 1: product, 2: maximum, 3: minimum. NaN wins, as in the operators.
template <int operation, class T>
T reduce_pair(T a, T b) {
  using C = compute_t<T>;
  const C x = static_cast<C>(a), y = static_cast<C>(b);
  if constexpr (operation == 0) return static_cast<T>(x + y);
  if constexpr (operation == 1) return static_cast<T>(x * y);
  if constexpr (operation == 2) return y > x || y != y ? b : a;
  return y < x || y != y ? b : a;
}

// Sends `mine` to the device and receives `theirs` from it. The lower one sends first, so that the
// two never wait for each other.
template <class Devices, class T>
Status exchange_pair(const Devices* devices, Index self, Index other, Index tag, const T* mine,
                     Index sent, T* theirs, Index received) {
  for (const bool sends : {self<other, self> other}) {
    const Index count = sends ? sent : received;
    if (count == 0) continue;
    const Status s = sends ? send_to(devices, other, tag, mine, sent)
                           : receive_from(devices, other, tag, theirs, received);
    if (s != Status::ok) return s;
  }
  return Status::ok;
}

// Every device reduces a chunk of the elements, in the order of the group, so that each run gives
// the same bits; then all get all chunks. In round r the devices at places i and r - i exchange
// messages.
//
// x, y: [count], may be the same. others: [group, ceil(count / group)]: the chunk as each device
// has it.  s: count, operation (as in reduce_pair), type (ONNX's number of the element type), group
// (device numbers, in rising order), place (of this device in the group), tag.
template <int kGroup, class S, class Devices, class T>
Status all_reduce(S s, const Devices* devices, const T* x, T* y, T* others) {
  constexpr int operation = static_cast<int>(S::operation);
  if (devices->all_reduce != nullptr) {
    int group[static_cast<std::size_t>(kGroup)];
    for (Index i = 0; i < kGroup; ++i) group[i] = static_cast<int>(s.group[i]);
    for (Index i = 0; i < s.count; ++i) y[i] = x[i];
    const int failed =
        devices->all_reduce(devices->context, group, kGroup, static_cast<std::uint32_t>(s.tag), y,
                            static_cast<std::size_t>(s.count), static_cast<int>(s.type), operation);
    return failed == 0 ? Status::ok : Status::device_failed;
  }
  const Index stride = (s.count + kGroup - 1) / kGroup, self = s.group[s.place];
  const Span own = share(s.place, kGroup, s.count);
  const auto partner = [&](Index round) { return (round - s.place + kGroup) % kGroup; };
  for (Index round = 0; round < kGroup; ++round) {
    const Index p = partner(round);
    if (p == s.place) continue;
    const Span theirs = share(p, kGroup, s.count);
    const Status status =
        exchange_pair(devices, self, s.group[p], s.tag, x + theirs.begin, theirs.end - theirs.begin,
                      others + p * stride, own.end - own.begin);
    if (status != Status::ok) return status;
  }
  for (Index i = own.begin; i < own.end; ++i) {
    const auto of = [&](Index p) {
      return p == s.place ? x[i] : others[p * stride + i - own.begin];
    };
    T sum = of(0);
    for (Index p = 1; p < kGroup; ++p) sum = reduce_pair<operation>(sum, of(p));
    y[i] = sum;
  }
  for (Index round = 0; round < kGroup; ++round) {
    const Index p = partner(round);
    if (p == s.place) continue;
    const Span theirs = share(p, kGroup, s.count);
    const Status status =
        exchange_pair(devices, self, s.group[p], s.tag, y + own.begin, own.end - own.begin,
                      y + theirs.begin, theirs.end - theirs.begin);
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

}  // namespace onnxc
