// Lifetimes and uses of buffers, for reports.
#include "compiler/emit/tensor_list.hpp"

#include <algorithm>

#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

// Bytes that both buffers hold.
std::int64_t common_bytes(const Program& p, BufferId a, BufferId b) {
  const Buffer &x = p.at(a), &y = p.at(b);
  if (x.offset < 0 || y.offset < 0 || x.region != y.region) return 0;
  const std::int64_t end = std::min(x.offset + *p.capacity(a), y.offset + *p.capacity(b));
  return std::max<std::int64_t>(end - std::max(x.offset, y.offset), 0);
}

// Bytes that the buffers of a group would take if they did not overlap, less those that they take.
std::int64_t common_bytes(const Program& p, const LineBufferedGroup& group) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (BufferId id : group.buffers)
    ranges.push_back({p.at(id).offset, p.at(id).offset + *p.capacity(id)});
  std::sort(ranges.begin(), ranges.end());
  std::int64_t common = 0, end = 0;
  for (const auto& [from, to] : ranges) {
    common += std::max<std::int64_t>(std::min(to, end) - from, 0);
    end = std::max(end, to);
  }
  return common;
}

}  // namespace

TensorList::TensorList(const Program& program) : program_(program), index_(program.buffers.size()) {
  const std::vector<Lifetime> lives = lifetimes(program);
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    index_[i] = entries.size();
    if (lives[i].used()) entries.push_back({static_cast<BufferId>(i), lives[i]});
  }
}

std::size_t TensorList::index(BufferId id) const {
  return index_[static_cast<std::size_t>(program_.root(id).first)];
}

TensorList::Uses TensorList::uses(const Step& step) const {
  Uses uses;
  for (BufferId id : {step.condition, step.counter, step.trips})
    if (id >= 0) uses.reads.insert(index(id));
  for (const Arg& arg : step.args) {
    if (const auto* b = std::get_if<BufferArg>(&arg.value))
      (b->writes ? uses.writes : uses.reads).insert(index(b->buffer));
    if (const auto* l = std::get_if<Lambda>(&arg.value))
      for (const Lambda::Capture& c : l->captures) uses.reads.insert(index(c.buffer));
  }
  return uses;
}

std::vector<std::int64_t> occupied(const Program& p) {
  const std::vector<Lifetime> lives = lifetimes(p);
  std::vector<std::int64_t> change(p.steps.size() + 1);
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    if (p.buffers[i].offset < 0 || p.buffers[i].kind == Buffer::Kind::state || !lives[i].used())
      continue;
    const std::int64_t bytes = *p.capacity(static_cast<BufferId>(i));
    change[lives[i].first] += bytes;
    change[lives[i].last + 1] -= bytes;
  }
  std::vector<std::int64_t> bytes;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    now += change[i];
    std::int64_t shared = 0;
    for (const auto& [input, output] : p.steps[i].may_share)
      shared += common_bytes(p, p.root(input).first, p.root(output).first);
    if (p.steps[i].group >= 0 && p.regions.empty())
      shared += common_bytes(p, p.groups[static_cast<std::size_t>(p.steps[i].group)]);
    bytes.push_back(now - shared);
  }
  return bytes;
}

}  // namespace onnxc
