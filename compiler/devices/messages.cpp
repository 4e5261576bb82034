// The messages of a transfer.
#include <algorithm>
#include <tuple>

#include "compiler/devices/plan.hpp"

namespace onnxc::devices {
namespace {

// The parts of an axis that have some of the region, in the order of their numbers.
struct AxisPart {
  std::vector<int> number;
  AxisRegion region;
};

std::vector<AxisPart> parts_of_axis(const AxisRegion& wanted, const AxisCuts& cuts,
                                    const Dim& extent) {
  std::vector<AxisPart> list;
  std::vector<int> number(cuts.size(), 0);
  do {
    AxisPart part{number, {}};
    const AxisRegion held = axis_region(extent, cuts, number.data());
    for (const Interval& w : wanted)
      for (const Interval& h : held)
        if (const auto both = common(w, h, extent)) part.region.push_back(*both);
    if (!part.region.empty()) list.push_back(part);
  } while (next_part(number, cuts));
  return list;
}

using Holders = std::map<std::vector<int>, std::vector<int>>;  // the devices that have each part

Holders holders_of(const Placement& from) {
  Holders list;
  for (const auto& [device, part] : from.parts) list[part].push_back(device);
  return list;
}

// Of the devices that hold a part: the target itself, or a neighbour, to divide the work.
int source_of(const std::vector<int>& holders, int to) {
  if (std::find(holders.begin(), holders.end(), to) != holders.end()) return to;
  return holders[static_cast<std::size_t>(to) % holders.size()];
}

void add_messages(const Transfer& t, const Holders& holders, const Region& wanted, std::size_t axis,
                  Message& message, std::vector<Message>& list) {
  const Shape& shape = *t.value->type.shape;
  if (axis == shape.size()) {
    message.from = source_of(holders.at(message.part), message.to);
    list.push_back(message);
    return;
  }
  for (const AxisPart& p : parts_of_axis(wanted[axis], t.from.axes[axis], shape[axis])) {
    const std::size_t count = message.part.size();
    message.part.insert(message.part.end(), p.number.begin(), p.number.end());
    message.region.push_back(p.region);
    add_messages(t, holders, wanted, axis + 1, message, list);
    message.region.pop_back();
    message.part.resize(count);
  }
}

}  // namespace

// In round r the devices i and r - i exchange messages, the lower one sends first: all devices keep
// the same order of pairs, so that one of those that wait can always continue.
std::vector<Message> messages_of(const Transfer& t, int devices) {
  std::vector<Message> list;
  const Holders holders = holders_of(t.from);
  for (const auto& [to, region] : t.wanted) {
    Message message;
    message.to = to;
    add_messages(t, holders, region, 0, message, list);
  }
  std::stable_sort(list.begin(), list.end(), [&](const Message& a, const Message& b) {
    const auto key = [&](const Message& m) {
      return std::tuple((m.from + m.to) % devices, std::min(m.from, m.to), m.from);
    };
    return key(a) < key(b);
  });
  return list;
}

Dim elements_of(const std::vector<Message>& messages) {
  Dim sum = 0;
  for (const Message& m : messages)
    if (m.from != m.to) sum = sum + product(extents_of(m.region));
  return sum;
}

}  // namespace onnxc::devices
