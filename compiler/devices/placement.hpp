// Where the elements of a value are: which device holds which part.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc::devices {

// Positions [low, high) of an axis. A part of an axis of dynamic extent is known as `part` of
// `parts`; otherwise both are constants.
struct Interval {
  Dim low, high;
  int part = 0, parts = 1;
};
using AxisRegion = std::vector<Interval>;  // in ascending order, disjoint
using Region = std::vector<AxisRegion>;    // by axis: all combinations

// A factor of an axis, divided into parts; see AxisFactor. Part i of n has the blocks from
// extent * i / n up to extent * (i + 1) / n: they differ by one block at most.
struct Cut {
  Dim extent;
  int parts = 1;
  bool operator==(const Cut&) const = default;
};
using AxisCuts = std::vector<Cut>;  // the last factor varies fastest; empty: whole

struct Placement {
  std::vector<AxisCuts> axes;
  // What each device holds: the number of its part for every cut, in the order of the axes.
  std::map<int, std::vector<int>> parts;

  bool is_cut() const;
  bool holds(int device) const { return parts.count(device) != 0; }
  // Of a value of this shape, all of the region.
  bool holds(int device, const Region& region, const Shape& shape) const;
  std::vector<int> devices() const;
  // The cuts of all axes, one after the other.
  std::vector<Cut> cuts() const;
  bool operator==(const Placement&) const = default;
};

Dim part_begin(const Dim& extent, int part, int parts);

std::vector<int> all_devices(int count);

// Every device of the list holds the whole.
Placement whole_on(const std::vector<int>& devices, std::size_t rank);

// Thrown where the parts of a value cannot be determined: parts of a dynamic dimension that overlap
// in an unknown way, or a part of more intervals than this. Says what is asked of the axis.
inline constexpr std::int64_t kMaxIntervals = 1000;
struct PlacementError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// What these parts of the cuts of one axis are.
AxisRegion axis_region(const Dim& extent, const AxisCuts& cuts, const int* parts);
// From the indices of a part to those of the next one; false, and zeros, after the last one.
bool next_part(std::vector<int>& number, const AxisCuts& cuts);
// What a device holds.
Region region_of(const Placement& p, const Shape& shape, int device);
Region whole_region(const Shape& shape);
// Whether devices can have parts of a value: a tensor of known rank. All else, such as a sparse
// tensor, is on a device or is not.
bool has_known_axes(const Value& v);
Shape shape_of(const Value& v);  // without axes for what has none that are known

// What both have; nullopt for nothing. `extent`: of the axis.
std::optional<Interval> common(const Interval& a, const Interval& b, const Dim& extent);
// Whether `outer` has all of `inner`, for all that is known.
bool contains(const Region& outer, const Region& inner, const Shape& shape);

// The extents of a region.
Shape extents_of(const Region& r);
Dim extent_of(const AxisRegion& r);

std::string to_string(const Region& r);  // "[0:4,8:12][0:N]"

// Cuts of the same parts, written in one way: neighbouring factors are joined where that changes
// nothing, an axis in one part has no cuts. `kept` gets which of the given cuts they are.
AxisCuts normal_form(const AxisCuts& cuts, std::vector<std::size_t>& kept);

}  // namespace onnxc::devices
