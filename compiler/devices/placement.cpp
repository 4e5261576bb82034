// Arithmetic of parts of tensors.
#include "compiler/devices/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace onnxc::devices {

bool Placement::is_cut() const {
  return std::any_of(axes.begin(), axes.end(), [](const AxisCuts& c) { return !c.empty(); });
}

std::vector<int> Placement::devices() const {
  std::vector<int> list;
  for (const auto& [device, part] : parts) list.push_back(device);
  return list;
}

bool Placement::holds(int device, const Region& region, const Shape& shape) const {
  return holds(device) && contains(region_of(*this, shape, device), region, shape);
}

std::vector<Cut> Placement::cuts() const {
  std::vector<Cut> all;
  for (const AxisCuts& axis : axes) all.insert(all.end(), axis.begin(), axis.end());
  return all;
}

Dim part_begin(const Dim& extent, int part, int parts) {
  if (part == 0) return 0;
  if (part == parts) return extent;
  return Dim::floor_div(extent * Dim(part), parts);
}

std::vector<int> all_devices(int count) {
  std::vector<int> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), 0);
  return list;
}

Placement whole_on(const std::vector<int>& devices, std::size_t rank) {
  Placement p;
  p.axes.resize(rank);
  for (const int d : devices) p.parts[d] = {};
  return p;
}

AxisRegion axis_region(const Dim& extent, const AxisCuts& cuts, const int* parts) {
  if (cuts.empty()) return {{0, extent}};
  if (cuts.size() == 1) {
    const Cut& c = cuts[0];
    return {{part_begin(c.extent, parts[0], c.parts), part_begin(c.extent, parts[0] + 1, c.parts),
             parts[0], c.parts}};
  }
  // Blocks of the first factor, each with the same part of the rest.
  const AxisCuts rest(cuts.begin() + 1, cuts.end());
  Dim block = 1;
  for (const Cut& c : rest) block = block * c.extent;
  const AxisRegion inner = axis_region(block, rest, parts + 1);
  const bool all = inner.size() == 1 && inner[0].low.is(0) && inner[0].high == block;
  const Dim begin = part_begin(cuts[0].extent, parts[0], cuts[0].parts);
  const Dim end = part_begin(cuts[0].extent, parts[0] + 1, cuts[0].parts);
  if (all) return {{begin * block, end * block, parts[0], cuts[0].parts}};
  const auto blocks = end.value() - begin.value();
  if (blocks > kMaxIntervals / static_cast<std::int64_t>(inner.size()))
    throw PlacementError(fmt::format("cuts an axis of {} into more than {} pieces for a device",
                                     extent.to_string(), kMaxIntervals));
  AxisRegion region;
  for (std::int64_t i = begin.value(); i < end.value(); ++i)
    for (const Interval& part : inner)
      region.push_back({Dim(i) * block + part.low, Dim(i) * block + part.high});
  return region;
}

bool next_part(std::vector<int>& number, const AxisCuts& cuts) {
  std::size_t digit = cuts.size();
  while (digit > 0 && ++number[digit - 1] == cuts[digit - 1].parts) number[--digit] = 0;
  return digit > 0;
}

Region region_of(const Placement& p, const Shape& shape, int device) {
  Region region;
  const int* parts = p.parts.at(device).data();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    region.push_back(axis_region(shape[axis], p.axes[axis], parts));
    parts += p.axes[axis].size();
  }
  return region;
}

Region whole_region(const Shape& shape) {
  Region region;
  for (const Dim& d : shape) region.push_back({{0, d}});
  return region;
}

bool has_known_axes(const Value& v) { return v.type.is_tensor() && v.type.has_rank(); }

Shape shape_of(const Value& v) { return has_known_axes(v) ? *v.type.shape : Shape{}; }

std::optional<Interval> common(const Interval& a, const Interval& b, const Dim& extent) {
  const auto is_whole = [&](const Interval& i) { return i.low.is(0) && i.high == extent; };
  if (a.low == b.low && a.high == b.high) return a;
  if (is_whole(a)) return b;
  if (is_whole(b)) return a;
  const bool fixed = a.low.is_const() && a.high.is_const() && b.low.is_const() && b.high.is_const();
  if (!fixed && a.parts == b.parts && a.parts > 1) return std::nullopt;
  if (!fixed)
    throw PlacementError(
        fmt::format("cannot move parts of a dynamic dimension: {}:{} and {}:{} of an axis of {}",
                    a.low.to_string(), a.high.to_string(), b.low.to_string(), b.high.to_string(),
                    extent.to_string()));
  const std::int64_t low = std::max(a.low.value(), b.low.value());
  const std::int64_t high = std::min(a.high.value(), b.high.value());
  if (low >= high) return std::nullopt;
  return Interval{low, high};
}

namespace {

bool contains(const AxisRegion& outer, const AxisRegion& inner, const Dim& extent) {
  for (const Interval& wanted : inner) {
    Dim found = 0;
    for (const Interval& there : outer)
      if (const auto both = common(there, wanted, extent)) found = found + both->high - both->low;
    if (!(found == wanted.high - wanted.low)) return false;
  }
  return true;
}

}  // namespace

bool contains(const Region& outer, const Region& inner, const Shape& shape) {
  try {
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (!contains(outer[axis], inner[axis], shape[axis])) return false;
  } catch (const PlacementError&) {
    return false;
  }
  return true;
}

Dim extent_of(const AxisRegion& r) {
  Dim sum = 0;
  for (const Interval& i : r) sum = sum + i.high - i.low;
  return sum;
}

Shape extents_of(const Region& r) {
  Shape shape;
  for (const AxisRegion& axis : r) shape.push_back(extent_of(axis));
  return shape;
}

std::string to_string(const Region& r) {
  std::string text;
  for (const AxisRegion& axis : r) {
    text += '[';
    for (const Interval& i : axis)
      text += fmt::format("{}{}:{}", text.back() == '[' ? "" : ",", i.low.to_string(),
                          i.high.to_string());
    text += ']';
  }
  return text;
}

AxisCuts normal_form(const AxisCuts& cuts, std::vector<std::size_t>& kept) {
  AxisCuts list;
  kept.clear();
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Cut& c = cuts[i];
    if (c.extent.is(1) && c.parts == 1) continue;
    const bool joins =
        !list.empty() && c.parts == 1 &&
        (list.back().parts == 1 ||
         (list.back().extent.is_const() && list.back().extent.value() % list.back().parts == 0));
    if (joins) {
      list.back().extent = list.back().extent * c.extent;
      continue;
    }
    list.push_back(c);
    kept.push_back(i);
  }
  if (std::all_of(list.begin(), list.end(), [](const Cut& c) { return c.parts == 1; })) {
    kept.clear();
    return {};
  }
  return list;
}

}  // namespace onnxc::devices
