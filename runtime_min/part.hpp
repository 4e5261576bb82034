// part.hpp - the part of a kernel call that one of several threads computes.
#pragma once

#include <type_traits>

#include "runtime_min/types.hpp"

namespace onnxc {

// Indices [begin, end).
struct Span {
  Index begin, end;
  constexpr Index size() const { return end - begin; }
  constexpr bool contains(Index i) const { return begin <= i && i < end; }
};

// Part `index` of `count`. `thread` tells the threads of a run apart, for scratch memory of their own.
struct Part {
  Index index = 0, count = 1, thread = 0;
};

// The shape of a kernel call that computes one part of its outputs. Kernels that can be divided ask part_of and
// share_of for it; every output element belongs to one part and is computed as if there were no others.
struct OwnPart {
  Part own_part;
};
template <class S>
struct Parted : S, OwnPart {};

template <class S>
constexpr Parted<S> with_part(const S& s, Part part) {
  return {s, {part}};
}

template <class S>
constexpr bool is_parted = std::is_base_of_v<OwnPart, S>;

// The part that a shape asks for: all of the work, unless it is Parted.
template <class S>
constexpr Part part_of(const S& s) {
  if constexpr (is_parted<S>) {
    return s.own_part;
  } else {
    static_cast<void>(s);
    return {};
  }
}

// Which of `extent` things belong to part `index` of `count`: begins at a multiple of `step`, and the last share that is
// not empty has the rest as well. Shares are as equal as steps allow; with fewer steps than parts some are empty.
constexpr Span share(Index index, Index count, Index extent, Index step = 1) {
  if (count == 1) return {0, extent};
  const Index steps = extent > step ? extent / step : 1;
  const Index begin = steps / count * index + steps % count * index / count;
  const Index end = steps / count * (index + 1) + steps % count * (index + 1) / count;
  return {begin * step < extent ? begin * step : extent, end == steps ? extent : end * step};
}

template <class S>
constexpr Span share_of(const S& s, Index extent, Index step = 1) {
  const Part part = part_of(s);
  return share(part.index, part.count, extent, step);
}

// Share of a table of results: rows and columns.
struct GridShare {
  Span rows, columns;
};

// What a part of height times width outputs costs: they themselves, and the rows and columns of operands that they
// read. What one thread wrote row by row is far from another that reads all rows of it, so parts of whole rows come
// first where they are not much worse.
constexpr Index grid_cost(Index height, Index width, bool whole_rows) {
  return height * width / 8 + (whole_rows ? height : 5 * height) + 2 * width;
}

// Divides `rows` times `columns` things, each of which stands for row_size times column_size outputs, in the way that
// costs least.
constexpr GridShare share_grid(Part part, Index rows, Index row_size, Index columns, Index column_size) {
  if (part.count == 1) return {{0, rows}, {0, columns}};
  Index best = 1, least = -1;
  const auto consider = [&](Index down) {
    const Index across = part.count / down;
    const Index height = (rows + down - 1) / down, width = (columns + across - 1) / across;
    const Index cost = grid_cost(height * row_size, width * column_size, across == 1);
    if (least < 0 || cost < least) best = down, least = cost;
  };
  for (Index d = 1; d * d <= part.count; ++d) {
    if (part.count % d != 0) continue;
    consider(part.count / d);
    consider(d);
  }
  const Index across = part.count / best;
  return {share(part.index / across, best, rows), share(part.index % across, across, columns)};
}

// Share of a box of elements: `span` of one axis, all of the others. No axis for the whole box.
struct BoxShare {
  Index axis = -1;
  Span span = {0, 0};
};

// Divides the box s.dims along the outermost axis that gives nearly equal parts, or else along the one that gives the
// best. Along the last axis parts begin at multiples of `step`.
template <int kRank, class S>
constexpr BoxShare share_box(const S& s, Index step = 1) {
  const Part part = part_of(s);
  BoxShare best;
  Index best_use = 0;  // of the threads, in 64ths
  for (Index axis = 0; axis < kRank && part.count > 1 && best_use < 56; ++axis) {
    const Index of_step = axis == kRank - 1 ? step : 1;
    const Index units = s.dims[axis] > of_step ? s.dims[axis] / of_step : 1;
    const Index use = units * 64 / ((units + part.count - 1) / part.count * part.count);
    if (use <= best_use) continue;
    best_use = use;
    best = {axis, share(part.index, part.count, s.dims[axis], of_step)};
  }
  return best;
}

// The indices along one axis that belong to the share.
template <int kAxis, class S>
constexpr Span axis_share(const S& s, const BoxShare& own) {
  if constexpr (is_parted<S>) {
    if (own.axis == kAxis) return own.span;
  }
  static_cast<void>(own);
  return {0, s.dims[kAxis]};
}

}  // namespace onnxc
