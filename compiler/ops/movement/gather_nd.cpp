// GatherND and ScatterND: read or write slices selected by index tuples.
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/movement/scatter.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::gather_nd {
namespace {

constexpr const char* kIndices = "input 1 \"indices\"";

std::size_t batch_dims(const NodeView& n) {
  const std::int64_t b = n.find_int("batch_dims").value_or(0);
  n.require(b >= 0 && b < 64, "attribute \"batch_dims\"", "{} is out of range", b);
  return static_cast<std::size_t>(b);
}

// The rank of the updates or of the gathered result, which have the indices' outer axes; -1 if
// unknown.
std::int64_t others_rank(const NodeView& n) {
  const bool scatters = n.node().op->name == "ScatterND";
  const Type& other = scatters ? n.input(2) : n.output_value(0).type;
  return other.has_rank() ? static_cast<std::int64_t>(other.rank()) : -1;
}

// Length of an index tuple, checked against the data; nullopt when unknown.
std::optional<std::size_t> depth_of(const NodeView& n, std::size_t batch) {
  const Shape &data = *n.input(0).shape, &indices = *n.input(1).shape;
  n.require(data.size() >= 1, "input 0 \"data\"", "must not be a scalar");
  n.require(indices.size() >= 1, kIndices, "must not be a scalar");
  n.require(batch < indices.size() && batch < data.size(), "attribute \"batch_dims\"",
            "{} does not fit ranks {} and {}", batch, data.size(), indices.size());
  for (std::size_t i = 0; i < batch; ++i) n.same(data[i], indices[i], kIndices);
  const auto known = indices.back().constant();
  // An unknown tuple length follows from the ranks.
  const std::int64_t rest = known ? 0 : others_rank(n);
  if (!known && rest < 0) return std::nullopt;
  const std::int64_t depth =
      known ? *known : static_cast<std::int64_t>(data.size() + indices.size() - batch) - 1 - rest;
  n.require(depth >= 1 && depth <= static_cast<std::int64_t>(data.size() - batch), kIndices,
            "tuples of {} for an input of rank {}", depth, data.size());
  n.same(indices.back(), depth, kIndices);
  return static_cast<std::size_t>(depth);
}

void check_constant(const NodeView& n, const Shape& data, std::size_t batch, std::size_t depth) {
  const Tensor* t = n.constant(1);
  if (!t) return;
  const auto all = t->to_int64s();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Dim& extent = data[batch + i % depth];
    if (!extent.is_const()) continue;
    n.require(all[i] >= -extent.value() && all[i] < extent.value(), kIndices,
              "index {} is outside an axis of {}", all[i], extent.value());
  }
}

void infer_gather(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  const std::size_t batch = batch_dims(n);
  const auto depth = depth_of(n, batch);
  if (!depth) return;
  check_constant(n, n.shape(0), batch, *depth);
  Shape out(n.shape(1).begin(), n.shape(1).end() - 1);
  out.insert(out.end(), n.shape(0).begin() + static_cast<std::ptrdiff_t>(batch + *depth),
             n.shape(0).end());
  n.output(0, n.elem(0), out);
}

void infer_scatter(Infer& n) {
  infer_unary(n);
  if (!n.has_rank(0) || !n.has_rank(1)) return;
  const auto depth = depth_of(n, 0);
  if (!depth) return;
  check_constant(n, n.shape(0), 0, *depth);
  if (!n.has_rank(2)) return;
  const std::size_t want = n.rank(1) - 1 + n.rank(0) - *depth;
  n.require(n.rank(2) == want, "input 2 \"updates\"", "has rank {}, not {}", n.rank(2), want);
  for (std::size_t i = 0; i < want; ++i) {
    const Dim& d = i + 1 < n.rank(1) ? n.shape(1)[i] : n.shape(0)[*depth + i + 1 - n.rank(1)];
    n.same(n.shape(2)[i], d, "input 2 \"updates\"");
  }
}

template <class V>
V part(const V& v, std::size_t first, std::size_t count) {
  const auto from = v.begin() + static_cast<std::ptrdiff_t>(first);
  return {from, from + static_cast<std::ptrdiff_t>(count)};
}

IndexTuples<Dim> index_tuples(const Lower& n, std::size_t batch, std::size_t depth) {
  const Shape &data = n.shape(0), &indices = n.shape(1);
  return {product(indices, batch, indices.size() - 1), product(data, batch + depth, data.size()),
          part(data, batch, depth), part(row_major(data), batch, depth)};
}

std::size_t known_depth(Lower& n, std::size_t batch) {
  const auto depth = depth_of(n, batch);
  if (!depth) n.unsupported(kIndices, "index tuples of dynamic length");
  return *depth;
}

void lower_gather(Lower& n) {
  const std::size_t batch = batch_dims(n), depth = known_depth(n, batch);
  const Shape& data = n.shape(0);
  Call call = n.call("gather_nd",
                     GatherNdShape<Dim>{product(data, 0, batch), product(data, batch, data.size()),
                                        index_tuples(n, batch, depth)});
  call.template_arg(std::to_string(depth)).in({0, 1}).out(0);
}

void lower_scatter(Lower& n) {
  const std::size_t depth = known_depth(n, 0);
  Call call =
      n.call("scatter_nd", ScatterNdShape<Dim>{product(n.shape(0)), index_tuples(n, 0, depth)});
  call.template_arg(std::to_string(depth)).template_arg(scatter_op(n)).in({0, 1, 2}).out(0);
  call.may_share(0);
}

// With batches the indices of the elements are gathered.
void gradient_of_gather(Gradient& n) {
  if (n.attr_int("batch_dims") != 0) return gradient_of_moved_elements(n);
  n.dx(0, n.emit("ScatterND", {n.builder().filled(0, n.x()), n.x(1), n.dy()},
                 {{"reduction", std::string("add")}}));
}

constexpr Op rows[] = {
    {
        .name = "GatherND",
        .versions = "11 12 13",
        .inputs = "data:T indices:int64",
        .outputs = "output:T",
        .types = "T: numeric complex bool string",
        .attributes = "batch_dims:int=0@12-",
        .infer = infer_gather,
        .lower = lower_gather,
        .gradient = gradient_of_gather,
    },
    {.name = "ScatterND",
     .versions = "11 13 16 18",
     .inputs = "data:T indices:int64 updates:T",
     .outputs = "output:T",
     .types = "T: numeric complex bool string",
     .attributes = "reduction:string=none@16-",
     .infer = infer_scatter,
     .lower = lower_scatter,
     .gradient = [](Gradient& n) { gradient_of_scatter(n, "GatherND"); }},
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::gather_nd
