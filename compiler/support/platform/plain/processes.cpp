// A system without processes.
#include "compiler/support/platform/processes.hpp"

#include "compiler/support/diagnostics.hpp"

namespace onnxc {

ProcessResult run_process(const std::vector<std::string>&, double) {
  throw FatalError(exit_code::io, "this build starts no programs");
}

}  // namespace onnxc

namespace onnxc::platform {

int process_number() { return 1; }
std::string signal_text(int) { return "it ended early"; }
bool is_alarm(int) { return false; }
std::string system_name() { return ""; }

Alarm::Alarm(unsigned) {}
Alarm::~Alarm() = default;

}  // namespace onnxc::platform
