// The command line. No logic here: options in, one function of compiler/cli/ called.
#include "compiler/cli/commands.hpp"

int main(int argc, char** argv) { return onnxc::run_command_line(argc, argv); }
