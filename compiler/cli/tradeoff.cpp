// Looks for the programs between the fastest and the smallest.
#include "compiler/cli/tradeoff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "compiler/interface/figures.hpp"
#include "compiler/ir/clone.hpp"
#include "compiler/run/measure.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

constexpr int kMaxTrials = 96;
// What the next larger program saves of the instructions, at least: less is within the error of the
// estimate.
constexpr double kWorthSaving = 0.03;
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Layers that are computed row by row, and those of them that run together.
std::string form_of(const CompileResult& r) {
  int layers = 0, together = 0, groups = 0;
  for (std::size_t i = 0, end = 0; i < r.steps.size(); i = end) {
    const int group = r.steps[i].group;
    for (end = i + 1; group >= 0 && end < r.steps.size() && r.steps[end].group == group;) ++end;
    if (group < 0) continue;
    layers += static_cast<int>(end - i);
    if (end - i == 1) continue;
    together += static_cast<int>(end - i);
    ++groups;
  }
  if (layers == 0) return "whole tensors";
  const std::string text = fmt::format("{} layer{} row by row", layers, layers == 1 ? "" : "s");
  if (groups == 0) return text;
  return fmt::format("{}, {} of them in {} group{}", text, together, groups,
                     groups == 1 ? "" : "s");
}

class Search {
 public:
  Search(const Model& model, CompileOptions options, bool measure)
      : model_(model), options_(std::move(options)), measure_(measure) {
    options_.ram_limit = options_.flash_limit = options_.arena_limit = std::nullopt;
    options_.measure = false;
    options_.reports.clear();
  }

  std::vector<Alternative> run(Diagnostics& diagnostics) {
    const auto usual = compiled(options_, diagnostics);
    if (!usual) return {};
    std::vector<Alternative> list = fastest_first();
    keep_useful(list, usual->arena_bytes);
    mark_default(list, *usual);
    add_small_code(list);
    add_row_inputs(list);
    if (measure_)
      for (Alternative& a : list) measure(a);
    for (Alternative& a : list) a.compiled.files.clear();
    return list;
  }

 private:
  std::optional<CompileResult> compiled(const CompileOptions& o, Diagnostics& diagnostics) const {
    auto models = models_to_lower(copy_model(model_), o, diagnostics);
    if (diagnostics.has_errors() || models.empty()) return std::nullopt;
    const auto compilation = lower(std::move(models.front()), o, diagnostics);
    if (!compilation) return std::nullopt;
    CompileResult r = emit(*compilation, diagnostics);
    if (diagnostics.has_errors()) return std::nullopt;
    return r;
  }

  // What --ram-limit takes with so many bytes of arena; nullopt if even the smallest is over them.
  std::optional<CompileResult> within(std::int64_t arena) const {
    CompileOptions o = options_;
    o.small_memory = true;
    o.arena_limit = arena;
    Diagnostics ignored;
    auto r = compiled(o, ignored);
    return r && r->arena_bytes <= arena ? std::move(r) : std::nullopt;
  }

  // Each is what a limit of its own arena gives, and the next one what a byte less gives.
  std::vector<Alternative> fastest_first() const {
    std::vector<Alternative> list;
    std::int64_t limit = kNoLimit;
    for (int trial = 0; trial < kMaxTrials && limit >= 0; ++trial) {
      auto r = within(limit);
      if (!r) break;
      if (r->arena_bytes < limit)
        if (auto again = within(r->arena_bytes)) r = std::move(again);
      limit = r->arena_bytes - 1;
      list.push_back({form_of(*r), fmt::format("--ram-limit {}", r->arena_bytes), std::move(*r)});
    }
    return list;
  }

  // Leaves out what takes more memory than another one and saves hardly any instructions, and
  // steps of less than a tenth of the memory.
  static void keep_useful(std::vector<Alternative>& list, std::int64_t usual) {
    std::vector<Alternative> kept;
    double fewest = std::numeric_limits<double>::infinity();
    for (auto a = list.rbegin(); a != list.rend(); ++a) {
      const auto& instructions = a->compiled.instructions;
      const bool saves = !instructions || *instructions <= fewest * (1 - kWorthSaving);
      if (!saves && a->compiled.arena_bytes != usual) continue;
      fewest = std::min(fewest, instructions.value_or(fewest));
      kept.push_back(std::move(*a));
    }
    list.clear();
    for (auto a = kept.rbegin(); a != kept.rend(); ++a) {
      const std::int64_t bytes = a->compiled.arena_bytes;
      const bool last = std::next(a) == kept.rend();
      if (list.empty() || last || bytes == usual ||
          bytes * 10 <= list.back().compiled.arena_bytes * 9)
        list.push_back(std::move(*a));
    }
  }

