// What the Reduce operators share, from the axes to the call and the folding of constants.
#include "compiler/ops/reduction/reduction.hpp"

#include "compiler/kernels/reduction_calls.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops {
namespace {

constexpr const char* kAxes = "input 1 \"axes\"";

std::vector<std::size_t> resolve(const NodeView& n, const std::vector<std::int64_t>& given,
                                 std::size_t rank) {
  std::vector<bool> gone(rank, false);
  for (std::int64_t a : given) {
    const std::size_t axis = n.axis(a, rank, kAxes);
    n.require(!gone[axis], kAxes, "names axis {} twice", axis);
    gone[axis] = true;
  }
  const bool all = given.empty() && n.attr_int("noop_with_empty_axes") == 0;
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < rank; ++i)
    if (all || gone[i]) axes.push_back(i);
  return axes;
}

bool keeps_axes(const NodeView& n) { return n.attr_int("keepdims") != 0; }

}  // namespace

void upgrade_reduce(Upgrade& u) { u.attribute_to_input("axes", 1); }

std::optional<std::vector<std::size_t>> reduced_axes(const NodeView& n, std::size_t rank) {
  if (!n.has_input(1)) return resolve(n, {}, rank);
  if (const Tensor* t = n.constant(1)) return resolve(n, t->to_int64s(), rank);
  const Type& axes = n.input(1);
  if (axes.is_static() && product(*axes.shape).is(0)) return resolve(n, {}, rank);
  return std::nullopt;
}

namespace {

// The shape when the axes are given at run time; nullopt when not even the rank is known.
std::optional<Shape> possible(Infer& n) {
  const Shape& x = n.shape(0);
  Shape out;
  if (keeps_axes(n)) {
    for (const Dim& d : x) out.push_back(n.unknown_extent(Dim::max(d, 1)));
    return out;
  }
  if (!n.has_rank(1) || n.rank(1) != 1) return std::nullopt;
  const auto gone = n.shape(1)[0].constant();
  if (!gone || *gone < 1 || *gone > static_cast<std::int64_t>(x.size())) return std::nullopt;
  // Each is one of those that some axes may have moved past.
  for (std::size_t i = 0; i + static_cast<std::size_t>(*gone) < x.size(); ++i) {
    Dim most = x[i];
    for (std::size_t k = 1; k <= static_cast<std::size_t>(*gone); ++k)
      most = Dim::max(most, x[i + k]);
    out.push_back(n.unknown_extent(most));
  }
  return out;
}

}  // namespace

void infer_reduce(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  if (n.has_rank(1)) n.require(n.rank(1) <= 1, kAxes, "has rank {}, not 1", n.rank(1));
  if (!n.has_rank(0)) return;
  if (n.has_rank(1)) n.at_most(product(n.shape(1)), static_cast<std::int64_t>(n.rank(0)), kAxes);
  const auto axes = reduced_axes(n, n.rank(0));
  Shape out;
  if (!axes) {
    if (const auto shape = possible(n)) n.output(0, n.elem(0), *shape);
    return;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < n.rank(0); ++i) {
    const bool gone = next < axes->size() && (*axes)[next] == i;
    if (gone) ++next;
    if (!gone)
      out.push_back(n.shape(0)[i]);
    else if (keeps_axes(n))
      out.push_back(1);
  }
  n.output(0, n.elem(0), out);
}

namespace {

// Kept axes first, reduced ones last.
Tensor with_reduced_last(const Tensor& x, const std::vector<std::size_t>& axes) {
  const Shape from = to_shape(x.dims()), strides = row_major(from);
  Region r;
  const auto add = [&](bool gone) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if ((std::find(axes.begin(), axes.end(), i) != axes.end()) == gone) {
        r.dims.push_back(from[i]);
        r.from.push_back(strides[i]);
      }
  };
  add(false);
  add(true);
  r.to = row_major(r.dims);
  return fold_part(r, x, fixed(r.dims));
}

// Elements that are reduced as another type are converted first, and back.
template <class T, class C>
void reduce_as(ReduceRows<C> reduce_rows, std::span<const T> x, std::int64_t rows,
               std::int64_t count, T* y) {
  if constexpr (std::is_same_v<T, C>) {
    reduce_rows(x.data(), rows, count, y);
  } else {
    std::vector<C> from(x.size()), to(static_cast<std::size_t>(rows));
    std::transform(x.begin(), x.end(), from.begin(), [](T v) { return static_cast<C>(v); });
    reduce_rows(from.data(), rows, count, to.data());
    std::transform(to.begin(), to.end(), y, [](C v) { return static_cast<T>(v); });
  }
}

}  // namespace

