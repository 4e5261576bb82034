// HannWindow, HammingWindow, BlackmanWindow: window functions of a given size.
#include "compiler/kernels/signal_calls.hpp"
#include "compiler/ops/elementwise/elementwise.hpp"
#include "compiler/ops/movement/given_extents.hpp"
#include "templates/signal/cosine_window.hpp"

namespace onnxc::ops::cosine_windows {
namespace {

void infer(Infer& n) {
  const ElemType elem = n.attr_elem_type("output_datatype");
  n.require(with_number(elem, [](auto) {}), "attribute \"output_datatype\"", "is no number type");
  n.one_value(0, "input 0 \"size\"");
  const auto size = n.extents(0);
  if (size && size->size() == 1 && (*size)[0].is_const())
    n.require((*size)[0].value() >= 0, "input 0 \"size\"", "is negative");
  if (size && size->size() == 1) n.at_least((*size)[0], 0, "input 0 \"size\"");
  n.output(0, elem, Shape{size && size->size() == 1 ? (*size)[0] : n.unknown_extent()});
}

struct WindowShape {
  Index size;
  bool periodic;
};

template <CosineWindow kWindow>
void fold(Fold& n) {
  if (!worth_folding(n)) return;
  with_number(n.out_elem(0), [&](auto tag) {
    TensorBuilder y(n.out_elem(0), n.out_dims(0));
    const WindowShape s{static_cast<Index>(y.size()), n.attr_int("periodic") != 0};
    onnxc::cosine_window<kWindow>(s, y.data<decltype(tag)>());
    n.out(0, y.take());
  });
}

void lower(Lower& n, const char* window) {
  const Dim size = n.out_shape(0)[0];
  lower_given_extents(n, 0, {size});
  n.call("cosine_window", CosineWindowShape<Dim>{size, n.attr_int("periodic") != 0})
      .template_arg(window)
      .out(0);
}

void lower_hann(Lower& n) { lower(n, "CosineWindow::hann"); }
void lower_hamming(Lower& n) { lower(n, "CosineWindow::hamming"); }
void lower_blackman(Lower& n) { lower(n, "CosineWindow::blackman"); }

constexpr Op row(std::string_view name, void (*fold)(Fold&), void (*lower)(Lower&)) {
  return {
      .name = name,
      .versions = "17",
      .inputs = "size:T1",
      .outputs = "output:any",
      .types = "T1: int32 int64",
      .attributes = "output_datatype:int=1 periodic:int=1",
      .infer = infer,
      .fold = fold,
      .lower = lower,
  };
}

constexpr Op rows[] = {
    row("HannWindow", fold<CosineWindow::hann>, lower_hann),
    row("HammingWindow", fold<CosineWindow::hamming>, lower_hamming),
    row("BlackmanWindow", fold<CosineWindow::blackman>, lower_blackman),
};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::cosine_windows
