// Chooses groups of layers by the bytes that are in use at a time, and makes them.
#include "compiler/schedule/line_buffered_groups.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "compiler/schedule/schedule.hpp"
#include "templates/convolution/line_buffered.hpp"

namespace onnxc {
namespace {

constexpr std::size_t kMaxLayers = 24;

std::int64_t aligned(const Program& p, std::int64_t bytes) {
  return (bytes + p.alignment - 1) / p.alignment * p.alignment;
}

// The rows that the layers of a group hold while it runs. The order and the rows are those of the
// kernels, whose code this is.
class Simulation {
 public:
  explicit Simulation(std::vector<const LineBufferedLayer*> layers)
      : layers_(std::move(layers)), buffers_(layers_.size() + 1) {
    buffers_[0].end = layers_[0]->window.in_h;
  }

  // The rows [begin, end) that are there of the input of each layer, and of the output of the last.
  struct Rows {
    std::int64_t begin = 0, end = 0;
  };

  // Calls made(rows) when a row has been made and nothing has gone yet.
  template <class Made>
  void run(Made made) {
    const std::size_t last = layers_.size() - 1;
    std::vector<std::int16_t> next(layers_.size(), 0);
    take_turns(static_cast<Index>(last), true, next[last],
               static_cast<Index>(layers_[last]->window.out_h), [&](Index index) {
                 const auto at = static_cast<std::size_t>(index);
                 const auto& w = layers_[at]->window;
                 const auto rows = [&](Index row) { return rows_read(w, {row, row + 1}); };
                 Rows& own = buffers_[at];
                 if (rows(next[at]).end > own.end) return false;
                 buffers_[at + 1].end = ++next[at];
                 made(buffers_);
                 own.begin = std::min(next[at] < w.out_h ? rows(next[at]).begin : own.end, own.end);
                 return true;
               });
  }

 private:
  std::vector<const LineBufferedLayer*> layers_;
  std::vector<Rows> buffers_;
};

}  // namespace

LineBufferedGroups::LineBufferedGroups(const Program& program, const LineBufferedLayers& layers,
                                       std::vector<std::int64_t> alone, std::vector<double> costs)
    : p_(program),
      layers_(layers),
      alone_(std::move(alone)),
      costs_(std::move(costs)),
      lives_(lifetimes(program)),
      bytes_(program.steps.size() + 1) {
  for (std::size_t end = 1; end <= p_.steps.size(); ++end)
    for (std::size_t begin = end - 1; begin > 0 && end - begin < kMaxLayers; --begin) {
      if (!layers_.linked(begin - 1)) break;
      bytes_[end].push_back(bytes_in_use({begin - 1, end}));
    }
}

// Whether the first layer is the last to read all of a buffer.
bool LineBufferedGroups::dies_in(BufferId x, const Range& range) const {
  const auto [root, offset] = p_.root(x);
  return p_.at(x).kind == Buffer::Kind::arena && root == x && offset.is(0) &&
         lives_[static_cast<std::size_t>(root)].last == range.begin;
}

bool LineBufferedGroups::starts_in(BufferId y, const Range& range) const {
  const auto [root, offset] = p_.root(y);
  return p_.at(y).kind == Buffer::Kind::arena && root == y && offset.is(0) &&
         lives_[static_cast<std::size_t>(root)].first == range.end - 1;
}

std::vector<LineBufferedGroups::Part> LineBufferedGroups::parts(const Range& range) const {
  std::vector<const LineBufferedLayer*> layers;
  for (std::size_t i = range.begin; i < range.end; ++i) layers.push_back(&*layers_.at(i));
  const LineBufferedLayer &first = *layers.front(), &last = *layers.back();
  const bool dies = dies_in(first.x, range), starts = starts_in(last.y, range);
  std::vector<Part> parts;
  if (dies) parts.push_back({first.x, {}});
  for (std::size_t i = 1; i < layers.size(); ++i) parts.push_back({layers[i]->x, {}});
  if (starts) parts.push_back({last.y, {}});
  Simulation(layers).run([&](const std::vector<Simulation::Rows>& rows) {
    auto part = parts.begin();
    if (dies) (part++)->bytes.push_back({rows[0].begin * first.x_row, *p_.capacity(first.x)});
    for (std::size_t i = 1; i < layers.size(); ++i)
      (part++)->bytes.push_back({0, (rows[i].end - rows[i].begin) * layers[i]->x_row});
    if (!starts) return;
    const std::int64_t made = rows[layers.size()].end;
    part->bytes.push_back({0, last.y_row > 0 ? made * last.y_row : *p_.capacity(last.y)});
  });
  return parts;
}

std::int64_t LineBufferedGroups::most(const std::vector<Part>& parts) const {
  std::int64_t most = 0;
  for (std::size_t t = 0; !parts.empty() && t < parts[0].bytes.size(); ++t) {
    std::int64_t sum = 0;
    for (const Part& part : parts) sum += aligned(p_, part.bytes[t].second - part.bytes[t].first);
    most = std::max(most, sum);
  }
  return most;
}

// Bytes in use while the group runs.
std::int64_t LineBufferedGroups::bytes_in_use(const Range& range) const {
  const std::vector<Part> parts = this->parts(range);
  std::vector<bool> counted(p_.buffers.size(), false);
  std::int64_t bytes = most(parts);
  for (const Part& part : parts) counted[static_cast<std::size_t>(part.buffer)] = true;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const LineBufferedLayer& layer = *layers_.at(i);
    Program::each_buffer(p_.steps[i], [&](BufferId id) {
      const Buffer& b = p_.at(id);
      // Scratch of the kernel for the whole image.
      if (b.value == nullptr && b.kind == Buffer::Kind::arena && b.view_of < 0 && id != layer.x &&
          id != layer.y)
        counted[static_cast<std::size_t>(id)] = true;
    });
    bytes += aligned(p_, layer.scratch_size) + aligned(p_, 4 * layer.sums);
  }
  const Lifetime group = {range.begin, range.end - 1};
  for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
    const Buffer& b = p_.buffers[i];
    if (counted[i] || b.kind != Buffer::Kind::arena || b.view_of >= 0) continue;
    if (lives_[i].used() && lives_[i].overlaps(group))
      bytes += aligned(p_, std::max<std::int64_t>(*p_.capacity(static_cast<BufferId>(i)), 1));
  }
  return bytes;
}

