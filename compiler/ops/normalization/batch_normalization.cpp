// BatchNormalization: normalises every channel by running statistics, or by those of the batch in
// training; then scales and shifts.
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/ops/axes.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/normalization/normalize.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::batch_normalization {
namespace {

constexpr const char* kVectors[] = {"", "scale", "B", "input_mean", "input_var"};

void infer(Infer& n) {
  infer_like_first(n);
  for (std::size_t i = 1; i < 3; ++i) n.output(i, n.elem(i + 2), std::nullopt);
  if (!n.has_rank(0)) return;
  const Shape& x = n.shape(0);
  n.require(x.size() >= 1, input_field(0, "X"), "rank 0, needs at least 1");
  const Dim channels = x.size() > 1 ? x[1] : Dim(1);
  for (std::size_t i = 1; i < 5; ++i) require_vector(n, i, kVectors[i], channels);
  const bool training = n.attr_int("training_mode") != 0;
  for (std::size_t i = 1; i < 5; ++i) {
    n.require(training || !n.has_output(i), "attribute \"training_mode\"",
              "statistics are outputs only while training");
    n.output(i, n.elem(i < 3 ? i + 2 : i), Shape{channels});
  }
}

// `spatial` = 0 has statistics for every position: then the positions are the channels of a
// flattened tensor.
void flatten(Upgrade& n) {
  const std::int64_t all = -1;
  Value* whole = n.constant(Tensor::ints({&all, 1}));
  const std::vector<Value*> inputs = n.node().inputs;
  std::vector<Value*> shapes;
  for (std::size_t i : {0, 3, 4}) shapes.push_back(n.emit("Shape", {inputs[i]}));
  n.set_input(0, n.emit("Flatten", {inputs[0]}, {{"axis", std::int64_t{1}}}));
  for (std::size_t i = 1; i < 5; ++i) n.set_input(i, n.emit("Reshape", {inputs[i], whole}));
  for (std::size_t i = 0; i < n.output_count(); ++i) {
    if (!n.has_output(i)) continue;
    Value* result = n.node().outputs[i];
    n.emit_after("Reshape", {n.detach_output(i), shapes[i == 0 ? 0 : 2 - i % 2]}, result);
  }
}

// Old versions: is_test (1, 6) or the number of outputs (7, 9) selects training; outputs 3 and 4
// are the statistics of the batch.
void upgrade(Upgrade& n) {
  if (n.version() >= 14) {
    // The statistics of the batch are outputs of derivatives only.
    n.require(n.output_count() <= 3, "outputs", "more than 3");
    return;
  }
  const bool is_test = n.version() >= 7 || n.attr_int("is_test") != 0;
  const bool many = n.has_output(1) || n.has_output(2) || n.has_output(3) || n.has_output(4);
  n.set("training_mode", std::int64_t{many || !is_test ? 1 : 0});
  if (n.version() < 9 && n.attr_int("spatial") == 0) flatten(n);
  for (const char* old : {"spatial", "is_test", "consumed_inputs"}) n.remove(old);
}

// With its own statistics, a float32 image may be stored channels-last.
LayoutRule layout(const Node& node) {
  const NodeView n(node);
  return {.accepts = n.attr_int("training_mode") != 0 && n.input(0).elem == ElemType::float32};
}

void add_statistics(const Lower& n, Call& call) {
  call.begin_struct("BatchStatistics");
  for (std::size_t i = 1; i < 5; ++i) call.out(i, n.elem(i < 3 ? i + 2 : i));
  call.end_struct();
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const bool training = n.attr_int("training_mode") != 0;
  const BatchNormShape<Dim> shape = {x[0], x.size() > 1 ? x[1] : Dim(1),
                                     product(x, std::min<std::size_t>(2, x.size()), x.size()),
                                     n.attr_float("epsilon")};
  if (!training) {
    n.call("batch_norm", shape).in({0, 1, 2, 3, 4}).out(0).may_share(0);
    return;
  }
  Call call = n.call(n.channels_last() ? KernelName("batch_norm_training_nhwc")
                                       : KernelName("batch_norm_training"),
                     BatchNormTrainingShape<Dim>{shape, n.attr_float("momentum")});
  add_statistics(n, call.in({0, 1, 2, 3, 4}).out(0));
  call.divisible();
}

// All axes but that of the channels.
std::vector<std::int64_t> shared_axes(const Gradient& n) {
  std::vector<std::int64_t> axes = axis_numbers_from(0, n.shape(0).size());
  if (axes.size() > 1) axes.erase(axes.begin() + 1);
  return axes;
}

// A value for each channel along the channels of X, in its element type.
Term along_channels(const Gradient& n, Term v) {
  std::vector<std::int64_t> dims(n.shape(0).size(), 1);
  dims[dims.size() > 1 ? 1 : 0] = -1;
  return n.emit("Reshape", {convert(v, n.x().type().elem), n.list(dims)});
}

void gradient_of_inference(Gradient& n) {
  const ElemType elem = n.x().type().elem;
  const auto vector = [&](std::size_t i) { return convert(n.x(i), elem); };
  const Term factor = vector(1) / apply("Sqrt", vector(4) + double{n.attr_float("epsilon")});
  const Term centred = n.x() - along_channels(n, n.x(3));
  n.by_definition({centred * along_channels(n, factor) + along_channels(n, n.x(2))});
}

// The outputs from 1 on: statistics, from version 14 on mixed with the older ones.
void gradient_of_statistics(Gradient& n) {
  const ElemType elem = n.x(3).type().elem;
  const auto axes = shared_axes(n);
  const auto mean_of = [&](Term v) { return n.emit("ReduceMean", {v, n.list(axes)}); };
  const auto vector = [&](Term v) { return convert(n.emit("Reshape", {v, n.list({-1})}), elem); };
  const Term middle = mean_of(n.x()), centred = n.x() - middle;
  const Term mean = vector(middle), variance = vector(mean_of(centred * centred));
  const double momentum = double{n.attr_float("momentum")};
  const auto running = [&](std::size_t i, Term now) {
    return n.x(i) * momentum + now * (1 - momentum);
  };
  n.by_definition({nullptr, running(3, mean), running(4, variance), mean, variance});
}

bool has_statistics_dy(const Gradient& n) {
  for (std::size_t i = 1; i < n.output_count(); ++i)
    if (n.has_dy(i)) return true;
  return false;
}

void gradient_of_training(Gradient& n) {
  if (has_statistics_dy(n)) gradient_of_statistics(n);
  n.zero(3);
  n.zero(4);
  if (n.has_dy(0)) return gradient_of_channels(n, {.of_batch = true});
  n.zero(1);
  n.zero(2);
}

void gradient(Gradient& n) {
  n.shape(0);
  if (n.attr_int("training_mode") != 0) return gradient_of_training(n);
  gradient_of_inference(n);
}

void axes(Axes& n) {
  if (n.output_count() > 1) return;
  n.same_but(0, 0);
  for (std::size_t i = 1; i < 5; ++i)
    if (n.rank(0) > 1 && n.ranked(i) && n.rank(i) == 1) n.input(i, 0, n.inputs()[0][1]);
}

constexpr Op rows[] = {{
    .name = "BatchNormalization",
    .versions = "1 6 7 9 14 15",
    .inputs = "X:T scale:T1 B:T1 input_mean:T2 input_var:T2",
    .outputs = "Y:T running_mean:T2? running_var:T2? saved_mean:T2? saved_var:T2?",
    .types = "T: floats; T1: floats; T2: floats",
    .attributes = "epsilon:float=1e-5 momentum:float=0.9 training_mode:int=0@14- spatial:int=1@1-8 "
                  "is_test:int=0@1-6 consumed_inputs:ints!@1-5",
    .settings = "input_mean input_var",
    .upgrade = upgrade,
    .infer = infer,
    .axes = axes,
    .lower = lower,
    .layout = layout,
    .gradient = gradient,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::batch_normalization
