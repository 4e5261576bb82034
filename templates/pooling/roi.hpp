// roi.hpp - pooling of regions of interest: RoiAlign and MaxRoiPool.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime_min/chunk.hpp"
#include "runtime_min/types.hpp"

namespace onnxc {

// Two neighbours on one axis and the weight of the second.
template <class A>
struct Neighbours {
  Index low, high;
  A weight;
};

template <class A>
Neighbours<A> neighbours(A v, Index count) {
  const A x = v > A{} ? v : A{};
  if (!(x < static_cast<A>(count - 1))) return {count - 1, count - 1, A{}};
  const Index low = static_cast<Index>(x);
  return {low, low + 1, x - static_cast<A>(low)};
}

template <class A>
Index bounded_index(A v, Index high) {
  return !(v > A{}) ? 0 : v < static_cast<A>(high) ? static_cast<Index>(v) : high;
}

// Samples of one bin along one axis. More of them than 2^24 make no difference to a float; an image
// of a 16-bit Index has fewer elements than 2^14 squared.
constexpr auto kMaxSamples = static_cast<Index>(std::int32_t{1} << (sizeof(Index) > 2 ? 24 : 14));
template <class A>
Index bin_samples(Index wanted, A extent, Index bins) {
  return wanted > 0 ? wanted : bounded_index(std::ceil(extent / static_cast<A>(bins)), kMaxSamples);
}

// The samples of the bins of one region along one axis.
template <class A>
struct RoiAxis {
  A start, extent;  // of the first bin; of each
  Index samples, size;

  // of: the image, of which an empty one has no samples.
  RoiAxis(A begin, A length, Index bins, Index wanted, Index of)
      : start(begin),
        extent(length / static_cast<A>(bins)),
        samples(of > 0 ? bin_samples(wanted, length, bins) : 0),
        size(of) {}

  A position(Index bin, Index i) const {
    return start + static_cast<A>(bin) * extent +
           (static_cast<A>(i) + static_cast<A>(0.5f)) * extent / static_cast<A>(samples);
  }

  bool inside(A v) const { return v >= A{-1} && v <= static_cast<A>(size); }

  // Of many samples those that may be inside: regions may be far larger than the image.
  Span near(Index bin) const {
    if (samples <= 64) return {0, samples};
    const A step = extent / static_cast<A>(samples), first = position(bin, 0);
    const A a = (A{-1} - first) / step, b = (static_cast<A>(size) - first) / step;
    const A low = a < b ? a : b, high = a < b ? b : a;  // a region may run backwards
    return {bounded_index(low - A{1}, samples), bounded_index(high + A{2}, samples)};
  }
};

// One region on the grid of the image.
template <class A>
struct RoiGrid {
  RoiAxis<A> rows, columns;

  // Of a bin, as a number: 32 bits need not hold it.
  A samples() const { return static_cast<A>(rows.samples) * static_cast<A>(columns.samples); }

  template <class S, class T>
  RoiGrid(const S& s, const T* roi)
      : rows(edge(s, roi[1]), extent(s, roi[1], roi[3]), s.out_h, s.samples, s.height),
        columns(edge(s, roi[0]), extent(s, roi[0], roi[2]), s.out_w, s.samples, s.width) {}

  template <class S, class T>
  static A edge(const S& s, T at) {
    return static_cast<A>(at) * static_cast<A>(s.scale) -
           (s.half_pixel ? static_cast<A>(0.5f) : A{});
  }

