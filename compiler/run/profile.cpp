// Reads the times that profile_driver prints, and shows them: as a table, as JSON, in reports.
#include "compiler/run/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "compiler/ir/size_names.hpp"
#include "compiler/run/harness.hpp"
#include "compiler/run/open_sizes.hpp"
#include "compiler/run/process.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/quantity.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {

std::vector<StepTime> read_profile(const std::string& output) {
  std::vector<StepTime> profile;
  std::istringstream in(output);
  for (StepTime t; in >> t.step >> t.seconds >> t.calls;) profile.push_back(t);
  return profile;
}

void print_profile(const Profile& profile, const std::vector<StepInfo>& steps) {
  if (profile.steps.empty()) return;
  double total = 0;
  std::size_t name_width = 4, work_width = 4;
  for (const StepTime& t : profile.steps) {
    total += t.seconds;
    name_width = std::clamp<std::size_t>(steps[t.step].name.size(), name_width, 28);
    work_width = std::clamp<std::size_t>(steps[t.step].work.size(), work_width, 32);
  }
  terminal::print(stdout, "\n{:>8} {:>5} {:>6} {:>12} {:>9}  {:{}}  {:{}}  shapes\n", "time", "%",
                  "calls", "work rate", "traffic", "step", name_width, "work", work_width);
  for (const StepTime& t : profile.steps) {
    const StepInfo& s = steps[t.step];
    const auto rate = [&](const Dim& amount, const char* unit) {
      const auto once = at_sizes(amount, profile.sizes);
      if (!once) return std::string("?");
      if (*once == 0) return std::string();
      return rate_text(static_cast<double>(*once) * static_cast<double>(t.calls) / t.seconds, unit);
    };
    terminal::print(stdout, "{:>8} {:5.1f} {:6} {:>12} {:>9}  {:{}}  {:{}}  {}\n",
                    time_text(t.seconds), t.seconds / total * 100, t.calls, rate(s.macs, "MAC/s"),
                    rate(s.bytes, "B/s"), s.name.substr(0, 28), name_width, s.work.substr(0, 32),
                    work_width, readable_sizes(s.shapes));
  }
  terminal::print(stdout, "{:>8} sum of the steps, each in its median run\n", time_text(total));
}

void write_profile(const Profile& profile, const std::vector<StepInfo>& steps, JsonWriter& json) {
  json.key("steps").begin_array();
  for (const StepTime& t : profile.steps) {
    const StepInfo& s = steps[t.step];
    json.begin_object().field("name", std::string_view(s.name));
    json.field("work", std::string_view(s.work)).field("shapes", std::string_view(s.shapes));
    json.field("ms", t.seconds * 1e3).field("calls", static_cast<std::int64_t>(t.calls));
    const auto at_sizes_of_run = [&](const Dim& amount) {
      const auto known = at_sizes(amount, profile.sizes);
      return known ? Dim(*known) : amount;
    };
    write_dim(json.key("macs"), at_sizes_of_run(s.macs));
    write_dim(json.key("bytes"), at_sizes_of_run(s.bytes));
    json.end_object();
  }
  json.end_array();
}

void measure_peak(const Toolchain& toolchain, const std::string& folder, std::int64_t bytes,
                  Profile& profile) {
  constexpr double kTimeout = 60;  // seconds
  const HarnessFolder harness(folder + "/harness", toolchain, false);
  const std::string program = folder + "/machine_peak";
  if (!toolchain.link({harness.driver("machine_peak")}, program).ok()) return;
  const ProcessResult r = run_process({program, std::to_string(bytes)}, kTimeout);
  if (r.ok())
    std::sscanf(r.output.c_str(), "%lf %lf %lf", &profile.peak_gmacs, &profile.peak_int8_gmacs,
                &profile.peak_gbytes);
}

}  // namespace onnxc
