// SHA-1 of bytes (FIPS 180-4), for the checksums that ONNX's external data carry.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace onnxc {

// The digest as 40 lower-case hexadecimal digits.
std::string sha1(std::span<const std::byte> bytes);

}  // namespace onnxc