void fold_reduce(Fold& n, const ReduceRowsOf& reduce_rows) {
  const auto axes = reduced_axes(n, n.in(0).dims().size());
  if (!axes || !worth_folding(n)) return;
  const Tensor x = with_reduced_last(n.in(0), *axes);
  std::int64_t count = 1;
  for (std::size_t a : *axes) count *= n.in(0).dims()[a];
  constexpr TypeList<float, double, onnxc::float16, onnxc::bfloat16, std::int32_t, std::uint32_t,
                     std::int64_t, std::uint64_t, std::int8_t, std::uint8_t, bool>
      kElements;
  with_type(x.elem(), kElements, [&](auto tag) {
    using T = decltype(tag);
    const auto rows = std::get<ReduceRows<onnxc::compute_t<T>>>(reduce_rows);
    if (!rows) return;
    TensorBuilder y(x.elem(), n.out_dims(0));
    reduce_as<T>(rows, x.as<T>(), y.size(), count, y.template data<T>());
    n.out(0, y.take());
  });
}

namespace {

// Axes of one kind that lie together in memory become one.
struct StridedAxes {
  Shape dims, strides;

  void add(const Dim& extent, const Dim& stride) {
    if (!dims.empty() && strides.back() == extent * stride) {
      dims.back() = dims.back() * extent;
      strides.back() = stride;
    } else {
      dims.push_back(extent);
      strides.push_back(stride);
    }
  }
};

void lower_run_time_axes(Lower& n, const std::string& op) {
  const Shape &x = n.shape(0), &out = n.out_shape(0);
  n.call("reduce_extents",
         ReduceExtentsShape<Dim>{x, product(n.shape(1)), keeps_axes(n),
                                 n.attr_int("noop_with_empty_axes") != 0, rank_of(out)})
      .template_arg(std::to_string(std::max<std::size_t>(x.size(), 1)))
      .in(1)
      .extents(out);
  n.call("reduce_axes",
         ReduceAxesShape<Dim>{x, product(n.shape(1)), keeps_axes(n),
                              n.attr_int("noop_with_empty_axes") != 0, rank_of(out), out})
      .template_arg("reduce_op::" + op)
      .template_arg(std::to_string(std::max<std::size_t>(x.size(), 1)))
      .in({0, 1})
      .out(0);
}

}  // namespace

// The position of a logical axis of the data.
std::size_t stored_input_axis(const Lower& n, std::size_t axis) {
  const std::size_t rank = n.shape(0).size();
  if (n.layout(0) != Layout::channels_last || axis == 0) return axis;
  return axis == 1 ? rank - 1 : axis - 1;
}

void lower_reduce(Lower& n) {
  const std::string op(n.node().op->name.substr(std::string_view("Reduce").size()));
  const std::size_t rank = n.shape(0).size();
  const auto axes = reduced_axes(n, rank);
  if (!axes) return lower_run_time_axes(n, op);
  const Shape from = n.stored(0), strides = row_major(from);
  std::vector<bool> gone(rank, false);
  for (std::size_t a : *axes) gone[stored_input_axis(n, a)] = true;
  StridedAxes kept, reduced;
  for (std::size_t i = 0; i < rank; ++i)
    if (gone[i] && !from[i].is(1)) reduced.add(from[i], strides[i]);
  // In the order of the result.
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = n.channels_last() ? i : stored_input_axis(n, i);
    if (!gone[at] && !from[at].is(1)) kept.add(from[at], strides[at]);
  }
  if (kept.dims.empty()) kept.add(1, 0);
  Call call = n.call("reduce", ReduceShape<Dim>{kept.dims, kept.strides, reduced.dims,
                                                reduced.strides, product(reduced.dims)});
  call.template_arg("reduce_op::" + op).template_arg(std::to_string(kept.dims.size()));
  call.template_arg(std::to_string(reduced.dims.size())).in(0).out(0);
}

// Without kept axes the output has another rank, and no layout of its own.
LayoutRule layout_reduce(const Node& node) {
  const NodeView n(node);
  const bool known = !n.has_input(1) || n.constant(1), keeps = n.attr_int("keepdims") != 0;
  return {.accepts = keeps && known, .reads_any = !keeps && known};
}

}  // namespace onnxc::ops
