// What is read from objects and programs in ELF format: sizes of sections, of 32 or 64 bits, and
// the byte order.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

namespace onnxc {

// Bytes of machine code; 0 for other formats. Throws FatalError if the file cannot be read.
std::int64_t code_bytes_of(const std::string& path);

// Bytes that go into flash: code, constants and initial values. Otherwise as code_bytes_of.
std::int64_t flash_bytes_of(const std::string& path);

// The byte order of the machine that it is for; little for other formats.
std::endian byte_order_of(const std::string& path);

}  // namespace onnxc
