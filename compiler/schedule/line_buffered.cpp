// Chooses the steps that compute an image row by row, alone or together: those with which the arena
// becomes smaller.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>

#include "compiler/schedule/instructions.hpp"
#include "compiler/schedule/line_buffered_groups.hpp"

namespace onnxc {
namespace {

// How many steps get their old form back on trial; in a larger program all keep the new one.
constexpr std::size_t kMaxTrials = 64;

// Layers that run together have to take one in so many bytes off the arena.
constexpr std::int64_t kWorth = 16;

// More bytes than any step takes.
constexpr std::int64_t kNever = std::int64_t{1} << 60;

using Ranges = std::vector<LineBufferedGroups::Range>;
using Plan = LineBufferedGroups::Plan;

bool is_in(const Ranges& ranges, std::size_t step) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& r) { return r.begin <= step && step < r.end; });
}

// Numbers the groups in the order of the steps, and leaves out those without.
void number_groups(Program& p) {
  std::vector<LineBufferedGroup> groups;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    if (p.steps[i].group < 0) continue;
    groups.push_back(std::move(p.groups[static_cast<std::size_t>(p.steps[i].group)]));
    const std::size_t end = i + groups.back().layers;
    for (; i < end; ++i) p.steps[i].group = static_cast<int>(groups.size() - 1);
    --i;
  }
  p.groups = std::move(groups);
}

// A layer alone goes backwards where the output is after the input.
void set_directions(Program& p) {
  for (LineBufferedGroup& group : p.groups)
    if (group.layers == 1 && !group.buffers.empty())
      group.backwards = p.at(group.buffers[1]).offset > p.at(group.buffers[0]).offset;
}

// A layer that reads all of a buffer through a view, such as the result of a Reshape, reads the
// buffer instead, if nothing else reads either: then the two steps can be layers of one group.
void read_past_views(Program& p) {
  std::vector<int> uses(p.buffers.size(), 0);
  const auto use = [&](BufferId id) { ++uses[static_cast<std::size_t>(id)]; };
  for (const Step& step : p.steps) Program::each_buffer(step, use);
  for (const Buffer& b : p.buffers)
    if (b.view_of >= 0) use(b.view_of);
  const LineBufferedLayers layers(p);
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    for (Arg& arg : p.steps[i].args) {
      auto* const b = layers.at(i) ? std::get_if<BufferArg>(&arg.value) : nullptr;
      if (!b || b->writes || p.at(b->buffer).view_of < 0) continue;
      const auto [root, offset] = p.root(b->buffer);
      bool whole = offset.is(0) && p.at(root).kind == Buffer::Kind::arena &&
                   p.at(root).elem == p.at(b->buffer).elem && p.bytes(root) == p.bytes(b->buffer) &&
                   uses[static_cast<std::size_t>(root)] == 2;
      for (BufferId view = b->buffer; view != root; view = p.at(view).view_of)
        whole = whole && uses[static_cast<std::size_t>(view)] == 1;
      if (whole) b->buffer = root;
    }
}

class ChooseLayers {
 public:
  ChooseLayers(Program& program, const std::optional<std::int64_t>& limit, const Target& target)
      : whole_(program),
        layers_(program),
        limit_(limit),
        instructions_(InstructionEstimate::of(target)) {
    for (std::size_t i = 0; i < program.steps.size(); ++i)
      if (auto layer = lone_layer(program, layers_, i)) alone_.emplace_back(i, std::move(*layer));
    // What costs most is the first that may be whole again.
    std::ranges::stable_sort(alone_, std::greater{},
                             [&](const auto& a) { return extra(a.first, a.second.step); });
    streamed_ = std::any_of(program.steps.begin(), program.steps.end(), is_row_source);
  }

  Program run() {
    const std::int64_t bytes_of_whole = planned_arena_bytes(whole_, kNever);
    best_ = all_alone();
    best_bytes_ = planned_arena_bytes(best_, kNever);
    const bool fits = fits_limit(bytes_of_whole) && !streamed_;
    if (!fits && !fits_limit(best_bytes_)) try_together();
    if (!fits && (streamed_ || best_bytes_ < bytes_of_whole))
      try_whole();
    else
      best_ = std::move(whole_);
    number_groups(best_);
    plan_memory(best_);
    set_directions(best_);
    return std::move(best_);
  }

 private:
  // The instructions of a step as a layer, more than those of its own form: at most as many again,
  // as estimates of small images count too much for a call. Without numbers every layer counts
  // alike.
  double extra(std::size_t at, const Step& layer) const {
    if (!instructions_) return 1;
    const double own = instructions_->step(whole_.steps[at]);
    return std::min(instructions_->step(layer) - own, own);
  }