  template <class S, class T>
  static A extent(const S& s, T low, T high) {
    const A length = edge(s, high) - edge(s, low);
    return s.half_pixel || length > A{1} ? length : A{1};
  }
};

// Channels that share the positions and weights of samples.
constexpr Index kRoiChannels = 16;

// One bin of up to kRoiChannels channels, [height, width] each.
template <class S, class T, class A>
void roi_bin(const S& s, const RoiGrid<A>& grid, Index oh, Index ow, Index channels, const T* x,
             A* result) {
  for (Index c = 0; c < channels; ++c) result[c] = A{};
  const Span rows = grid.rows.near(oh), columns = grid.columns.near(ow);
  // Samples that are not near have the value 0.
  bool first = rows.size() == grid.rows.samples && columns.size() == grid.columns.samples;
  for (Index i = rows.begin; i < rows.end; ++i) {
    const A v = grid.rows.position(oh, i);
    for (Index j = columns.begin; j < columns.end; ++j, first = false) {
      const A u = grid.columns.position(ow, j);
      const bool inside = grid.rows.inside(v) && grid.columns.inside(u);
      const Neighbours<A> a = neighbours(inside ? v : A{}, s.height),
                          b = neighbours(inside ? u : A{}, s.width);
      const A on = inside ? A{1} : A{};
      const A w0 = on * (A{1} - a.weight) * (A{1} - b.weight),
              w1 = on * (A{1} - a.weight) * b.weight;
      const A w2 = on * a.weight * (A{1} - b.weight), w3 = on * a.weight * b.weight;
      const T* low = x + a.low * s.width;
      const T* high = x + a.high * s.width;
      for (Index c = 0; c < channels; ++c) {
        const Index at = c * s.height * s.width;
        const A p0 = w0 * static_cast<A>(low[at + b.low]),
                p1 = w1 * static_cast<A>(low[at + b.high]);
        const A p2 = w2 * static_cast<A>(high[at + b.low]),
                p3 = w3 * static_cast<A>(high[at + b.high]);
        if (!s.largest) {
          result[c] += p0 + p1 + p2 + p3;
          continue;
        }
        const A m0 = p0 > p1 ? p0 : p1, m1 = p2 > p3 ? p2 : p3, m = m0 > m1 ? m0 : m1;
        result[c] = first || m > result[c] ? m : result[c];
      }
    }
  }
  if (s.largest || grid.samples() == A{}) return;
  for (Index c = 0; c < channels; ++c) result[c] /= grid.samples();
}

// x: [batch, channels, height, width], rois: [count, 4] of x1, y1, x2, y2, batch_of: [count], y:
// [count, channels, out_h, out_w].  s: batch, channels, height, width, count, out_h, out_w, samples
// (0: from the region), scale, half_pixel, largest.
template <class S, class T>
Status roi_align(S s, const T* x, const T* rois, const std::int64_t* batch_of, T* y) {
  using A = compute_t<T>;
  const Index plane = s.height * s.width, bins = s.out_h * s.out_w;
  for (Index r = 0; r < s.count; ++r, rois += 4) {
    if (batch_of[r] < 0 || batch_of[r] >= s.batch) return Status::bad_index;
    const RoiGrid<A> grid(s, rois);
    const T* images = x + static_cast<Index>(batch_of[r]) * s.channels * plane;
    for (Index first = 0; first < s.channels; first += kRoiChannels) {
      const Index rest = s.channels - first, channels = rest < kRoiChannels ? rest : kRoiChannels;
      for (Index bin = 0; bin < bins; ++bin) {
        A result[kRoiChannels];
        roi_bin(s, grid, bin / s.out_w, bin % s.out_w, channels, images + first * plane, result);
        for (Index c = 0; c < channels; ++c) y[c * bins + bin] = static_cast<T>(result[c]);
      }
      y += channels * bins;
    }
  }
  return Status::ok;
}

// rois: [count, 5] of batch, x1, y1, x2, y2.  s: batch, channels, height, width, count, out_h,
// out_w, scale.
template <class S, class T>
Status max_roi_pool(S s, const T* x, const T* rois, T* y) {
  using A = compute_t<T>;
  for (Index r = 0; r < s.count; ++r, rois += 5) {
    const A batch = static_cast<A>(rois[0]);
    if (!(batch >= A{}) || batch >= static_cast<A>(s.batch)) return Status::bad_index;
    const auto edge = [&](Index i) {
      return std::round(static_cast<A>(rois[i]) * static_cast<A>(s.scale));
    };
    const A left = edge(1), top = edge(2), w = edge(3) - left + A{1}, h = edge(4) - top + A{1};
    const A bin_w = (w > A{1} ? w : A{1}) / static_cast<A>(s.out_w),
            bin_h = (h > A{1} ? h : A{1}) / static_cast<A>(s.out_h);
    for (Index c = 0; c < s.channels; ++c) {
      const T* image = x + (static_cast<Index>(batch) * s.channels + c) * s.height * s.width;
      for (Index oh = 0; oh < s.out_h; ++oh) {
        for (Index ow = 0; ow < s.out_w; ++ow) {
          const Index h0 = bounded_index(std::floor(static_cast<A>(oh) * bin_h) + top, s.height);
          const Index h1 = bounded_index(std::ceil(static_cast<A>(oh + 1) * bin_h) + top, s.height);
          const Index w0 = bounded_index(std::floor(static_cast<A>(ow) * bin_w) + left, s.width);
          const Index w1 = bounded_index(std::ceil(static_cast<A>(ow + 1) * bin_w) + left, s.width);
          A best{};
          for (Index i = h0; i < h1; ++i) {
            for (Index j = w0; j < w1; ++j) {
              const A v = static_cast<A>(image[i * s.width + j]);
              if ((i == h0 && j == w0) || v > best) best = v;
            }
          }
          *y++ = static_cast<T>(best);
        }
      }
    }
  }
  return Status::ok;
}

// The bins of one region of max_roi_pool along both axes.
template <class A>
struct RoiBins {
  A top, left, height, width;  // the last two: of one bin

  template <class S, class T>
  RoiBins(const S& s, const T* roi) {
    const auto edge = [&](Index i) {
      return std::round(static_cast<A>(roi[i]) * static_cast<A>(s.scale));
    };
    left = edge(1);
    top = edge(2);
    const A w = edge(3) - left + A{1}, h = edge(4) - top + A{1};
    width = (w > A{1} ? w : A{1}) / static_cast<A>(s.out_w);
    height = (h > A{1} ? h : A{1}) / static_cast<A>(s.out_h);
  }

