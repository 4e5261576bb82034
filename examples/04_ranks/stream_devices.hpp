// stream_devices.hpp - the other devices of a model, connected by byte streams such as pipes or
// UARTs. A message is a frame: mark, tag, size, the bytes, a checksum.
#pragma once

#include <cstddef>
#include <cstdint>

// One end of the streams to the other devices. `write` and `read` move all of the bytes, or return
// false: the other end is gone, or too much time has passed.
struct StreamLink {
  bool (*write)(StreamLink& link, int device, const void* data, std::size_t bytes);
  bool (*read)(StreamLink& link, int device, void* data, std::size_t bytes);
  void* streams;
  std::size_t bytes_sent = 0, messages = 0;  // without frames
};

struct Frame {
  std::uint32_t mark, tag, size, checksum;
};
constexpr std::uint32_t kFrameMark = 0x6f6e7863;

// FNV-1a.
inline std::uint32_t checksum_of(const void* data, std::size_t bytes) {
  std::uint32_t hash = 2166136261u;
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 16777619u;
  return hash;
}

inline int stream_send(void* context, int device, std::uint32_t tag, const void* data,
                       std::size_t bytes) {
  StreamLink& link = *static_cast<StreamLink*>(context);
  const Frame frame = {kFrameMark, tag, static_cast<std::uint32_t>(bytes),
                       checksum_of(data, bytes)};
  link.bytes_sent += bytes;
  ++link.messages;
  return link.write(link, device, &frame, sizeof frame) && link.write(link, device, data, bytes)
             ? 0
             : 1;
}

inline int stream_receive(void* context, int device, std::uint32_t tag, void* data,
                          std::size_t bytes) {
  StreamLink& link = *static_cast<StreamLink*>(context);
  Frame frame;
  const bool good = link.read(link, device, &frame, sizeof frame) && frame.mark == kFrameMark &&
                    frame.tag == tag && frame.size == bytes &&
                    link.read(link, device, data, bytes) &&
                    frame.checksum == checksum_of(data, bytes);
  return good ? 0 : 1;
}

template <class Devices>
Devices stream_devices(StreamLink& link) {
  return {stream_send, stream_receive, nullptr, &link};
}
