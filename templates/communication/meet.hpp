// meet.hpp - the handshake of devices before the first call.
#pragma once

#include "templates/communication/all_reduce.hpp"

namespace onnxc {

// Whether all `peers` of the device `self` have the same plan.
template <class Devices, std::size_t kPeers>
Status meet(const Devices* devices, int self, const int (&peers)[kPeers], std::uint64_t plan) {
  if (devices == nullptr) return Status::bad_argument;
  bool same = true;
  for (const int peer : peers) {
    std::uint64_t theirs = 0;
    const Status s = exchange_pair(devices, self, peer, 0, &plan, 1, &theirs, 1);
    if (s != Status::ok) return s;
    same = same && theirs == plan;
  }
  return same ? Status::ok : Status::device_failed;
}

}  // namespace onnxc
