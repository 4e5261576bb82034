// onnxc::CastText: Cast between numbers and strings.
#include "compiler/kernels/shape_struct.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::cast_text {
namespace {

void infer(Infer& n) { n.output(0, n.attr_elem_type("to"), n.input(0).shape); }

void lower(Lower& n) {
  const Dim count = product(n.out_shape(0));
  if (n.elem(0) == ElemType::string)
    n.call("numbers_from_text", CountShape<Dim>{count}).in(0).out(0);
  else
    n.call("text_from_numbers", CountShape<Dim>{count}).in(0).out(0).heap();
}

constexpr Op rows[] = {internal({
    .name = "CastText",
    .inputs = "input:T1",
    .outputs = "output:any",
    .types = "T1: numeric bool string small",
    .attributes = "to:int! saturate:int=1 round_mode:string=up",
    .infer = infer,
    .lower = lower,
})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cast_text
