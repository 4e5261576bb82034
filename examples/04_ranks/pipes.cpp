// The encoder on four processes of this machine, which are joined by sockets.
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "encoder.hpp"
#include "stream_devices.hpp"

namespace {

constexpr int kMilliseconds = 10000;  // that a message may take

// sockets[a][b]: a's end of the stream between a and b.
using Sockets = int[kDevices][kDevices];

// Moves all bytes, in pieces as they can go.
template <class Byte, class Move>
bool move_all(int socket, short event, Byte* data, std::size_t bytes, Move move) {
  while (bytes > 0) {
    pollfd ready = {socket, event, 0};
    if (poll(&ready, 1, kMilliseconds) != 1) return false;
    const ssize_t moved = move(socket, data, bytes);
    if (moved <= 0) return false;
    data += moved;
    bytes -= static_cast<std::size_t>(moved);
  }
  return true;
}

bool write_all(StreamLink& link, int device, const void* data, std::size_t bytes) {
  return move_all(static_cast<const int*>(link.streams)[device], POLLOUT,
                  static_cast<const char*>(data), bytes,
                  [](int s, const char* p, std::size_t n) { return send(s, p, n, MSG_NOSIGNAL); });
}

bool read_all(StreamLink& link, int device, void* data, std::size_t bytes) {
  return move_all(static_cast<const int*>(link.streams)[device], POLLIN, static_cast<char*>(data),
                  bytes, [](int s, char* p, std::size_t n) { return recv(s, p, n, 0); });
}

// Each device keeps its own ends.
void keep_own(Sockets& sockets, int device) {
  for (int a = 0; a < kDevices; ++a)
    for (int b = 0; b < kDevices; ++b)
      if (a != b && a != device) close(sockets[a][b]);
}

int run_device(Sockets& sockets, int device) {
  keep_own(sockets, device);
  StreamLink link = {write_all, read_all, sockets[device]};
  const Tensor x = example_input();
  Tensor y(ENCODER_OUTPUT_Y_SIZE);
  const int status = encoder_part(
      device, x, y, [&](auto devices) { return stream_devices<decltype(devices)>(link); });
  if (status != 0) {
    std::fprintf(stderr, "device %d: status %d\n", device, status);
    return 1;
  }
  return device != 0 || report(x, y, link.bytes_sent, link.messages) ? 0 : 1;
}

}  // namespace

int main() {
  Sockets sockets;
  for (int a = 0; a < kDevices; ++a)
    for (int b = a + 1; b < kDevices; ++b) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
      sockets[a][b] = ends[0];
      sockets[b][a] = ends[1];
    }
  for (int device = 1; device < kDevices; ++device)
    if (fork() == 0) _exit(run_device(sockets, device));
  int failed = run_device(sockets, 0);
  for (int device = 1; device < kDevices; ++device) {
    int status = 0;
    wait(&status);
    failed |= status != 0;
  }
  return failed;
}
