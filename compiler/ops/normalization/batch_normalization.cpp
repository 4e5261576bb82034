// BatchNormalization: normalises every channel by running statistics, or by those of the batch in
// training; then scales and shifts.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"
#include "templates/normalization/normalization_calls.hpp"

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
  n.require(n.node().version < 14 || n.output_count() <= 3, "outputs", "more than 3");
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
  if (n.version() >= 14) return;
  const bool is_test = n.version() >= 7 || n.attr_int("is_test") != 0;
  const bool many = n.has_output(1) || n.has_output(2) || n.has_output(3) || n.has_output(4);
  n.set("training_mode", std::int64_t{many || !is_test ? 1 : 0});
  if (n.version() < 9 && n.attr_int("spatial") == 0) flatten(n);
  for (const char* old : {"spatial", "is_test", "consumed_inputs"}) n.remove(old);
}

void lower(Lower& n) {
  const Shape& x = n.shape(0);
  const bool training = n.attr_int("training_mode") != 0;
  const BatchNormShape<Dim> shape = {x[0], x.size() > 1 ? x[1] : Dim(1),
                                     product(x, std::min<std::size_t>(2, x.size()), x.size()),
                                     n.attr_float("epsilon")};
  Call call = training ? n.call("batch_norm_training",
                                BatchNormTrainingShape<Dim>{shape, n.attr_float("momentum")})
                       : n.call("batch_norm", shape);
  call.in({0, 1, 2, 3, 4}).out(0);
  if (!training) {
    call.may_share(0);
    return;
  }
  call.begin_struct("BatchStatistics");
  for (std::size_t i = 1; i < 5; ++i) call.out(i, n.elem(i < 3 ? i + 2 : i));
  call.end_struct();
}

constexpr Op rows[] = {{
    .name = "BatchNormalization",
    .versions = "1 6 7 9 14 15",
    .inputs = "X:T scale:T1 B:T1 input_mean:T2 input_var:T2",
    .outputs = "Y:T running_mean:T2? running_var:T2? saved_mean:T2? saved_var:T2?",
    .types = "T: floats; T1: floats; T2: floats",
    .attributes = "epsilon:float=1e-5 momentum:float=0.9 training_mode:int=0@14- spatial:int=1@1-8 "
                  "is_test:int=0@1-6 consumed_inputs:ints!@1-5",
    .upgrade = upgrade,
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::batch_normalization
