// ZipMap: converts rows of scores to maps from labels to scores.
#include "compiler/kernels/sequence_calls.hpp"
#include "compiler/ops/ml/classes.hpp"

namespace onnxc::ops::zip_map {
namespace {

void infer(Infer& n) {
  const Tensor labels = class_labels(n, "classlabels_int64s");
  if (n.has_rank(0)) rows_of(n, labels.size());
  n.output(0, Type::sequence(Type::map(labels.elem(), Type::tensor(ElemType::float32, Shape{}))));
}

void lower(Lower& n) {
  const Tensor labels = class_labels(n, "classlabels_int64s");
  Call call = n.call("zip_map", ZipMapShape<Dim>{feature_rows(n).rows, labels.size()});
  call.in(0).read(n.constant(labels, "labels")).out(0);
}

constexpr Op rows[] = {{
    .name = "ZipMap",
    .domain = "ai.onnx.ml",
    .versions = "1",
    .inputs = "X:float",
    .outputs = "Z:any",
    .attributes = "classlabels_int64s:ints classlabels_strings:strings",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::zip_map
