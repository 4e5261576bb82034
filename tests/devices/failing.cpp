// Four processes run the encoder of examples/04_ranks; device 2 fails in the way that the argument
// names. Ends with 0 if all others end with an error status in time.
// usage: failing killed|cut|garbled|silent|plan
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>

#include "encoder.hpp"
#include "stream_devices.hpp"

namespace {

constexpr int kFailing = 2;
constexpr int kDeviceFailed = 10;
std::string fault;
int writes = 0;

void limit_time(int socket) {
  const timeval seconds = {2, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &seconds, sizeof seconds);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &seconds, sizeof seconds);
}

bool write_all(StreamLink& link, int device, const void* data, std::size_t bytes) {
  const int socket = static_cast<const int*>(link.streams)[device];
  return send(socket, data, bytes, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes);
}

bool read_all(StreamLink& link, int device, void* data, std::size_t bytes) {
  const int socket = static_cast<const int*>(link.streams)[device];
  return bytes == 0 || recv(socket, data, bytes, MSG_WAITALL) == static_cast<ssize_t>(bytes);
}

// What the failing device writes. The three plans, each a frame and its bytes, come first.
bool write_badly(StreamLink& link, int device, const void* data, std::size_t bytes) {
  ++writes;
  std::string copy(static_cast<const char*>(data), bytes);

  if (writes < 9) return write_all(link, device, data, bytes);
  if (fault == "killed") _exit(0);
  if (fault == "silent") sleep(20);
  if (fault == "garbled") copy[bytes / 2] = static_cast<char>(copy[bytes / 2] ^ 1);
  if (fault == "cut") {
    write_all(link, device, data, bytes / 2);
    _exit(0);
  }
  return write_all(link, device, copy.data(), bytes);
}

// A program of another build sends another plan.
int send_other_plan(void* context, int device, std::uint32_t tag, const void* data,
                    std::size_t bytes) {
  std::uint64_t plan = 0;
  if (tag != 0 || bytes != sizeof plan) return stream_send(context, device, tag, data, bytes);
  std::memcpy(&plan, data, bytes);
  ++plan;
  return stream_send(context, device, tag, &plan, bytes);
}

int run_device(int (&sockets)[kDevices][kDevices], int device) {
  for (int a = 0; a < kDevices; ++a)
    for (int b = 0; b < kDevices; ++b)
      if (a != b && a != device) close(sockets[a][b]);
  const bool fails = device == kFailing;
  StreamLink link = {fails && fault != "plan" ? write_badly : write_all, read_all, sockets[device]};
  const Tensor x = example_input();
  Tensor y(ENCODER_OUTPUT_Y_SIZE);
  return encoder_part(device, x, y, [&](auto devices) {
    devices = stream_devices<decltype(devices)>(link);
    if (fails && fault == "plan") devices.send = send_other_plan;
    return devices;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  fault = argv[1];
  int sockets[kDevices][kDevices] = {};
  for (int a = 0; a < kDevices; ++a)
    for (int b = a + 1; b < kDevices; ++b) {
      int ends[2];
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 2;
      for (const int end : ends) limit_time(end);
      sockets[a][b] = ends[0];
      sockets[b][a] = ends[1];
    }
  pid_t processes[kDevices];
  for (int device = 0; device < kDevices; ++device) {
    processes[device] = fork();
    if (processes[device] == 0) _exit(run_device(sockets, device));
  }
  for (auto& row : sockets)
    for (const int end : row)
      if (end != 0) close(end);
  const auto start = std::chrono::steady_clock::now();
  int wrong = 0;
  for (int device = 0; device < kDevices; ++device) {
    if (device == kFailing) continue;
    int status = 0;
    waitpid(processes[device], &status, 0);
    const bool reported = WIFEXITED(status) && WEXITSTATUS(status) == kDeviceFailed;
    std::printf("device %d: %s\n", device, reported ? "an error status" : "no error status");
    wrong |= !reported;
  }
  kill(processes[kFailing], SIGKILL);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::printf("%.1f s\n", time.count());
  return wrong != 0 || time.count() > 10 ? 1 : 0;
}
