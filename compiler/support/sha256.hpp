// SHA-256 of bytes (FIPS 180-4).
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace onnxc {

// The digest as 64 lower-case hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace onnxc
