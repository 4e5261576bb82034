// lower_conv3d_to_conv2d: a 3-D Conv becomes a 2-D Conv, which has fast kernels. The slices that
// the kernel covers in depth become channels of one image, and every slice of the result becomes
// one image of the batch. Requires: types, Conv without a fused body. Produces: Transpose, Pad,
// Slice, Concat, Reshape around a Conv of rank 4. Leaves alone: dynamic weights or dynamic
// dimensions (except the batch), types other than float32; anything with --optimize size, as slices
// are copied once for each depth.
#include "compiler/ir/editor.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/passes/pass.hpp"

namespace onnxc::passes {
namespace {

using Integers = std::vector<std::int64_t>;

bool is_volume_conv(const Node& node, const ops::Op* conv) {
  if (node.op != conv || !node.body.empty() || !node.outputs[0]) return false;
  const Value &x = *node.inputs[0], &w = *node.inputs[1];
  if (x.type.elem != ElemType::float32 || !x.type.has_rank() || x.type.rank() != 5) return false;
  for (std::size_t i = 1; i < 5; ++i)
    if (!(*x.type.shape)[i].is_const()) return false;
  // In a Reshape a dimension of 0 would have another meaning.
  for (const Dim& d : *node.outputs[0]->type.shape)
    if (d.is(0)) return false;
  return w.constant.has_value();
}

class VolumeConv {
 public:
  VolumeConv(GraphEditor& editor, const Node& node)
      : editor_(editor), node_(node), conv_(ops::read_convolution(ops::NodeView(node))) {}

  void run() {
    const Shape& y = *node_.outputs[0]->type.shape;
    if (touches_nothing()) {
      const Shape& x = *node_.inputs[0]->type.shape;
      Value* flat = reshape(node_.inputs[0], {x[0], x[1], x[2] * x[3], x[4]});
      reshape(convolve(flat, {y[0], y[1], y[2] * y[3], y[4]}), y, node_.outputs[0]);
      return;
    }
    Value* images = convolve(stack(), {y[0] * y[2], y[1], y[3], y[4]});
    Value* slices = reshape(images, {y[0], y[2], y[1], y[3], y[4]});
    emit("Transpose", {slices}, y, {{"perm", Integers{0, 2, 1, 3, 4}}}, node_.outputs[0]);
  }

 private:
  // A kernel of one element with stride 1: no position differs from another.
  bool touches_nothing() const {
    const ops::Window& w = conv_.window;
    for (std::size_t i = 0; i < 3; ++i)
      if (!w.kernel[i].is(1) || w.stride[i] != 1 || !w.pad_begin[i].is(0) || !w.pad_end[i].is(0))
        return false;
    return true;
  }

  // [N, C, D, H, W] -> [N * output depth, C * kernel depth, H, W]
  Value* stack() {
    const ops::Window& w = conv_.window;
    const Shape& x = *node_.inputs[0]->type.shape;
    const Dim images = x[0] * w.out[0];
    Value* slices = emit("Transpose", {node_.inputs[0]}, {x[0], x[2], x[1], x[3], x[4]},
                         {{"perm", Integers{0, 2, 1, 3, 4}}});
    slices = pad(slices);
    std::vector<Value*> parts;
    for (std::int64_t k = 0; k < w.kernel[0].value(); ++k)
      parts.push_back(reshape(covered(slices, k), {images, x[1], 1, x[3], x[4]}));
    const Dim depth = w.kernel[0];
    Value* all = parts.size() == 1 ? parts[0]
                                   : emit("Concat", parts, {images, x[1], depth, x[3], x[4]},
                                          {{"axis", std::int64_t{2}}});
    return reshape(all, {images, x[1] * depth, x[3], x[4]});
  }

  // Slices of zeros before and after the volume.
  Value* pad(Value* slices) {
    const std::int64_t front = conv_.window.pad_begin[0].value(),
                       back = conv_.window.pad_end[0].value();
    if (front == 0 && back == 0) return slices;
    Shape shape = *slices->type.shape;
    shape[1] = shape[1] + Dim(front) + Dim(back);
    return emit("Pad", {slices, integers({0, front, 0, 0, 0, 0, back, 0, 0, 0})}, shape);
  }

  // The slices that layer k of the kernel reads.
  Value* covered(Value* slices, std::int64_t k) {
    const ops::Window& w = conv_.window;
    const std::int64_t first = k * w.dilation[0], count = w.out[0].value();
    Shape shape = *slices->type.shape;
    if (shape[1].is(count)) return slices;
    shape[1] = w.out[0];
    const std::int64_t end = first + (count - 1) * w.stride[0] + 1;
    return emit(
        "Slice",
        {slices, integers({first}), integers({end}), integers({1}), integers({w.stride[0]})},
        shape);
  }

  Value* convolve(Value* x, const Shape& shape) {
    const ops::Window& w = conv_.window;
    const Tensor& weights = *node_.inputs[1]->constant;
    const Integers& dims = weights.dims();
    const Tensor flat = Tensor::of<float>(
        ElemType::float32, {dims[0], dims[1] * dims[2], dims[3], dims[4]}, weights.as<float>());
    std::vector<Value*> inputs = {x, editor_.constant(flat, node_.inputs[1]->name)};
    if (node_.inputs.size() > 2) inputs.push_back(node_.inputs[2]);
    Integers pads;
    for (const Shape& side : {w.pad_begin, w.pad_end})
      for (std::size_t i = 1; i < 3; ++i) pads.push_back(side[i].value());
    return emit("Conv", inputs, shape,
                {{"group", conv_.group},
                 {"strides", Integers{w.stride[1], w.stride[2]}},
                 {"dilations", Integers{w.dilation[1], w.dilation[2]}},
                 {"pads", pads}});
  }

  Value* reshape(Value* x, const Shape& shape, Value* y = nullptr) {
    Integers dims;
    for (const Dim& d : shape) dims.push_back(d.is_const() ? d.value() : -1);
    return emit("Reshape", {x, integers(dims)}, shape, {}, y);
  }

  Value* integers(const Integers& values) {
    return editor_.constant(Tensor::ints(values), node_.outputs[0]->name + "_axes");
  }

  // Makes y if given, otherwise a new value.
  Value* emit(const char* op, const std::vector<Value*>& inputs, const Shape& shape,
              Attributes attributes = {}, Value* y = nullptr) {
    if (!y) y = editor_.value(Type::tensor(ElemType::float32, shape));
    editor_.emit_as(y, op, inputs, std::move(attributes));
    return y;
  }

  GraphEditor& editor_;
  const Node& node_;
  const ops::Convolution conv_;
};

}  // namespace

void lower_conv3d_to_conv2d(Graph& graph, PassContext& context) {
  if (context.options.optimize_size) return;
  const ops::Op* conv = ops::find("", "Conv");
  GraphEditor editor(graph);
  editor.each([&](Node& node) {
    if (!is_volume_conv(node, conv)) return;
    VolumeConv(editor, node).run();
    editor.erase(node);
  });
}

}  // namespace onnxc::passes
