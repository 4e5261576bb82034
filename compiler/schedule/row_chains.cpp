// Chooses chains of layers by the bytes that are in use at a time, and makes them.
#include "compiler/schedule/row_chains.hpp"

#include <algorithm>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

constexpr std::size_t kMaxLayers = 24;

// The rows that the layers of a chain hold while it runs, in the order of run_rows.
class RowRun {
 public:
  explicit RowRun(std::vector<const RowLayer*> layers)
      : layers_(std::move(layers)), progress_(layers_.size() + 1) {
    progress_[0].end = layers_[0]->window.in_h;
  }

  struct Progress {
    std::int64_t begin = 0, end = 0, next = 0;
  };

  // Calls made(progress) when a row has been made and nothing has gone yet.
  template <class Made>
  void run(Made made) {
    const std::size_t last = layers_.size() - 1;
    for (std::size_t at = last; progress_[last].next < layers_[last]->window.out_h;) {
      Progress& own = progress_[at];
      if (first_row(at, own.next) + taps(at, own.next) > own.end) {
        --at;
        continue;
      }
      progress_[at + 1].end = own.next + 1;
      made(progress_);
      const bool more = ++own.next < layers_[at]->window.out_h;
      own.begin = std::min(more ? first_row(at, own.next) : own.end, own.end);
      if (at < last) ++at;
    }
  }

 private:
  // As rows_read of the kernels.
  std::int64_t end_row(std::size_t at, std::int64_t row) const {
    const auto& w = layers_[at]->window;
    const std::int64_t end = row * w.stride_h - w.pad_top + (w.k_h - 1) * w.dilation_h + 1;
    return std::clamp<std::int64_t>(end, 0, w.in_h);
  }
  std::int64_t first_row(std::size_t at, std::int64_t row) const {
    const auto& w = layers_[at]->window;
    return std::clamp<std::int64_t>(row * w.stride_h - w.pad_top, 0, end_row(at, row));
  }
  std::int64_t taps(std::size_t at, std::int64_t row) const {
    return end_row(at, row) - first_row(at, row);
  }

  std::vector<const RowLayer*> layers_;
  std::vector<Progress> progress_;
};

}  // namespace

RowChains::RowChains(const Program& program, std::vector<std::int64_t> alone)
    : p_(program), layers_(program), alone_(std::move(alone)), lives_(lifetimes(program)) {}

std::int64_t RowChains::aligned(std::int64_t bytes) const {
  return (bytes + p_.alignment - 1) / p_.alignment * p_.alignment;
}

// Whether the first layer is the last to read all of a buffer.
bool RowChains::dies_in(BufferId x, const Range& range) const {
  const auto [root, offset] = p_.root(x);
  return p_.at(x).kind == Buffer::Kind::arena && root == x && offset.is(0) &&
         lives_[static_cast<std::size_t>(root)].last == range.begin;
}

bool RowChains::starts_in(BufferId y, const Range& range) const {
  const auto [root, offset] = p_.root(y);
  return p_.at(y).kind == Buffer::Kind::arena && root == y && offset.is(0) &&
         lives_[static_cast<std::size_t>(root)].first == range.end - 1;
}

std::vector<RowChains::Part> RowChains::parts(const Range& range) const {
  std::vector<const RowLayer*> layers;
  for (std::size_t i = range.begin; i < range.end; ++i) layers.push_back(&*layers_.at(i));
  const RowLayer &first = *layers.front(), &last = *layers.back();
  const bool dies = dies_in(first.x, range), starts = starts_in(last.y, range);
  std::vector<Part> parts;
  if (dies) parts.push_back({first.x, {}});
  for (std::size_t i = 1; i < layers.size(); ++i) parts.push_back({layers[i]->x, {}});
  if (starts) parts.push_back({last.y, {}});
  RowRun(layers).run([&](const std::vector<RowRun::Progress>& progress) {
    auto part = parts.begin();
    if (dies) (part++)->bytes.push_back({progress[0].begin * first.x_row, *p_.capacity(first.x)});
    for (std::size_t i = 1; i < layers.size(); ++i)
      (part++)->bytes.push_back({0, (progress[i].end - progress[i].begin) * layers[i]->x_row});
    if (!starts) return;
    const std::int64_t rows = progress[layers.size()].end;
    part->bytes.push_back({0, last.y_row > 0 ? rows * last.y_row : *p_.capacity(last.y)});
  });
  return parts;
}

std::int64_t RowChains::most(const std::vector<Part>& parts) const {
  std::int64_t most = 0;
  for (std::size_t t = 0; !parts.empty() && t < parts[0].bytes.size(); ++t) {
    std::int64_t sum = 0;
    for (const Part& part : parts) sum += aligned(part.bytes[t].second - part.bytes[t].first);
    most = std::max(most, sum);
  }
  return most;
}