LineBufferedGroups::Plan LineBufferedGroups::choose(std::int64_t limit) const {
  // Of the steps before `end`: the most bytes in use, the cost of groups, the last group.
  struct Choice {
    std::int64_t bytes = 0;
    double cost = 0;
    std::size_t begin = 0;
  };
  const auto better = [&](const Choice& a, const Choice& b) {
    return std::pair(std::max(a.bytes, limit), a.cost) <
           std::pair(std::max(b.bytes, limit), b.cost);
  };
  std::vector<Choice> best(p_.steps.size() + 1);
  for (std::size_t end = 1; end < best.size(); ++end) {
    const Choice& before = best[end - 1];
    best[end] = {std::max(before.bytes, alone_[end - 1]), before.cost, end - 1};
    std::size_t begin = end - 1;
    double cost = costs_[begin];
    for (const std::int64_t bytes : bytes_[end]) {
      cost += costs_[--begin];
      const Choice& front = best[begin];
      const Choice choice = {std::max(front.bytes, bytes), front.cost + cost, begin};
      if (better(choice, best[end])) best[end] = choice;
    }
  }
  Plan plan = {best.back().bytes, best.back().cost, {}};
  for (std::size_t end = p_.steps.size(); end > 0; end = best[end].begin)
    if (end - best[end].begin > 1) plan.ranges.insert(plan.ranges.begin(), {best[end].begin, end});
  return plan;
}

std::vector<LineBufferedGroups::Plan> LineBufferedGroups::plans() const {
  std::set<std::int64_t, std::greater<>> limits(alone_.begin(), alone_.end());
  for (const auto& groups : bytes_) limits.insert(groups.begin(), groups.end());
  limits.insert(0);
  std::vector<Plan> plans;
  for (const std::int64_t limit : limits) {
    Plan plan = choose(limit);
    if (!plan.ranges.empty() && (plans.empty() || plans.back().ranges != plan.ranges))
      plans.push_back(std::move(plan));
  }
  return plans;
}

// The step becomes a layer, and what it writes for the next layer some rows.
void LineBufferedGroups::make_layer(Program& program, std::size_t step, int group) const {
  const LineBufferedLayer& layer = *layers_.at(step);
  Step& made = program.steps[step];
  made = layer.step;
  made.group = group;
  made.may_share.clear();
  if (layer.scratch >= 0) program.at(layer.scratch).shape = {layer.scratch_size};
  if (layer.sums == 0) return;
  Buffer sums;
  sums.name = made.name + "_sums";
  sums.elem = ElemType::int32;
  sums.shape = {layer.sums};
  program.buffers.push_back(std::move(sums));
  made.args.push_back({BufferArg{static_cast<BufferId>(program.buffers.size() - 1), true}});
}

