// Identity: returns its input.
#include "compiler/ops/axes.hpp"
#include "compiler/ops/fold.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"

namespace onnxc::ops::identity {
namespace {

void fold(Fold& n) { n.out(0, n.in(0)); }

void lower(Lower& n) { n.alias(0, 0); }

LayoutRule layout(const Node&) { return {.accepts = true}; }

constexpr Op rows[] = {
    {.name = "Identity",
     .versions = "1 13 14 16 19 21 23 24 25",
     .inputs = "input:any",
     .outputs = "output:any",
     .infer = infer_like_first,
     .axes = axes_like_first,
     .fold = fold,
     .lower = lower,
     .layout = layout,
     .moves_elements = always,
     .forwards = always,
     .gradient = [](Gradient& n) { n.dx(0, n.dy()); }},
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::identity
