// The time of every step, as profile_driver measures it.
#pragma once

#include <string>
#include <vector>

#include "compiler/run/toolchain.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/json.hpp"

namespace onnxc {

// Parses the output of the driver.
std::vector<StepTime> read_profile(const std::string& output);
// Prints a table to standard output, one line per step in execution order.
void print_profile(const Profile& profile, const std::vector<StepInfo>& steps);
// The same as a field `steps`.
void write_profile(const Profile& profile, const std::vector<StepInfo>& steps, JsonWriter& json);

// Measures what one core reaches at most, with `bytes` that are read again and again.
void measure_peak(const Toolchain& toolchain, const std::string& folder, std::int64_t bytes,
                  Profile& profile);

}  // namespace onnxc
