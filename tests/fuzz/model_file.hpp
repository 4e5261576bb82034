// A model as a file that exists only in memory, since onnxc reads models by path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace onnxc {

// Where the model begins in the input of a target; each target defines it.
extern const std::size_t kModelOffset;

class ModelBytes {
 public:
  ModelBytes(const std::uint8_t* data, std::size_t size) : file_(memfd_create("model", 0)) {
    if (file_ < 0 || write(file_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ModelBytes(const ModelBytes&) = delete;
  ~ModelBytes() { close(file_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace onnxc
