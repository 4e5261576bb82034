// chunk.hpp - the chunk of a kernel call that one of several threads computes.
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

// Chunk `index` of `count`. `thread` distinguishes the threads of a call, for scratch memory of
// their own.
struct Chunk {
  Index index = 0, count = 1, thread = 0;
};

// The shape of a kernel call that computes one chunk of its outputs. Kernels that can be divided
// ask chunk_of and chunk_range for it; every output element belongs to one chunk and is computed as
// if there were no others.
struct OwnChunk {
  Chunk own_chunk;
};
template <class S>
struct Chunked : S, OwnChunk {};

template <class S>
constexpr Chunked<S> with_chunk(const S& s, Chunk chunk) {
  return {s, {chunk}};
}

template <class S>
constexpr bool is_chunked = std::is_base_of_v<OwnChunk, S>;

// The chunk of work that is not divided, as a constant.
struct AllWork {
  static constexpr Index index = 0, count = 1, thread = 0;
  constexpr operator Chunk() const { return {}; }
};

// The chunk that a shape asks for: all of the work, unless it is Chunked.
template <class S>
constexpr auto chunk_of(const S& s) {
  if constexpr (is_chunked<S>) {
    return s.own_chunk;
  } else {
    static_cast<void>(s);
    return AllWork{};
  }
}

// The indices below `extent` that belong to chunk `index` of `count`. They begin at a multiple of
// `step`; the last chunk that is not empty has the remainder too. Chunks are as equal as `step`
// allows; with fewer multiples of it than chunks, some are empty.
constexpr Span share(Index index, Index count, Index extent, Index step = 1) {
  if (count == 1) return {0, extent};
  const Index steps = extent > step ? extent / step : 1;
  const Index begin = steps / count * index + steps % count * index / count;
  const Index end = steps / count * (index + 1) + steps % count * (index + 1) / count;
  return {begin * step < extent ? begin * step : extent, end == steps ? extent : end * step};
}

template <class S>
constexpr Span chunk_range(const S& s, Index extent, Index step = 1) {
  const Chunk chunk = chunk_of(s);
  return share(chunk.index, chunk.count, extent, step);
}

// A chunk of a matrix of results: rows and columns.
struct ChunkGrid {
  Span rows, columns;
};

// The cost of a chunk of height times width outputs: the outputs, and the rows and columns of
// operands that they read. A later step often reads the same rows in the same
// thread, where they are still in its cache, so whole rows win unless they cost much more.
constexpr Index grid_cost(Index height, Index width, bool whole_rows) {
  return height * width / 8 + (whole_rows ? height : 5 * height) + 2 * width;
}

// Divides `rows` times `columns` units, each of which stands for row_size times column_size
// outputs, at the least cost.
constexpr ChunkGrid chunk_grid(Chunk chunk, Index rows, Index row_size, Index columns,
                               Index column_size) {
  if (chunk.count == 1) return {{0, rows}, {0, columns}};
  Index best = 1, least = -1;
  const auto consider = [&](Index down) {
    const Index across = chunk.count / down;
    const Index height = (rows + down - 1) / down, width = (columns + across - 1) / across;
    const Index cost = grid_cost(height * row_size, width * column_size, across == 1);
    if (least < 0 || cost < least) best = down, least = cost;
  };
  for (Index d = 1; d * d <= chunk.count; ++d) {
    if (chunk.count % d != 0) continue;
    consider(chunk.count / d);
    consider(d);
  }
  const Index across = chunk.count / best;
  return {share(chunk.index / across, best, rows), share(chunk.index % across, across, columns)};
}

constexpr ChunkGrid chunk_grid(AllWork, Index rows, Index, Index columns, Index) {
  return {{0, rows}, {0, columns}};
}

// A chunk of a box of elements: `span` of one axis, all of the others. No axis for the whole box.
struct ChunkBox {
  Index axis = -1;
  Span span = {0, 0};
};

// Divides the box s.dims along the outermost axis that gives nearly equal chunks, or else along the
// one that gives the best. Along the last axis chunks begin at multiples of `step`.
template <int kRank, class S>
constexpr ChunkBox chunk_box(const S& s, Index step = 1) {
  const Chunk chunk = chunk_of(s);
  ChunkBox best;
  Index best_use = 0;  // of the threads, in 64ths
  for (Index axis = 0; axis < kRank && chunk.count > 1 && best_use < 56; ++axis) {
    const Index of_step = axis == kRank - 1 ? step : 1;
    const Index units = s.dims[axis] > of_step ? s.dims[axis] / of_step : 1;
    const Index use = units * 64 / ((units + chunk.count - 1) / chunk.count * chunk.count);
    if (use <= best_use) continue;
    best_use = use;
    best = {axis, share(chunk.index, chunk.count, s.dims[axis], of_step)};
  }
  return best;
}

// The indices along one axis that belong to the chunk.
template <int kAxis, class S>
constexpr Span chunk_axis(const S& s, const ChunkBox& own) {
  if constexpr (is_chunked<S>) {
    if (own.axis == kAxis) return own.span;
  }
  static_cast<void>(own);
  return {0, s.dims[kAxis]};
}

}  // namespace onnxc
