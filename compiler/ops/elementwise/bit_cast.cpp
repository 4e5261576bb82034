// BitCast: reinterprets bits as another element type of the same width.
#include "compiler/ops/elementwise/elementwise.hpp"
#include "templates/shape_struct.hpp"

namespace onnxc::ops::bit_cast {
namespace {

void infer(Infer& n) {
  const ElemType to = n.attr_elem_type("to");
  n.require(info(to).bits == info(n.elem(0)).bits && info(to).bits > 0, "attribute \"to\"",
            "{} is not as wide as {}", info(to).onnx_name, info(n.elem(0)).onnx_name);
  n.output(0, to, n.input(0).shape);
}

void fold(Fold& n) {
  if (n.out_elem(0) == ElemType::boolean || info(n.out_elem(0)).bits < 8) return;
  const auto bytes = n.in(0).bytes();
  n.out(0, {n.out_elem(0), n.out_dims(0), Blob::owned({bytes.begin(), bytes.end()})});
}

void lower(Lower& n) { n.call("bit_cast", CountShape<Dim>{product(n.out_shape(0))}).in(0).out(0); }

constexpr Op rows[] = {{
    .name = "BitCast",
    .versions = "26",
    .inputs = "input:T1",
    .outputs = "output:any",
    .types = "T1: numeric bool small complex",
    .attributes = "to:int!",
    .infer = infer,
    .fold = fold,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::bit_cast