  static void mark_default(std::vector<Alternative>& list, const CompileResult& usual) {
    const auto same = std::ranges::find(
        list, usual.arena_bytes, [](const Alternative& a) { return a.compiled.arena_bytes; });
    if (same != list.end()) {
      *same = {form_of(usual), "", usual};
      return;
    }
    const auto smaller = std::ranges::find_if(
        list, [&](const Alternative& a) { return a.compiled.arena_bytes < usual.arena_bytes; });
    list.insert(smaller, {form_of(usual), "", usual});
  }

  void add_small_code(std::vector<Alternative>& list) const {
    CompileOptions o = options_;
    if (o.optimize_size) return;
    o.optimize_size = true;
    Diagnostics ignored;
    if (auto r = compiled(o, ignored))
      list.push_back({form_of(*r), "--optimize size", std::move(*r)});
  }

  void add_row_inputs(std::vector<Alternative>& list) const {
    if (!options_.input_rows.empty()) return;
    for (const Value* input : model_.graph.inputs) {
      CompileOptions o = options_;
      o.input_rows = input->name;
      Diagnostics ignored;
      if (auto r = compiled(o, ignored))
        list.push_back(
            {form_of(*r), fmt::format("--input-rows {}", quoted(input->name)), std::move(*r)});
    }
  }

  void measure(Alternative& a) const {
    CompileOptions o = options_;
    o.optimize_size = o.optimize_size || a.options.starts_with("--optimize");
    try {
      if (const auto costs = measure_costs(a.compiled, o)) a.compiled.costs = *costs;
    } catch (const FatalError&) {
      return;  // the estimate stays
    }
  }

  const Model& model_;
  CompileOptions options_;
  bool measure_;
};

std::string code_text(const Costs& costs) {
  return fmt::format("{}{}", costs.measured() ? "" : "~", costs.code_bytes);
}

// "6.81 M", or nothing where no table knows the target.
std::string millions(const std::optional<double>& count) {
  return count ? fmt::format("{:.2f} M", *count / 1e6) : "-";
}

void write_alternatives(JsonWriter& w, const std::vector<Alternative>& list) {
  w.begin_array();
  for (const Alternative& a : list) {
    const CompileResult& r = a.compiled;
    w.begin_object();
    w.field("form", std::string_view(a.form)).field("options", std::string_view(a.options));
    w.field("arena_bytes", r.arena_bytes).field("weight_bytes", r.weight_bytes);
    w.field("code_bytes", r.costs.code_bytes).field("measured", r.costs.measured());
    if (r.costs.stack_bytes) w.field("stack_bytes", *r.costs.stack_bytes);
    if (r.instructions) w.field("instructions", static_cast<std::int64_t>(*r.instructions));
    if (r.cycles) w.field("cycles", static_cast<std::int64_t>(*r.cycles));
    w.end_object();
  }
  w.end_array();
}

}  // namespace

std::vector<Alternative> tradeoff(const Model& model, const CompileOptions& options, bool measure,
                                  Diagnostics& diagnostics) {
  return Search(model, options, measure).run(diagnostics);
}

void print_tradeoff(const std::vector<Alternative>& list, const CompileOptions& options) {
  const bool measured = !list.empty() && list.front().compiled.costs.measured();
  terminal::print(stdout,
                  "target {}, bytes; code {}; instructions and cycles of a run are estimated\n",
                  make_target(options.target).name,
                  measured ? "by " + list.front().compiled.costs.compiler : "is estimated");
  terminal::print(stdout, "{:>10} {:>7} {:>9} {:>10} {:>13} {:>10}  {}\n", "arena", "stack", "code",
                  "weights", "instructions", "cycles", "form, options");
  for (const Alternative& a : list) {
    const CompileResult& r = a.compiled;
    const std::string stack = r.costs.stack_bytes ? fmt::format("{}", *r.costs.stack_bytes) : "-";
    terminal::print(stdout, "{:>10} {:>7} {:>9} {:>10} {:>13} {:>10}  {}: {}\n", r.arena_bytes,
                    stack, code_text(r.costs), r.weight_bytes, millions(r.instructions),
                    millions(r.cycles), a.form, a.options.empty() ? "the default" : a.options);
  }
}

std::string alternatives_as_json(const std::vector<Alternative>& list) {
  JsonWriter w;
  write_alternatives(w, list);
  return w.take();
}

std::string tradeoff_as_json(const std::vector<Alternative>& list, const CompileOptions& options) {
  JsonWriter w;
  w.begin_object();
  w.field("model", std::string_view(options.model));
  w.field("target", std::string_view(make_target(options.target).name));
  write_alternatives(w.key("alternatives"), list);
  return w.end_object().take();
}

}  // namespace onnxc