  std::vector<double> costs_of_layers() const {
    std::vector<double> costs(whole_.steps.size(), 0);
    for (std::size_t i = 0; i < costs.size(); ++i)
      if (layers_.at(i)) costs[i] = extra(i, layers_.at(i)->step);
    return costs;
  }

  bool fits_limit(std::int64_t bytes) const { return limit_ && bytes <= *limit_; }

  static void run_alone(Program& p, std::size_t at, const LoneLayer& layer) {
    p.steps[at] = layer.step;
    p.steps[at].group = static_cast<int>(p.groups.size());
    p.groups.push_back(layer.group);
    if (layer.scratch >= 0) p.at(layer.scratch).shape = {layer.scratch_size};
  }

  void run_whole(Program& p, std::size_t at, const LoneLayer& layer) const {
    p.steps[at] = whole_.steps[at];
    if (layer.scratch >= 0) p.at(layer.scratch).shape = whole_.at(layer.scratch).shape;
  }

  // All layers run alone but those of these ranges, which are unchanged.
  Program all_alone(const Ranges& together = {}) const {
    Program p = whole_;
    for (const auto& [at, layer] : alone_)
      if (!is_in(together, at)) run_alone(p, at, layer);
    return p;
  }

  // With a limit takes the first plan within it; without one the knee.
  void try_together() {
    if (!whole_.symbols.empty()) return;
    std::vector<std::int64_t> bytes_alone = bytes_in_use(best_);
    for (std::size_t i = 0; i < bytes_alone.size(); ++i)
      if (is_row_source(whole_.steps[i])) bytes_alone[i] = kNever;
    const LineBufferedGroups groups(whole_, layers_, std::move(bytes_alone), costs_of_layers());
    const std::vector<Plan> plans = limit_ ? groups.plans() : std::vector{knee(groups)};
    for (const Plan& plan : plans)
      if (takes(groups, plan.ranges) && fits_limit(best_bytes_)) return;
  }

  // The plan with the least product of memory and instructions, or where these are not known the
  // smallest: from there on a percent of memory costs more than a percent of instructions, either
  // way.
  Plan knee(const LineBufferedGroups& groups) const {
    const auto all = instructions_ ? instructions_->program(whole_) : std::nullopt;
    if (!all) return groups.choose(0);
    std::vector<Plan> plans = groups.plans();
    if (!streamed_) plans.push_back({best_bytes_, 0, {}});  // rows of a caller need a group
    if (plans.empty()) return {};
    const auto product = [&](const Plan& plan) {
      return static_cast<double>(plan.bytes) * (*all + plan.cost);
    };
    return *std::ranges::min_element(plans, {}, product);
  }

  // Takes a plan if it is better than the one before; whether it is.
  bool takes(const LineBufferedGroups& groups, const Ranges& ranges) {
    if (ranges.empty()) return false;
    Program trial = all_alone(ranges);
    groups.apply(trial, ranges);
    const std::int64_t bytes = planned_arena_bytes(trial, kNever);
    const std::int64_t most = limit_ ? best_bytes_ : best_bytes_ / kWorth * (kWorth - 1);
    if (!streamed_ && bytes >= most) return false;
    best_ = std::move(trial);
    best_bytes_ = bytes;
    together_ = ranges;
    return true;
  }

  // Gives layers that run alone their whole form back where the arena stays as it is, or within the
  // limit.
  void try_whole() {
    for (std::size_t i = 0; i < std::min(alone_.size(), kMaxTrials); ++i) {
      const auto& [at, layer] = alone_[i];
      if (is_in(together_, at)) continue;
      run_whole(best_, at, layer);
      const std::int64_t most = fits_limit(best_bytes_) ? *limit_ : best_bytes_;
      const std::int64_t bytes = planned_arena_bytes(best_, most);
      if (bytes <= most)
        best_bytes_ = bytes;
      else
        run_alone(best_, at, layer);
    }
  }

  Program& whole_;
  LineBufferedLayers layers_;
  std::optional<std::int64_t> limit_;
  std::vector<std::pair<std::size_t, LoneLayer>> alone_;  // by step
  bool streamed_ = false;  // a user callback supplies rows, to a group
  std::optional<InstructionEstimate> instructions_;
  Program best_;
  std::int64_t best_bytes_ = 0;
  Ranges together_;  // of `best_`
};

}  // namespace

void plan_memory_line_buffered(Program& program, const std::optional<std::int64_t>& limit,
                               const Target& target) {
  read_past_views(program);
  program = ChooseLayers(program, limit, target).run();
}

}  // namespace onnxc
