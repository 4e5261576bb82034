// Writes over one line.
#include "compiler/run/status_line.hpp"

#include <unistd.h>

#include <cstdio>

#include "compiler/support/terminal.hpp"

namespace onnxc {

StatusLine::StatusLine() : terminal_(isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(const std::string& text) const {
  clear();
  if (terminal_) terminal::print(stderr, "{}", text);
}

void StatusLine::clear() const {
  if (terminal_) terminal::print(stderr, "\r\033[K");
}

}  // namespace onnxc
