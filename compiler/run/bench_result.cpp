// Prints measurements as text and as JSON.
#include "compiler/run/bench_result.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "compiler/interface/figures.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/run/profile.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

std::int64_t int8_macs(const Subject& subject, const SizeValues& sizes) {
  std::int64_t sum = 0;
  for (const StepInfo& step : subject.steps)
    if (step.on_int8) sum += at_sizes(step.macs, sizes).value_or(0);
  return sum;
}

// What the steps of a profile computed, as often as they ran: known also where the data decide how
// often a loop runs.
std::optional<std::int64_t> macs_of(const Profile& profile, const std::vector<StepInfo>& steps) {
  std::int64_t sum = 0;
  for (const StepTime& t : profile.steps) {
    const auto macs = at_sizes(steps[t.step].macs, profile.sizes);
    if (!macs) return std::nullopt;
    sum += *macs * t.calls;
  }
  return profile.steps.empty() ? std::nullopt : std::optional(sum);
}

void print_work(const BenchResult& r, const Subject& subject, const Profile& profile) {
  auto macs = at_sizes(subject.macs, r.sizes);
  if (const auto counted = macs_of(profile, subject.steps)) macs = counted;
  if (!macs || (subject.one_round && profile.steps.empty()))
    terminal::print(stdout, "work      {}\n", subject.work);
  else if (r.median_ms > 0 && *macs > 0)
    terminal::print(stdout, "work      {}, {}\n", macs_text(*macs),
                    rate_text(static_cast<double>(*macs) / r.median_ms * 1e3, "MAC/s"));
}

}  // namespace

Subject::Subject(const CompileResult& g)
    : inputs(g.training ? g.training->all.inputs : g.inputs),
      steps(g.training ? g.training_steps : g.steps),
      macs(g.training ? g.training_macs : g.macs),
      max_macs(g.training ? std::nullopt : g.max_macs),
      one_round(!g.training && g.one_round),
      work(g.training ? macs_text(g.training_macs) : work_text(g)),
      arena_bytes(g.training ? g.training->arena_bytes : g.arena_bytes),
      arena_lower_bound(g.training ? g.training->arena_lower_bound : g.arena_lower_bound),
      state_bytes(g.training ? g.training->state_bytes : 0) {}

void print_bench(const BenchResult& r, const CompileResult& generated, int threads,
                 const Profile& profile) {
  const Subject subject(generated);
  terminal::print(stdout, "latency   median {}, min {} over {} runs, {} thread{}\n",
                  time_text(r.median_ms / 1e3), time_text(r.min_ms / 1e3), r.runs, threads,
                  threads == 1 ? "" : "s");
  if (r.median_ms > 0)
    terminal::print(stdout, "spread    p90 {}, p99 {}, middle half {:.1f} % wide\n",
                    time_text(r.p90_ms / 1e3), time_text(r.p99_ms / 1e3),
                    100 * (r.p75_ms - r.p25_ms) / r.median_ms);
  print_work(r, subject, profile);
  terminal::print(stdout, "memory    arena {}, weights {}, code {}, peak RSS {}\n",
                  bytes_text(subject.arena_bytes), bytes_text(generated.weight_bytes),
                  bytes_text(r.code_bytes), bytes_text(r.peak_rss_bytes));
  if (generated.training)
    terminal::print(stdout, "state     {}\n", bytes_text(subject.state_bytes));
  terminal::print(stdout, "building  generate {}, compile {}\n", time_text(r.generate_s),
                  time_text(r.compile_s));
  print_profile(profile, subject.steps);
}

void print_bench_json(const BenchResult& r, const CompileResult& generated, int threads,
                      const Profile& profile) {
  const Subject subject(generated);
  JsonWriter json;
  json.begin_object().field("median_ms", r.median_ms).field("min_ms", r.min_ms);
  json.field("p25_ms", r.p25_ms).field("p50_ms", r.median_ms).field("p75_ms", r.p75_ms);
  json.field("p90_ms", r.p90_ms).field("p99_ms", r.p99_ms);
  json.field("runs", r.runs).field("threads", threads);
  json.key("sizes").begin_object();
  for (const auto& [symbol, value] : r.sizes)
    if (has_name(symbol)) json.field(name_of_symbol(symbol), value);
  json.end_object();
  write_macs(json, subject.macs, subject.max_macs);
  if (const auto macs = at_sizes(subject.macs, r.sizes)) json.field("macs_of_run", *macs);
  json.field("int8_macs", int8_macs(subject, r.sizes));
  json.field("arena_bytes", subject.arena_bytes);
  json.field("arena_lower_bound_bytes", subject.arena_lower_bound);
  if (generated.training) json.field("state_bytes", subject.state_bytes);
  json.field("weight_bytes", generated.weight_bytes);
  json.field("code_bytes", r.code_bytes).field("generate_s", r.generate_s);
  json.field("compile_s", r.compile_s).field("peak_rss_bytes", r.peak_rss_bytes);
  if (!profile.steps.empty()) write_profile(profile, subject.steps, json);
  json.end_object();
  terminal::print_document(stdout, json.take());
}

void print_targets(const std::vector<TargetTime>& targets) {
  terminal::print(stdout, "{:<16}  {:>9}  {:>8}  {:>14}  {:>9}  {:>9}\n", "target", "median",
                  "speed", "rate", "code", "arena");
  for (const TargetTime& t : targets) {
    const auto macs = at_sizes(t.macs, t.result.sizes);
    const double speed =
        t.result.median_ms > 0 ? targets[0].result.median_ms / t.result.median_ms : 0;
    terminal::print(stdout, "{:<16}  {:>9}  {:>7.2f}x  {:>14}  {:>9}  {:>9}\n", t.target,
                    time_text(t.result.median_ms / 1e3), speed,
                    macs && t.result.median_ms > 0
                        ? rate_text(static_cast<double>(*macs) / t.result.median_ms * 1e3, "MAC/s")
                        : "",
                    bytes_text(t.result.code_bytes), bytes_text(t.arena_bytes));
  }
}

void print_targets_json(const std::vector<TargetTime>& targets) {
  JsonWriter json;
  json.begin_object().key("targets").begin_array();
  for (const TargetTime& t : targets) {
    json.begin_object().field("target", std::string_view(t.target));
    json.field("median_ms", t.result.median_ms).field("min_ms", t.result.min_ms);
    json.field("runs", t.result.runs).field("code_bytes", t.result.code_bytes);
    json.field("compile_s", t.result.compile_s).field("arena_bytes", t.arena_bytes);
    if (const auto macs = at_sizes(t.macs, t.result.sizes)) json.field("macs_of_run", *macs);
    json.end_object();
  }
  json.end_array().end_object();
  terminal::print_document(stdout, json.take());
}

}  // namespace onnxc
