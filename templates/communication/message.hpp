// message.hpp - tensors from one device to another, through user callbacks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime_min/types.hpp"

namespace onnxc {

template <class Devices, class T>
Status send_to(const Devices* devices, Index device, Index tag, const T* x, Index count) {
  const int failed =
      devices->send(devices->context, static_cast<int>(device), static_cast<std::uint32_t>(tag), x,
                    static_cast<std::size_t>(count) * sizeof(T));
  return failed == 0 ? Status::ok : Status::device_failed;
}

template <class Devices, class T>
Status receive_from(const Devices* devices, Index device, Index tag, T* y, Index count) {
  const int failed =
      devices->receive(devices->context, static_cast<int>(device), static_cast<std::uint32_t>(tag),
                       y, static_cast<std::size_t>(count) * sizeof(T));
  return failed == 0 ? Status::ok : Status::device_failed;
}

// x: [count].  s: device (which gets it), tag (the same at both ends), count.
template <class S, class Devices, class T>
Status send(S s, const Devices* devices, const T* x) {
  return s.count == 0 ? Status::ok : send_to(devices, s.device, s.tag, x, s.count);
}

// y: [count].  s: device (which sends it), tag, count.
template <class S, class Devices, class T>
Status receive(S s, const Devices* devices, T* y) {
  return s.count == 0 ? Status::ok : receive_from(devices, s.device, s.tag, y, s.count);
}

}  // namespace onnxc