  // The pixels of bin i along an axis of this extent.
  Span of(Index i, A size, A start, Index extent) const {
    return {bounded_index(std::floor(static_cast<A>(i) * size) + start, extent),
            bounded_index(std::ceil(static_cast<A>(i + 1) * size) + start, extent)};
  }
};

// Where the results of max_roi_pool come from: offsets into x, -1 for a bin without elements.
// Arguments as above; the first of several largest elements.
template <class S, class T>
Status max_roi_pool_indices(S s, const T* x, const T* rois, std::int64_t* indices) {
  using A = compute_t<T>;
  for (Index r = 0; r < s.count; ++r, rois += 5) {
    const A batch = static_cast<A>(rois[0]);
    if (!(batch >= A{}) || batch >= static_cast<A>(s.batch)) return Status::bad_index;
    const RoiBins<A> bins(s, rois);
    for (Index c = 0; c < s.channels; ++c) {
      const Index image = (static_cast<Index>(batch) * s.channels + c) * s.height * s.width;
      for (Index oh = 0; oh < s.out_h; ++oh) {
        const Span rows = bins.of(oh, bins.height, bins.top, s.height);
        for (Index ow = 0; ow < s.out_w; ++ow) {
          const Span columns = bins.of(ow, bins.width, bins.left, s.width);
          Index best = -1;
          for (Index i = rows.begin; i < rows.end; ++i) {
            for (Index j = columns.begin; j < columns.end; ++j) {
              const Index at = image + i * s.width + j;
              if (best < 0 || static_cast<A>(x[at]) > static_cast<A>(x[best])) best = at;
            }
          }
          *indices++ = best;
        }
      }
    }
  }
  return Status::ok;
}

// The four neighbours of a sample: offsets in the image, and weights, 0 outside of it.
template <class A>
struct RoiSample {
  Index at[4];
  A weight[4];

  RoiSample(const RoiGrid<A>& grid, A v, A u) {
    const bool inside = grid.rows.inside(v) && grid.columns.inside(u);
    const Index width = grid.columns.size;
    const Neighbours<A> a = neighbours(inside ? v : A{}, grid.rows.size),
                        b = neighbours(inside ? u : A{}, width);
    const A on = inside ? A{1} : A{};
    for (Index k = 0; k < 4; ++k) {
      const bool high = k >= 2, right = k % 2 == 1;
      at[k] = (high ? a.high : a.low) * width + (right ? b.high : b.low);
      weight[k] = on * (high ? a.weight : A{1} - a.weight) * (right ? b.weight : A{1} - b.weight);
    }
  }
};

// Adds the derivative `each` of one bin of one image, x, to dx.
template <class S, class T, class A>
void roi_bin_grad(const S& s, const RoiGrid<A>& grid, Index oh, Index ow, A each, const T* x,
                  T* dx) {
  const Span rows = grid.rows.near(oh), columns = grid.columns.near(ow);
  const Index near = rows.size() * columns.size();
  const bool all = rows.size() == grid.rows.samples && columns.size() == grid.columns.samples;
  const auto add = [&](Index at, A v) { dx[at] = static_cast<T>(static_cast<A>(dx[at]) + v); };
  Index best = -1;
  A most{}, weight_of_best{};
  for (Index i = 0; i < near; ++i) {
    const RoiSample<A> sample(grid, grid.rows.position(oh, rows.begin + i / columns.size()),
                              grid.columns.position(ow, columns.begin + i % columns.size()));
    for (Index k = 0; k < 4; ++k) {
      if (!s.largest) {
        add(sample.at[k], sample.weight[k] * each / grid.samples());
        continue;
      }
      const A v = sample.weight[k] * static_cast<A>(x[sample.at[k]]);
      if (!(all && best < 0) && !(v > most)) continue;
      best = sample.at[k];
      most = v;
      weight_of_best = sample.weight[k];
    }
  }
  if (best >= 0) add(best, weight_of_best * each);
}

// The derivative of roi_align by x. dy: like y, dx: like x; members as for roi_align. With the
// largest, dy goes to the first of the weighted elements that the result may be.
template <class S, class T>
Status roi_align_grad(S s, const T* dy, const T* x, const T* rois, const std::int64_t* batch_of,
                      T* dx) {
  using A = compute_t<T>;
  const Index plane = s.height * s.width, bins = s.out_h * s.out_w;
  for (Index i = 0; i < s.batch * s.channels * plane; ++i) dx[i] = static_cast<T>(0.0f);
  for (Index r = 0; r < s.count; ++r, rois += 4) {
    if (batch_of[r] < 0 || batch_of[r] >= s.batch) return Status::bad_index;
    const RoiGrid<A> grid(s, rois);
    for (Index c = 0; c < s.channels; ++c) {
      const Index image = (static_cast<Index>(batch_of[r]) * s.channels + c) * plane;
      for (Index bin = 0; bin < bins; ++bin) {
        const A each = static_cast<A>(*dy++);
        roi_bin_grad(s, grid, bin / s.out_w, bin % s.out_w, each, x + image, dx + image);
      }
    }
  }
  return Status::ok;
}

}  // namespace onnxc
