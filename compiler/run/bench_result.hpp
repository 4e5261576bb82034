// What `bench` measures, and how it shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/open_sizes.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {

// What is run: the model, or a step of its training.
struct Subject {
  explicit Subject(const CompileResult& generated);

  const std::vector<Port>& inputs;
  const std::vector<StepInfo>& steps;
  Dim macs;
  std::optional<std::int64_t> max_macs;
  bool one_round;
  std::string work;  // for people
  std::int64_t arena_bytes, arena_lower_bound, state_bytes;
};

struct BenchResult {
  // Of all runs; those shorter than the driver can time are taken in groups.
  double min_ms = 0, p25_ms = 0, median_ms = 0, p75_ms = 0, p90_ms = 0, p99_ms = 0;
  std::int64_t runs = 0, peak_rss_bytes = 0, code_bytes = 0;
  double generate_s = 0, compile_s = 0;
  SizeValues sizes;  // of the run, by symbol
};

struct TargetTime {
  std::string target;
  Dim macs;
  std::int64_t arena_bytes = 0;
  BenchResult result;
};

void print_bench(const BenchResult& r, const CompileResult& generated, int threads,
                 const Profile& profile);
void print_bench_json(const BenchResult& r, const CompileResult& generated, int threads,
                      const Profile& profile);

// Targets measured in one run, each compared with the first.
void print_targets(const std::vector<TargetTime>& targets);
void print_targets_json(const std::vector<TargetTime>& targets);

}  // namespace onnxc
