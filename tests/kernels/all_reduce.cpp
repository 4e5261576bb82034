// all_reduce.cpp - devices as threads: sums in the order of the devices, for any number of them and
// of elements, over functions that wait for each other.
#include "templates/communication/all_reduce.hpp"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "templates/communication/meet.hpp"

using namespace onnxc;

namespace {

constexpr int kMax = 4;

// A message waits until it has been taken, so that a wrong order would never end.
struct Mailbox {
  std::mutex mutex;
  std::condition_variable changed;
  const void* data = nullptr;
  std::size_t bytes = 0;
  std::uint32_t tag = 0;
};

struct Link {
  Mailbox (*boxes)[kMax];
  int own = 0;
};

int send(void* context, int device, std::uint32_t tag, const void* data, std::size_t bytes) {
  const Link& link = *static_cast<Link*>(context);
  Mailbox& box = link.boxes[link.own][device];
  std::unique_lock lock(box.mutex);
  box.data = data, box.bytes = bytes, box.tag = tag;
  box.changed.notify_all();
  box.changed.wait(lock, [&] { return box.data == nullptr; });
  return 0;
}

int receive(void* context, int device, std::uint32_t tag, void* data, std::size_t bytes) {
  const Link& link = *static_cast<Link*>(context);
  Mailbox& box = link.boxes[device][link.own];
  std::unique_lock lock(box.mutex);
  box.changed.wait(lock, [&] { return box.data != nullptr; });
  const bool good = box.bytes == bytes && box.tag == tag;
  if (good) std::memcpy(data, box.data, bytes);
  box.data = nullptr;
  box.changed.notify_all();
  return good ? 0 : 1;
}

struct Devices {
  int (*send)(void*, int, std::uint32_t, const void*, std::size_t) = ::send;
  int (*receive)(void*, int, std::uint32_t, void*, std::size_t) = ::receive;
  int (*all_reduce)(void*, const int*, int, std::uint32_t, void*, std::size_t, int, int) = nullptr;
  void* context = nullptr;
};

template <int kOperation>
struct Shape {
  static constexpr Index operation = kOperation, type = 1, tag = 7;
  Index count, place;
  const Index* group;
};

// What each device has: values whose sum depends on the order.
float element(int device, Index i) {
  return static_cast<float>(1 + device * 3 + i % 5) * (device == 1 ? 1e-7f : 1.0f);
}

template <int kGroup, int kOperation, class Combine>
void check(Index count, Combine combine) {
  static constexpr Index group[kMax] = {0, 1, 2, 3};
  Mailbox boxes[kMax][kMax];
  std::vector<std::vector<float>> results(kGroup);
  std::vector<std::thread> threads;
  for (int d = 0; d < kGroup; ++d)
    threads.emplace_back([&, d] {
      Link link = {boxes, d};
      Devices devices;
      devices.context = &link;
      std::vector<float> x, others(static_cast<std::size_t>(count + kGroup * kGroup));
      for (Index i = 0; i < count; ++i) x.push_back(element(d, i));
      const Shape<kOperation> s = {count, d, group};
      const Status status = all_reduce<kGroup>(s, &devices, x.data(), x.data(), others.data());
      if (status == Status::ok) results[static_cast<std::size_t>(d)] = x;
    });
  for (std::thread& t : threads) t.join();
  std::vector<float> want;
  for (Index i = 0; i < count; ++i) {
    float value = element(0, i);
    for (int d = 1; d < kGroup; ++d) value = combine(value, element(d, i));
    want.push_back(value);
  }
  for (const auto& result : results) CHECK(result == want);
}

}  // namespace

TEST_CASE("all_reduce adds in the order of the devices") {
  const auto add = [](float a, float b) { return a + b; };
  for (const Index count : {1, 2, 5, 64, 1001}) {
    INFO(count << " elements");
    check<2, 0>(count, add);
    check<3, 0>(count, add);
    check<4, 0>(count, add);
  }
}

TEST_CASE("all_reduce: products and extrema") {
  check<3, 1>(10, [](float a, float b) { return a * b; });
  check<3, 2>(10, [](float a, float b) { return b > a ? b : a; });
  check<3, 3>(10, [](float a, float b) { return b < a ? b : a; });
}

TEST_CASE("meet finds another plan") {
  Mailbox boxes[kMax][kMax];
  Status found[2] = {};
  const auto device = [&](int own, std::uint64_t plan) {
    Link link = {boxes, own};
    Devices devices;
    devices.context = &link;
    const int peers[] = {1 - own};
    found[own] = meet(&devices, own, peers, plan);
  };
  for (const std::uint64_t other : {5u, 6u}) {
    std::thread second(device, 1, other);
    device(0, 5);
    second.join();
    const Status want = other == 5 ? Status::ok : Status::device_failed;
    CHECK(found[0] == want);
    CHECK(found[1] == want);
  }
}
