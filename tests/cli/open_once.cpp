// Preloaded into onnxc: appends a line to $OPENED for every open of a file named *.onnx.
#include <dlfcn.h>
#include <fcntl.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void note(const char* path) {
  const std::size_t length = std::strlen(path);
  if (length < 5 || std::strcmp(path + length - 5, ".onnx") != 0) return;
  static FILE* const log = std::fopen(std::getenv("OPENED"), "a");
  if (log) std::fprintf(log, "%s\n", path), std::fflush(log);
}

int open_next(const char* name, const char* path, int flags, unsigned mode) {
  using Open = int (*)(const char*, int, ...);
  note(path);
  return reinterpret_cast<Open>(dlsym(RTLD_NEXT, name))(path, flags, mode);
}

}  // namespace

extern "C" int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_next("open", path, flags, mode);
}

extern "C" int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const unsigned mode = flags & O_CREAT ? va_arg(rest, unsigned) : 0;
  va_end(rest);
  return open_next("open64", path, flags, mode);
}
