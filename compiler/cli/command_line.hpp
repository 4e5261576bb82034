// Parses the command line and runs the command it names.
#pragma once

namespace onnxc {

// Returns the exit code of the command contract; never throws.
int run_command_line(int argc, char** argv);

}  // namespace onnxc
