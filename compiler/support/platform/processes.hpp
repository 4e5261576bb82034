// Other programs, with a time limit, and what is known about this process and its system.
#pragma once

#include <string>
#include <vector>

namespace onnxc {

struct ProcessResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;      // 0: ended by itself
  bool timed_out = false;
  double seconds = 0;  // wall clock
  std::string output;  // standard output and error, the first 64 KiB
  bool ok() const { return exit_code == 0; }
};

// The program is found through PATH. It and its children are killed after `timeout` seconds, or
// when this process dies. Throws FatalError(io) when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command, double timeout);

}  // namespace onnxc

namespace onnxc::platform {

constexpr int kBytesOfOutput = 64 * 1024;

int process_number();
std::string signal_text(int signal);
// Whether a signal means that an Alarm has ended the process.
bool is_alarm(int signal);
// "Linux 6.1 x86_64"; "" where the system does not say.
std::string system_name();

// Ends the process after so many seconds, where the system can.
class Alarm {
 public:
  explicit Alarm(unsigned seconds);
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
};

}  // namespace onnxc::platform