// Bytes in use while the chain runs.
std::int64_t RowChains::bytes_in_use(const Range& range) const {
  const std::vector<Part> parts = this->parts(range);
  std::vector<bool> counted(p_.buffers.size(), false);
  std::int64_t bytes = most(parts);
  for (const Part& part : parts) counted[static_cast<std::size_t>(part.buffer)] = true;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const RowLayer& layer = *layers_.at(i);
    Program::each_buffer(p_.steps[i], [&](BufferId id) {
      const Buffer& b = p_.at(id);
      // Scratch of the kernel for the whole image.
      if (b.value == nullptr && b.kind == Buffer::Kind::arena && b.view_of < 0 && id != layer.x &&
          id != layer.y)
        counted[static_cast<std::size_t>(id)] = true;
    });
    bytes += aligned(layer.scratch_size) + aligned(4 * layer.sums);
  }
  const Lifetime chain = {range.begin, range.end - 1};
  for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
    const Buffer& b = p_.buffers[i];
    if (counted[i] || b.kind != Buffer::Kind::arena || b.view_of >= 0) continue;
    if (lives_[i].used() && lives_[i].overlaps(chain))
      bytes += aligned(std::max<std::int64_t>(*p_.capacity(static_cast<BufferId>(i)), 1));
  }
  return bytes;
}

std::vector<RowChains::Range> RowChains::best() const {
  // Of the steps before `end`: the most bytes in use, the layers in chains, the last chain.
  struct Choice {
    std::int64_t bytes = 0;
    std::size_t layers = 0, begin = 0;
    bool better(const Choice& o) const {
      return std::pair(bytes, layers) < std::pair(o.bytes, o.layers);
    }
  };
  std::vector<Choice> best(p_.steps.size() + 1);
  for (std::size_t end = 1; end < best.size(); ++end) {
    const Choice& before = best[end - 1];
    best[end] = {std::max(before.bytes, alone_[end - 1]), before.layers, end - 1};
    for (std::size_t begin = end - 1; begin > 0 && end - begin < kMaxLayers; --begin) {
      if (!layers_.linked(begin - 1)) break;
      const Range range = {begin - 1, end};
      const Choice& front = best[range.begin];
      const Choice choice = {std::max(front.bytes, bytes_in_use(range)),
                             front.layers + end - range.begin, range.begin};
      if (choice.better(best[end])) best[end] = choice;
    }
  }
  std::vector<Range> ranges;
  for (std::size_t end = p_.steps.size(); end > 0; end = best[end].begin)
    if (end - best[end].begin > 1) ranges.insert(ranges.begin(), {best[end].begin, end});
  return ranges;
}

// The step becomes a layer, and what it writes for the next layer some rows.
void RowChains::make_layer(Program& program, std::size_t step, int chain) const {
  const RowLayer& layer = *layers_.at(step);
  Step& made = program.steps[step];
  made = layer.step;
  made.chain = chain;
  if (layer.scratch >= 0) program.at(layer.scratch).shape = {layer.scratch_size};
  if (layer.sums == 0) return;
  Buffer sums;
  sums.name = made.name + "_sums";
  sums.elem = ElemType::int32;
  sums.shape = {layer.sums};
  program.buffers.push_back(std::move(sums));
  made.args.push_back({BufferArg{static_cast<BufferId>(program.buffers.size() - 1), true}});
}

void RowChains::apply(Program& program, const std::vector<Range>& ranges) const {
  for (const Range& range : ranges) {
    const auto number = static_cast<int>(program.chains.size());
    RowChain chain;
    const std::vector<Part> parts = this->parts(range);
    chain.most = most(parts);
    for (const Part& a : parts) {
      chain.buffers.push_back(a.buffer);
      for (const Part& b : parts) {
        if (a.buffer == b.buffer) continue;
        std::int64_t distance = 0;
        for (std::size_t t = 0; t < a.bytes.size(); ++t)
          if (a.bytes[t].first < a.bytes[t].second && b.bytes[t].first < b.bytes[t].second)
            distance = std::max(distance, a.bytes[t].second - b.bytes[t].first);
        chain.distances.push_back({a.buffer, b.buffer, distance});
      }
    }
    program.chains.push_back(std::move(chain));
    for (std::size_t i = range.begin; i < range.end; ++i) {
      make_layer(program, i, number);
      if (i == range.begin) continue;
      const RowLayer& layer = *layers_.at(i);
      program.at(layer.x).shape = {layer.rows(), layer.window.in_w, layer.in_c};
    }
  }
}

}  // namespace onnxc
