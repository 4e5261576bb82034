// What generated files say about their licence. The terms are at the end of LICENSE.
#pragma once

#include <string>

namespace onnxc {

inline constexpr const char* kOutputLicence = "Apache-2.0 OR LicenseRef-onnxc-output";

// The line of every generated file, in a comment: `begin` and `end` are its marks.
inline std::string licence_line(const std::string& begin, const std::string& end = "") {
  std::string line = begin;
  return line.append("SPDX-License-Identifier: ").append(kOutputLicence).append(end);
}

}  // namespace onnxc
