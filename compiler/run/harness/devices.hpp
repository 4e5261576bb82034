// devices.hpp - the programs of several devices as threads of one, which reach each other through
// queues.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "memory.hpp"
#include "unit.hpp"

namespace harness {

class Links {
 public:
  explicit Links(std::size_t devices) : devices_(devices), queues_(devices * devices) {}

  bool send(std::size_t from, std::size_t to, std::uint32_t tag, const void* data,
            std::size_t bytes) {
    const auto* const begin = static_cast<const char*>(data);
    const std::lock_guard lock(mutex_);
    if (to >= devices_ || broken_) return false;
    queues_[from * devices_ + to].push_back({tag, {begin, begin + bytes}});
    arrived_.notify_all();
    return true;
  }

  // False for a message of another tag or size, or none in time.
  bool receive(std::size_t from, std::size_t to, std::uint32_t tag, void* data, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    if (from >= devices_) return false;
    auto& queue = queues_[from * devices_ + to];
    const bool there = arrived_.wait_for(lock, std::chrono::seconds(60),
                                         [&] { return broken_ || !queue.empty(); });
    if (!there || queue.empty()) return false;
    const Message message = std::move(queue.front());
    queue.pop_front();
    if (message.tag != tag || message.bytes.size() != bytes) return false;
    if (bytes > 0) std::memcpy(data, message.bytes.data(), bytes);
    return true;
  }

  // A device has failed: none waits for it any longer.
  void end() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    arrived_.notify_all();
  }

 private:
  struct Message {
    std::uint32_t tag;
    std::vector<char> bytes;
  };

  std::size_t devices_;
  std::vector<std::deque<Message>> queues_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  bool broken_ = false;
};

// The device whose program the thread runs.
struct Device {
  Links* links = nullptr;
  std::size_t number = 0;
};
inline thread_local Device own_device;

inline int send(void*, int device, std::uint32_t tag, const void* data, std::size_t bytes) {
  const Device& own = own_device;
  return own.links->send(own.number, static_cast<std::size_t>(device), tag, data, bytes) ? 0 : 1;
}
inline int receive(void*, int device, std::uint32_t tag, void* data, std::size_t bytes) {
  const Device& own = own_device;
  return own.links->receive(static_cast<std::size_t>(device), own.number, tag, data, bytes) ? 0 : 1;
}

// A device's program, and which ports of the whole model it has.
struct Part {
  const onnxc_unit* unit;
  const std::size_t* inputs;
  const std::size_t* outputs;
};

constexpr int kDeviceFailed = 10, kDevicesDisagree = 99;

// One run of all devices. The first that gives an output writes it; what others give must be equal.
class Team {
 public:
  Team(const Part* parts, std::size_t count, const onnxc_value* in, onnxc_value* out,
       std::size_t outputs)
      : parts_(parts), in_(in), out_(out), links_(count), runs_(count) {
    std::vector<bool> given(outputs, false);
    for (std::size_t d = 0; d < count; ++d) prepare(parts[d], runs_[d], given);
  }

  int run() {
    std::vector<std::thread> threads;
    for (std::size_t d = 0; d < runs_.size(); ++d)
      threads.emplace_back([this, d] {
        own_device = {&links_, d};
        Run& r = runs_[d];
        r.status = parts_[d].unit->run(r.in.data(), r.out.data(), r.arena.get());
        if (r.status != 0) links_.end();
      });
    for (std::thread& t : threads) t.join();
    int status = 0;
    for (std::size_t d = 0; d < runs_.size(); ++d) {
      const int s = finish(parts_[d], runs_[d]);
      if (s != 0 && (status == 0 || status == kDeviceFailed)) status = s;
    }
    return status;
  }

 private:
  struct Run {
    std::vector<onnxc_value> in, out;
    std::vector<std::vector<std::int64_t>> dims;  // of copies
    std::vector<std::vector<char>> copies;
    std::vector<bool> copied;
    Memory arena;
    int status = 0;
  };

  void prepare(const Part& part, Run& r, std::vector<bool>& given) {
    r.arena = allocate_arena(*part.unit);
    for (std::size_t i = 0; i < part.unit->inputs; ++i) r.in.push_back(in_[part.inputs[i]]);
    r.dims.resize(part.unit->outputs);
    r.copies.resize(part.unit->outputs);
    for (std::size_t i = 0; i < part.unit->outputs; ++i) {
      onnxc_value v = out_[part.outputs[i]];
      r.copied.push_back(given[part.outputs[i]]);
      if (r.copied[i]) {
        r.dims[i].assign(v.dims, v.dims + v.rank);
        r.copies[i].resize(v.bytes);
        v.dims = r.dims[i].data();
        v.data = r.copies[i].data();
      }
      given[part.outputs[i]] = true;
      r.out.push_back(v);
    }
  }

  int finish(const Part& part, Run& r) {
    r.arena.reset();
    for (std::size_t i = 0; i < part.unit->outputs; ++i) {
      onnxc_value& v = out_[part.outputs[i]];
      if (!r.copied[i])
        v = r.out[i];
      else if (r.status == onnxc_too_small)
        v.count = std::max(v.count, r.out[i].count);
      else if (r.status == 0 && v.kind == onnxc_value::tensor &&
               (r.out[i].bytes != v.bytes || std::memcmp(v.data, r.out[i].data, v.bytes) != 0))
        return kDevicesDisagree;
    }
    return r.status;
  }

  const Part* parts_;
  const onnxc_value* in_;
  onnxc_value* out_;
  Links links_;
  std::vector<Run> runs_;
};

}  // namespace harness