void LineBufferedGroups::apply(Program& program, const std::vector<Range>& ranges) const {
  for (const Range& range : ranges) {
    const auto number = static_cast<int>(program.groups.size());
    LineBufferedGroup group;
    group.layers = range.end - range.begin;
    const std::vector<Part> parts = this->parts(range);
    group.most = most(parts);
    for (const Part& a : parts) {
      group.buffers.push_back(a.buffer);
      for (const Part& b : parts) {
        if (a.buffer == b.buffer) continue;
        std::int64_t distance = 0;
        for (std::size_t t = 0; t < a.bytes.size(); ++t)
          if (a.bytes[t].first < a.bytes[t].second && b.bytes[t].first < b.bytes[t].second)
            distance = std::max(distance, a.bytes[t].second - b.bytes[t].first);
        group.distances.push_back({a.buffer, b.buffer, distance});
      }
    }
    program.groups.push_back(std::move(group));
    for (std::size_t i = range.begin; i < range.end; ++i) {
      make_layer(program, i, number);
      if (i == range.begin) continue;
      const LineBufferedLayer& layer = *layers_.at(i);
      program.at(layer.x).shape = {layer.rows(), layer.window.in_w, layer.in_c};
    }
  }
}

namespace {

// Whether the step uses the memory of a buffer of the arena by one argument alone.
bool is_only_use(const Program& p, const Step& step, BufferId id) {
  const BufferId root = p.root(id).first;
  int uses = 0;
  Program::each_buffer(step, [&](BufferId other) { uses += p.root(other).first == root; });
  return uses == 1 && p.at(root).kind == Buffer::Kind::arena;
}

// How far before the input the output may begin, or after it, so that a row is not written where
// rows are that are still read: those from its window on, or up to it, if the layer goes backwards.
struct Overlap {
  std::int64_t before = 0, after = 0;
};

Overlap overlap_of(const LineBufferedLayer& l) {
  Overlap o;
  for (std::int64_t n = 0; n < l.batch; ++n)
    for (std::int64_t r = 0; r < l.window.out_h; ++r) {
      const Span in = rows_read(l.window, {r, r + 1});
      const std::int64_t x = n * l.window.in_h * l.x_row, y = (n * l.window.out_h + r) * l.y_row;
      o.before = std::max(o.before, y + l.y_row - (x + in.begin * l.x_row));
      o.after = std::max(o.after, x + in.end * l.x_row - y);
    }
  return o;
}

// The group of a layer alone, for its input x and its output y. A distance that clears the whole of
// a buffer is as good as a larger one.
LineBufferedGroup group_of(const Program& p, const LineBufferedLayer& l, BufferId x, BufferId y) {
  const Overlap o = overlap_of(l);
  const std::int64_t x_bytes = aligned(p, *p.capacity(x)), y_bytes = aligned(p, *p.capacity(y));
  const std::int64_t before = std::min(aligned(p, o.before), y_bytes),
                     after = std::min(aligned(p, o.after), x_bytes);
  LineBufferedGroup group;
  group.buffers = {x, y};
  group.distances = {{x, y, after}, {y, x, before}};
  group.most = std::min(std::max(before + x_bytes, y_bytes), std::max(after + y_bytes, x_bytes));
  return group;
}

}  // namespace

std::optional<LoneLayer> lone_layer(const Program& program, const LineBufferedLayers& layers,
                                    std::size_t step) {
  const auto& layer = layers.at(step);
  if (!layer || !layer->runs_alone) return {};
  const Step& whole = program.steps[step];
  if (!is_only_use(program, whole, layer->x) || !is_only_use(program, whole, layer->y)) return {};
  LoneLayer lone = {layer->step, {}, layer->scratch, layer->scratch_size};
  const auto [x, x_offset] = program.root(layer->x);
  const auto [y, y_offset] = program.root(layer->y);
  const bool all_of_x = x_offset.is(0) && program.bytes(x) == program.bytes(layer->x),
             all_of_y = y_offset.is(0) && program.bytes(y) == program.bytes(layer->y);
  if (all_of_x && all_of_y) lone.group = group_of(program, *layer, x, y);
  return lone;
}

}  // namespace onnxc
