// Streams without a text mode, which would add a carriage return to every line.
#include "compiler/support/platform/terminal.hpp"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cstdlib>
#include <initializer_list>

namespace onnxc::platform {

// A console that shows sequences of escapes; older ones print them.
bool is_terminal(std::FILE* stream) {
  DWORD mode = 0;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(stream)));
  if (GetConsoleMode(handle, &mode) == 0) return false;
  if (stream == stdin) return true;
  return SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

void prepare_streams() {
  _fmode = _O_BINARY;
  for (std::FILE* stream : {stdin, stdout, stderr}) _setmode(_fileno(stream), _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
}

}  // namespace onnxc::platform
