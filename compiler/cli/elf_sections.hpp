// Sizes of the sections of an object or a program in ELF format, of 32 or 64 bits.
#pragma once

#include <cstdint>
#include <string>

namespace onnxc {

// Bytes of machine code; 0 for other formats. Throws FatalError if the file cannot be read.
std::int64_t code_bytes_of(const std::string& path);

// Bytes that go into flash: code, constants and initial values. Otherwise as code_bytes_of.
std::int64_t flash_bytes_of(const std::string& path);

}  // namespace onnxc
