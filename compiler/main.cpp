// The command line. No logic here: options in, one function of compiler/cli/ called.
#include "compiler/cli/commands.hpp"
#include "compiler/support/platform/terminal.hpp"

int main(int argc, char** argv) {
  onnxc::platform::prepare_streams();
  return onnxc::run_command_line(argc, argv);
}
