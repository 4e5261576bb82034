// Stores the slices of a scan output in place, in a growing buffer, or in a sequence.
#include "compiler/ops/control_flow/scan_output.hpp"

#include <algorithm>

#include "compiler/kernels/movement_calls.hpp"
#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/ops/control_flow/body.hpp"
#include "compiler/ops/region.hpp"
#include "compiler/ops/sequence/container.hpp"

namespace onnxc::ops {

namespace {

constexpr const char* kTapes = "tapes";

}  // namespace

bool is_tape(const NodeView& n, std::size_t output) {
  const Attribute* found = n.node().find(kTapes);
  if (!found) return false;
  const auto& tapes = std::get<std::vector<std::int64_t>>(*found);
  return std::count(tapes.begin(), tapes.end(), static_cast<std::int64_t>(output)) > 0;
}

void make_tape(Node& node, std::size_t output) {
  const auto it = node.attributes.emplace(kTapes, std::vector<std::int64_t>{}).first;
  std::get<std::vector<std::int64_t>>(it->second).push_back(static_cast<std::int64_t>(output));
}

bool is_size_known(Lower& n, const Shape& shape) {
  std::vector<std::string> symbols;
  for (const Dim& d : shape) d.collect_symbols(symbols);
  return std::all_of(symbols.begin(), symbols.end(),
                     [&](const std::string& name) { return n.program().symbol(name) != nullptr; });
}

ScanOutput::ScanOutput(Lower& n, std::size_t output, const Type& slice,
                       std::optional<Shape> capacity, std::size_t axis, bool reverse)
    : output_(output), axis_(axis), reverse_(reverse), capacity_(std::move(capacity)) {
  is_tape_ = is_tape(n, output);
  if (is_tape_) {
    in_sequence_ = true;
    collected_ = n.out(output);
    n.call("sequence_empty").write(collected_);
    return;
  }
  const bool fixed_rank = slice.is_tensor() && slice.has_rank();
  in_sequence_ = !fixed_rank || n.is_object(n.out(output));
  if (in_sequence_) {
    if (reverse || (axis != 0 && n.is_object(n.out(output))))
      n.unsupported("", "slices of unknown rank along another axis or backwards");
    collected_ = n.scratch_like(Type::sequence(Type::tensor(slice.elem)), "slices");
    n.call("sequence_empty").write(collected_);
  } else if (!capacity_) {
    Shape whole = element(n);
    whole.insert(whole.begin(), n.out_shape(output)[axis]);
    const bool in_order = axis == 0 && !reverse;
    collected_ = in_order ? n.out(output)
                          : n.scratch_like(Type::tensor(n.out_elem(output), whole), "slices");
  }
}

Shape ScanOutput::element(Lower& n) const {
  Shape s = n.out_shape(output_);
  s.erase(s.begin() + static_cast<std::ptrdiff_t>(axis_));
  return s;
}

void ScanOutput::add(Lower& n, BufferId slice, BufferId counter) const {
  if (in_sequence_) return append(n, slice, collected_);
  if (capacity_) return put(n, slice, counter);
  grow(n, slice, counter);
}

void ScanOutput::put(Lower& n, BufferId slice, BufferId counter) const {
  const Shape wanted = element(n), found = n.program().at(slice).shape;
  std::vector<Relation> relations;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (!(found[k] == wanted[k])) relations.push_back({found[k], wanted[k], false});
  n.check_sizes(std::move(relations));
  put_slice(n, slice, counter, n.out(output_), axis_, *capacity_, reverse_);
}

void ScanOutput::grow(Lower& n, BufferId slice, BufferId counter) const {
  const Shape known = element(n);
  Call call = n.call("append_slice",
                     AppendSliceShape<Dim>{rank_of(known), n.program().at(slice).shape, known});
  call.read(slice).read(counter).block(collected_).extents(known);
}

void ScanOutput::finish(Lower& n) const {
  if (is_tape_) return;
  if (in_sequence_) return stack(n);
  if (!capacity_ && collected_ != n.out(output_)) copy_in_order(n);
}

// Copies the collected slices to their axis and direction.
void ScanOutput::copy_in_order(Lower& n) const {
  const Shape& to = n.out_shape(output_);
  Region r = whole(to);
  const Shape strides = row_major(n.program().at(collected_).shape);
  for (std::size_t k = 0; k < to.size(); ++k)
    r.from[k] = k == axis_ ? strides[0] : strides[k < axis_ ? k + 1 : k];
  if (reverse_) {
    r.from_offset = (to[axis_] - Dim(1)) * strides[0];
    r.from[axis_] = Dim(-1) * strides[0];
  }
  lower_region(n, r, collected_, n.out(output_));
}

void ScanOutput::stack(Lower& n) const {
  const BufferId to = n.out(output_);
  if (n.is_object(to)) {
    n.call("stack_sequence").read(collected_).write(to);
    return;
  }
  const Shape& y = n.out_shape(output_);
  n.call("concat_sequence_extents",
         ConcatSequenceExtentsShape<Dim>{rank_of(y), static_cast<std::int64_t>(axis_), true})
      .read(collected_)
      .extents(y);
  n.call("concat_sequence",
         ConcatSequenceShape<Dim>{product(y, 0, axis_), y[axis_], product(y, axis_ + 1, y.size()),
                                  static_cast<std::int64_t>(axis_), true})
      .read(collected_)
      .write(to);
}

}  // namespace onnxc::ops
