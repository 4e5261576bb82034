// SHA-1 and SHA-256 of bytes (FIPS 180-4): checksums of ONNX external data, and the identity of a
// model.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace onnxc {

// The digest as 40 or 64 lower-case hexadecimal digits.
std::string sha1(std::span<const std::byte> bytes);
std::string sha256(std::span<const std::byte> bytes);

}  // namespace onnxc
