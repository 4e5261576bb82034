// lower_to_int8: convolutions and matrix products of dequantised values read the int8 values
// themselves, and data movement is moved before DequantizeLinear. Requires: types,
// Value::quantized. Produces: onnxc::ConvInt8, onnxc::MatMulInt8 and similar, followed by
// element-wise scaling, and means of integers; the same for float32 activations times quantised
// weights, except with --fp strict. Leaves alone: scales or zero points of activations that are not
// constant; weights less their zero points that int8 + int8 cannot represent (255); sums that may
// overflow int32.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/passes/quantization/quant_params.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::passes {
namespace {

// A tensor of equal elements, or of elements in sequence, as one number.
double element(const Tensor& t, std::int64_t i) { return t.number(t.size() == 1 ? 0 : i); }

// Quantised weights less their zero points, and one scale per row, or one for all.
struct Weights {
  Tensor rows;                 // int8
  std::optional<Tensor> rest;  // int8, to be added where int8 is not enough
  std::vector<float> scales;

  int number(std::int64_t i) const {
    const auto at = static_cast<std::size_t>(i);
    return rows.as<std::int8_t>()[at] + (rest ? rest->as<std::int8_t>()[at] : 0);
  }
};

// Weights of q: [rows, ...], with a scale and zero point for all rows or for each.
std::optional<Weights> read_weights(const Tensor* q, const Tensor* scale, const Tensor* zero) {
  if (!q || !scale || !is_byte(q->elem()) || q->dims().empty() ||
      scale->elem() != ElemType::float32)
    return {};
  const std::int64_t rows = q->dims()[0];
  // Of more axes it may be one for each matrix of a batch.
  const auto fits = [&](const Tensor& t) {
    return t.size() == 1 || (t.size() == rows && t.dims().size() <= 2);
  };
  if (rows == 0 || q->size() == 0 || !fits(*scale) || (zero && !fits(*zero))) return {};
  auto split = ops::without_zero_points(*q, zero);
  if (!split) return {};
  Weights w{std::move(split->rows), std::move(split->rest), {}};
  const auto scales = scale->as<float>();
  w.scales.assign(scales.begin(), scales.end());
  return w;
}

// Whether int32 holds the sum of every row for all activations.
bool sums_fit(const Weights& w, const Tensor* bias) {
  const std::int64_t rows = w.rows.dims()[0], length = w.rows.size() / rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t most = bias ? std::abs(static_cast<std::int64_t>(bias->number(row))) : 0;
    for (std::int64_t i = row * length; i < (row + 1) * length; ++i) {
      most += 255 * static_cast<std::int64_t>(std::abs(w.number(i)));
    }
    if (most > std::numeric_limits<std::int32_t>::max()) return false;
  }
  return true;
}

// The transposed matrix; null if this is not an int8 or uint8 matrix.
std::optional<Tensor> transposed(const Tensor* t) {
  if (!t || t->dims().size() != 2 || !is_byte(t->elem())) return {};
  const std::int64_t rows = t->dims()[0], columns = t->dims()[1];
  const auto from = t->as<std::int8_t>();
  std::vector<std::int8_t> to;
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      to.push_back(from[static_cast<std::size_t>(i * columns + j)]);
  return Tensor::of<std::int8_t>(t->elem(), {columns, rows}, to);
}

// The tensor of bytes with its first two axes exchanged.
Tensor with_axes_swapped(const Tensor& t) {
  std::vector<std::int64_t> dims = t.dims();
  const std::int64_t rows = dims[0], columns = dims[1],
                     inner = t.size() == 0 ? 0 : t.size() / (rows * columns);
  std::swap(dims[0], dims[1]);
  const auto from = t.as<std::int8_t>();
  std::vector<std::int8_t> to;
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t k = 0; k < inner; ++k)
        to.push_back(from[static_cast<std::size_t>((i * columns + j) * inner + k)]);
  return Tensor::of<std::int8_t>(t.elem(), dims, to);
}

const Tensor* constant_of(const Node& n, std::size_t i) { return ops::NodeView(n).constant(i); }

// The integers that a constant was dequantised from, with scales for all rows or along `axis`.
const QuantizedConstant* quantized_constant(const Value* v, std::size_t axis) {
  const QuantizedConstant* q = v ? v->quantized.get() : nullptr;
  return q && (q->scale.size() == 1 || q->axis == axis) ? q : nullptr;
}

const Tensor* zero_point_of(const QuantizedConstant& q) {
  return q.zero_point ? &*q.zero_point : nullptr;
}

std::optional<Weights> weights_of(const Value* v) {
  const QuantizedConstant* q = quantized_constant(v, 0);
  if (!q) return {};
  return read_weights(&q->integers, &q->scale, zero_point_of(*q));
}

// The weights of a matrix with one row per output, or, transposed, one column.
std::optional<Weights> matrix_weights(const Value* v, bool by_column) {
  if (!by_column) return v->type.has_rank() && v->type.rank() == 2 ? weights_of(v) : std::nullopt;
  const QuantizedConstant* q = quantized_constant(v, 1);
  const auto columns = q ? transposed(&q->integers) : std::nullopt;
  return columns ? read_weights(&*columns, &q->scale, zero_point_of(*q)) : std::nullopt;
}

class Int8Lowering {
 public:
  Int8Lowering(Graph& graph, bool strict, bool small_memory)
      : editor_(graph), strict_(strict), small_memory_(small_memory) {}

  void run() {
    editor_.each([&](Node& node) {
      Node* n = &node;
      const bool gone = is_a(n, "Conv")                ? convolution(*n)
                        : is_a(n, "QLinearConv")       ? quantised_convolution(*n)
                        : is_a(n, "MatMul")            ? product(*n, true) || dynamic_product(*n)
                        : is_a(n, "Gemm")              ? gemm(*n)
                        : is_a(n, "QLinearMatMul")     ? quantised_product(*n)
                        : is_a(n, "MatMulInteger")     ? integer_product(*n)
                        : is_a(n, "ConvInteger")       ? integer_convolution(*n)
                        : is_a(n, "ConvTranspose")     ? transposed_convolution(*n)
                        : is_a(n, "AveragePool")       ? average(*n, "AveragePoolInt8")
                        : is_a(n, "GlobalAveragePool") ? average(*n, "GlobalAveragePoolInt8")
                        : is_a(n, "Cast")              ? sums_as_floats(*n)
                        : is_a(n, "QuantizeLinear")    ? quantised_again(*n)
                                                       : false;
      if (gone)
        editor_.erase(node);
      else if (ops::moves_elements(node) || pads_integers(node))
        move_before(node);
    });
  }

 private:
  // Values along axis `axis` of a result of this rank, or a single one if they are all equal.
  Value* along_axis(const std::vector<float>& numbers, std::size_t axis, std::size_t rank) {
    const bool same =
        std::all_of(numbers.begin(), numbers.end(), [&](float v) { return v == numbers[0]; });
    std::vector<std::int64_t> dims;
    if (!same) {
      dims.assign(rank - axis, 1);
      dims[0] = static_cast<std::int64_t>(numbers.size());
    }
    const std::span<const float> values(numbers.data(), same ? 1 : numbers.size());
    return editor_.constant(Tensor::of<float>(ElemType::float32, dims, values));
  }

  static std::vector<float> products(const std::vector<float>& weights, float scale,
                                     std::int64_t count) {
    std::vector<float> scales;
    for (std::int64_t i = 0; i < count; ++i)
      scales.push_back(scale * weights[weights.size() == 1 ? 0 : static_cast<std::size_t>(i)]);
    return scales;
  }

  // The bias as int32 multiples of the product of scales, if the model stores it so.
  static const Tensor* integer_bias(const Value* b, const std::vector<float>& scales) {
    const QuantizedConstant* q = quantized_constant(b, 0);
    if (!q || q->integers.elem() != ElemType::int32 || q->integers.dims().size() != 1 ||
        q->integers.size() != static_cast<std::int64_t>(scales.size()))
      return nullptr;
    for (std::int64_t i = 0; i < q->integers.size(); ++i) {
      const double want = scales[static_cast<std::size_t>(i)];
      if (q->zero_point && element(*q->zero_point, i) != 0) return nullptr;
      if (std::abs(element(q->scale, i) - want) > 1e-5 * want) return nullptr;
    }
    return &q->integers;
  }

  // No bias, or a constant one for all columns or for each.
  static bool fits_bias(const Value* b, std::int64_t columns) {
    if (!b) return true;
    return b->constant && b->type.elem == ElemType::float32 &&
           (b->constant->size() == columns || b->constant->size() == 1);
  }

  bool convolution(Node& n) {
    const auto x = dequantized_bytes(n.inputs[0]);
    if (!x || !fits_kernel(*x->integers)) return false;
    const auto w = weights_of(n.inputs[1]);
    if (!w) return false;
    return scaled(n, *x, *w, n.inputs.size() > 2 ? n.inputs[2] : nullptr, 1);
  }

  // Weights are [inputs, outputs, ...].
  bool transposed_convolution(Node& n) {
    const auto x = dequantized_bytes(n.inputs[0]);
    const QuantizedConstant* q = quantized_constant(n.inputs[1], 1);
    if (!x || !q || !fits_kernel(*x->integers) || !is_byte(q->integers.elem()) ||
        q->integers.dims().size() != x->integers->type.rank() ||
        ops::NodeView(n).attr_int("group") != 1)
      return false;
    const Tensor rows = with_axes_swapped(q->integers);
    const auto w = read_weights(&rows, &q->scale, zero_point_of(*q));
    return w && scaled(n, *x, *w, n.inputs.size() > 2 ? n.inputs[2] : nullptr, 1);
  }

  // The int32 sums times their scales, plus a constant bias; its channels, or columns, are along
  // `axis`.
  bool scaled(Node& n, const QuantizedValue& x, const Weights& w, const Value* b,
              std::size_t axis) {
    const std::int64_t columns = w.rows.dims()[0];
    if (!fits_bias(b, columns)) return false;
    const std::vector<float> scales = products(w.scales, x.params.scale, columns);
    const Tensor* whole = b ? integer_bias(b, scales) : nullptr;
    if (!sums_fit(w, whole)) return false;
    Value* y = sums(n, x, w, whole);
    return append_scales(n, y, scales, whole ? nullptr : b, axis);
  }

  // y times scales, plus a constant bias: the result of n.
  bool append_scales(Node& n, Value* y, const std::vector<float>& scales, const Value* b,
                     std::size_t axis) {
    const Type& type = n.outputs[0]->type;
    y = editor_.emit("Mul", {y, along_axis(scales, axis, type.rank())}, type);
    if (b) {
      const auto values = b->constant->as<float>();
      Value* numbers = along_axis({values.begin(), values.end()}, axis, type.rank());
      y = editor_.emit("Add", {y, numbers}, type);
    }
    editor_.set_output(*y->producer, 0, n.outputs[0]);
    return true;
  }

  static bool fits_product(const Value& a, const Weights& w) {
    return a.type.has_rank() && a.type.rank() >= 2 && a.type.shape->back().is(w.rows.dims()[1]);
  }

  bool product(Node& n, bool by_column, const Value* bias = nullptr) {
    const auto w = matrix_weights(n.inputs[1], by_column);
    if (!w) return false;
    const auto a = dequantized_bytes(n.inputs[0]);
    if (!a) return float_product(n, *w, bias);
    return fits_product(*a->integers, *w) && scaled(n, *a, *w, bias, n.outputs[0]->type.rank() - 1);
  }

  // float32 activations times quantised weights: the integers are stored in packed weights with
  // fewer bits, and scaling follows.
  bool float_product(Node& n, const Weights& w, const Value* b) {
    if (strict_ || n.inputs[0]->constant || n.inputs[0]->type.elem != ElemType::float32 ||
        !fits_product(*n.inputs[0], w))
      return false;
    const std::int64_t columns = w.rows.dims()[0], depth = w.rows.dims()[1];
    if (!fits_bias(b, columns)) return false;
    std::vector<float> numbers;
    for (std::int64_t k = 0; k < depth; ++k)
      for (std::int64_t j = 0; j < columns; ++j)
        numbers.push_back(static_cast<float>(w.number(j * depth + k)));
    const Type& type = n.outputs[0]->type;
    Value* whole = editor_.constant(Tensor::of<float>(ElemType::float32, {depth, columns}, numbers),
                                    n.inputs[1]->name);
    Value* y = editor_.emit("MatMul", {n.inputs[0], whole}, type);
    return append_scales(n, y, products(w.scales, 1.0f, columns), b, type.rank() - 1);
  }

  // Whether the value is quantised at once, or after a few steps with constants, and read by
  // nothing else.
  static bool is_requantised(const Value& v) {
    constexpr int kFarthest = 4;
    const Value* at = &v;
    for (int i = 0; i < kFarthest; ++i) {
      const Node* reader = only_user(*at);
      if (!reader) return false;
      if (is_a(reader, "QuantizeLinear"))
        return reader->inputs[0] == at && quantized(reader->outputs[0]).has_value();
      const auto varies = [&](const Value* x) { return x && x != at && !x->constant; };
      if (!reader->op->scalar || std::any_of(reader->inputs.begin(), reader->inputs.end(), varies))
        return false;
      at = reader->outputs[0];
    }
    return false;
  }

  // Whether int32 holds the sum of all products of this many bytes.
  static bool byte_sums_fit(const Dim& depth) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() / (255 * 255);
    return depth.is_const() && depth.value() >= 1 && depth.value() <= kMost;
  }

  // What Transpose does without a permutation.
  static std::vector<std::int64_t> reversed_axes(std::size_t rank) {
    std::vector<std::int64_t> axes(rank);
    std::iota(axes.rbegin(), axes.rend(), 0);
    return axes;
  }

  // Bytes as an operand of a product: as they are before a Transpose, with its permutation.
  Value* operand(Value* v, const char* perm, Attributes& attributes) const {
    const Node* n = v->producer;
    while (n && is_a(n, "Identity")) n = n->inputs[0]->producer;
    if (!n || !is_a(n, "Transpose") || n->graph != &editor_.graph() || !v->type.has_rank())
      return v;
    const auto* const given = ops::NodeView(*n).find_ints("perm");
    std::vector<std::int64_t> axes = given ? *given : reversed_axes(v->type.rank());
    // The columns of A follow each other.
    if (perm[0] == 'a' && axes.back() + 1 != static_cast<std::int64_t>(axes.size())) return v;
    attributes.emplace(perm, axes);
    return n->inputs[0];
  }

  // Products of bytes both known only at run time: the sums less their zero points as floats.
  Value* byte_product(const Node& n, const QuantizedValue& a, const QuantizedValue& b) {
    Type type = n.outputs[0]->type;
    type.elem = ElemType::float32;
    Attributes attributes = {{"a_zero", static_cast<std::int64_t>(a.params.zero)},
                             {"b_zero", static_cast<std::int64_t>(b.params.zero)}};
    Value* left = operand(a.integers, "a_perm", attributes);
    Value* right = operand(b.integers, "b_perm", attributes);
    return editor_.emit(ops::get("MatMulInt8Dynamic", "onnxc"), {left, right}, type,
                        std::move(attributes));
  }

  static bool are_matrices(const Value& a, const Value& b) {
    return a.type.has_rank() && b.type.has_rank() && a.type.rank() >= 2 && b.type.rank() >= 2 &&
           byte_sums_fit(a.type.shape->back());
  }

  // Only where bytes come and go: elsewhere one kernel may do the products, the softmax between
  // them, and what is around them. Targets with vectors multiply floats faster than bytes that they
  // have to pack first.
  bool dynamic_product(Node& n) {
    if (!small_memory_) return false;
    const auto a = dequantized_bytes(n.inputs[0]), b = dequantized_bytes(n.inputs[1]);
    if (!a || !b || !are_matrices(*a->integers, *b->integers) || !is_requantised(*n.outputs[0]))
      return false;
    const std::vector<float> scale = {a->params.scale * b->params.scale};
    return append_scales(n, byte_product(n, *a, *b), scale, nullptr, n.outputs[0]->type.rank() - 1);
  }

  bool gemm(Node& n) {
    const ops::NodeView view(n);
    const Value* c = view.has_input(2) ? n.inputs[2] : nullptr;
    if (view.attr_int("transA") != 0 || view.attr_float("alpha") != 1.0f) return false;
    if (c && (view.attr_float("beta") != 1.0f || !c->type.has_rank() || c->type.rank() != 1))
      return false;
    return product(n, view.attr_int("transB") == 0, c);
  }

  // 2-D convolutions, and 1-D convolutions as images of one row.
  static bool fits_kernel(const Value& x) {
    const Type& t = x.type;
    return t.has_rank() && (t.rank() == 3 || t.rank() == 4) && (*t.shape)[1].is_const();
  }

  Value* sums(const Node& n, const QuantizedValue& x, const Weights& w, const Tensor* bias,
              Value* zero = nullptr) {
    const bool transposes = is_a(&n, "ConvTranspose");
    const bool image =
        transposes || is_a(&n, "Conv") || is_a(&n, "QLinearConv") || is_a(&n, "ConvInteger");
    const auto stored = [&](const Tensor& rows) {
      return editor_.constant(transposes ? with_axes_swapped(rows) : rows);
    };
    Attributes attributes;
    for (const char* name : {"auto_pad", "dilations", "group", "kernel_shape", "output_padding",
                             "output_shape", "pads", "strides"})
      if (const Attribute* a = image ? n.find(name) : nullptr) attributes.emplace(name, *a);
    attributes.emplace(image ? "x_zero" : "a_zero", static_cast<std::int64_t>(x.params.zero));
    Type type = n.outputs[0]->type;
    type.elem = ElemType::float32;
    std::vector<Value*> inputs = {x.integers, stored(w.rows),
                                  bias ? editor_.constant(*bias) : nullptr,
                                  w.rest ? stored(*w.rest) : nullptr, zero};
    while (!inputs.back()) inputs.pop_back();
    const char* op = transposes ? "ConvTransposeInt8" : image ? "ConvInt8" : "MatMulInt8";
    return editor_.emit(ops::get(op, "onnxc"), inputs, type, std::move(attributes));
  }

  // Parameters of an operator with scale and zero point as two inputs; the zero point has the
  // quantised type.
  static std::optional<QuantParams> params_at(const Node& n, std::size_t scale) {
    const Value* zero = n.inputs[scale + 1];
    if (!zero || !zero->constant || !is_byte(zero->type.elem)) return {};
    return quant_params(constant_of(n, scale), &*zero->constant, zero->type.elem);
  }

  bool quantised_convolution(Node& n) {
    const Tensor* bias = constant_of(n, 8);
    if (!fits_kernel(*n.inputs[0]) || (n.inputs.size() > 8 && n.inputs[8] && !bias)) return false;
    const auto w = read_weights(constant_of(n, 3), constant_of(n, 4), constant_of(n, 5));
    return w && quantised(n, *w, bias, 1);
  }

  bool quantised_product(Node& n) {
    const auto b = transposed(constant_of(n, 3));
    const auto w = b ? read_weights(&*b, constant_of(n, 4), constant_of(n, 5)) : std::nullopt;
    if (!w && small_memory_ && !n.inputs[3]->constant) return quantised_dynamic_product(n);
    return w && fits_product(*n.inputs[0], *w) &&
           quantised(n, *w, nullptr, n.outputs[0]->type.rank() - 1);
  }

  // QLinearConv and QLinearMatMul: inputs 0 to 2 are the activations, 6 and 7 the scale and zero
  // point of the result.
  bool quantised(Node& n, const Weights& w, const Tensor* bias, std::size_t axis) {
    const auto from = params_at(n, 1), to = params_at(n, 6);
    if (!from || !to || n.inputs[0]->constant || !sums_fit(w, bias)) return false;
    std::vector<float> scales = products(w.scales, from->scale, w.rows.dims()[0]);
    return append_quantised(n, sums(n, {n.inputs[0], *from}, w, bias), std::move(scales), axis,
                            *to);
  }

  // Sums times the scales of the operands over that of the result, rounded to bytes.
  bool append_quantised(Node& n, Value* y, std::vector<float> scales, std::size_t axis,
                        QuantParams to) {
    for (float& scale : scales) scale = scale / to.scale;
    const Type& result = n.outputs[0]->type;
    y = editor_.emit("Mul", {y, along_axis(scales, axis, result.rank())}, y->type);
    to.divisor = 1;
    editor_.emit_as(n.outputs[0], ops::get("Quantize", "onnxc"), {y},
                    quantize_attributes(to, result.elem));
    return true;
  }

  bool quantised_dynamic_product(Node& n) {
    const auto a = params_at(n, 1), b = params_at(n, 4), to = params_at(n, 6);
    if (!a || !b || !to || !are_matrices(*n.inputs[0], *n.inputs[3])) return false;
    Value* y = byte_product(n, {n.inputs[0], *a}, {n.inputs[3], *b});
    return append_quantised(n, y, {a->scale * b->scale}, n.outputs[0]->type.rank() - 1, *to);
  }

  bool integer_product(Node& n) {
    const auto b = transposed(constant_of(n, 1));
    const auto w = b ? integer_weights(n, *b) : std::nullopt;
    return w && fits_product(*n.inputs[0], *w) && integer_sums(n, *w);
  }

  bool integer_convolution(Node& n) {
    const Tensor* kernel = constant_of(n, 1);
    const auto w = kernel ? integer_weights(n, *kernel) : std::nullopt;
    return w && fits_kernel(*n.inputs[0]) && integer_sums(n, *w);
  }

  // Weights of a MatMulInteger or ConvInteger, whose input 3 is their zero point.
  static std::optional<Weights> integer_weights(const Node& n, const Tensor& w) {
    const ops::NodeView view(n);
    if (view.has_input(3) && !view.constant(3)) return {};
    const Tensor one = Tensor::scalar(1.0f);
    return read_weights(&w, &one, view.constant(3));
  }

  // The int32 sums without scaling; input 2 is the zero point of the activations.
  bool integer_sums(Node& n, const Weights& w) {
    const ops::NodeView view(n);
    Value* zero = view.has_input(2) ? n.inputs[2] : nullptr;
    if (n.inputs[0]->constant) return false;
    if (zero && (!zero->type.is_static() || !onnxc::product(*zero->type.shape).is(1))) return false;
    QuantizedValue x{n.inputs[0], {}};
    const Tensor* fixed_zero = zero && zero->constant ? &*zero->constant : nullptr;
    if (fixed_zero) x.params.zero = static_cast<float>(fixed_zero->number(0));
    Value* y = sums(n, x, w, nullptr, fixed_zero ? nullptr : zero);
    y->producer->attributes["sums"] = std::int64_t{1};
    editor_.set_output(*y->producer, 0, n.outputs[0]);
    return true;
  }

  // Whether 32 bits hold the sum of as many bytes as a mean is of, in a kernel's layout.
  static bool sums_bytes(const Node& n, const Value& x) {
    constexpr std::int64_t kMaxTaps = std::int64_t{1} << 23;
    if (is_a(&n, "AveragePool")) {
      const auto& taps = ops::NodeView(n).attr_ints("kernel_shape");
      return fits_kernel(x) && checked_product(taps) < kMaxTaps;
    }
    if (!x.type.is_static()) return false;
    return onnxc::product(*x.type.shape, 2, x.type.rank()).value() < kMaxTaps;
  }

  // The mean of dequantised values by the sum of the integers.
  bool average(Node& n, const char* integer_op) {
    const auto x = dequantized_bytes(n.inputs[0]);
    if (strict_ || !x || !sums_bytes(n, *x->integers)) return false;
    Attributes attributes = n.attributes;
    attributes["zero"] = x->params.zero;
    attributes["step"] = x->params.scale;
    Value* y = editor_.emit(ops::get(integer_op, "onnxc"), {x->integers}, n.outputs[0]->type,
                            std::move(attributes));
    editor_.set_output(*y->producer, 0, n.outputs[0]);
    return true;
  }

  // A Cast that is the only reader of the sums: the kernel converts them to float.
  bool sums_as_floats(Node& n) {
    Node* m = n.inputs[0]->producer;
    if (!m || !m->op || m->op->domain != "onnxc" || !m->attributes.count("sums")) return false;
    if (n.outputs[0]->type.elem != ElemType::float32 || !only_user(*n.inputs[0])) return false;
    m->attributes.erase("sums");
    editor_.set_output(*m, 0, n.outputs[0]);
    return true;
  }

  // QuantizeLinear of a value that was dequantised with the same scale and zero point.
  bool quantised_again(Node& n) {
    const auto x = dequantized_bytes(n.inputs[0]), y = quantized(n.outputs[0]);
    if (!x || !y || n.outputs[0]->type.elem != x->integers->type.elem) return false;
    // A byte times the scale is a float, not infinity.
    if (!y->params.same_values(x->params) || !std::isfinite(x->params.scale * 255.0f)) return false;
    editor_.emit_as(n.outputs[0], "Identity", {x->integers});
    return true;
  }

  // The byte that stands for a number, if there is one.
  static std::optional<Tensor> byte_of(float number, const QuantizedValue& x) {
    const float steps = std::nearbyint(number / x.params.scale);
    if (!(steps >= x.params.low && steps <= x.params.high) || steps * x.params.scale != number)
      return {};
    const auto byte = static_cast<std::int8_t>(static_cast<int>(steps + x.params.zero));
    return Tensor::of<std::int8_t>(x.integers->type.elem, {}, std::vector{byte});
  }

  // Whether the node is a Pad with a border of bytes, which it then has.
  bool pads_integers(Node& n) {
    if (!is_a(&n, "Pad")) return false;
    const ops::NodeView view(n);
    const auto x = dequantized_bytes(n.inputs[0]);
    if (!x || (view.has_input(2) && !view.constant(2))) return false;
    std::optional<Tensor> border;
    if (view.attr_string("mode") == "constant") {
      const Tensor* value = view.constant(2);
      border = byte_of(value ? static_cast<float>(value->number(0)) : 0.0f, *x);
      if (!border) return false;
    }
    while (n.inputs.size() < 3) n.inputs.push_back(nullptr);
    n.inputs.set(2, border ? editor_.constant(*border) : nullptr);
    return true;
  }

  // The node is data movement, and DequantizeLinear comes after it.
  void move_before(Node& n) {
    const auto x = dequantized_bytes(n.inputs[0]);
    if (!x || n.outputs.size() != 1) return;
    const bool all = ops::signature(*n.op).inputs[0].variadic;
    const std::size_t data = all ? n.inputs.size() : 1;
    std::vector<Value*> integers = {x->integers};
    for (std::size_t i = 1; i < data; ++i) {
      const auto other = dequantized_bytes(n.inputs[i]);
      if (!other || other->integers->type.elem != x->integers->type.elem ||
          !other->params.same_values(x->params))
        return;
      integers.push_back(other->integers);
    }
    Value* y = n.outputs[0];
    const Node& before = *n.inputs[0]->producer;
    std::vector<Value*> inputs = before.inputs;
    Type type = y->type;
    type.elem = x->integers->type.elem;
    for (std::size_t i = 0; i < data; ++i) n.inputs.set(i, integers[i]);
    editor_.set_output(n, 0, inputs[0] = editor_.value(type));
    editor_.after(n);
    editor_.set_provenance(before);
    editor_.emit_as(y, *before.op, inputs, before.attributes);
  }

  GraphEditor editor_;
  bool strict_, small_memory_;
};

}  // namespace

void lower_to_int8(Graph& graph, PassContext& context) {
  Int8Lowering(graph, context.options.strict_fp, context.target.small_memory).run();
}

}  // namespace onnxc::passes
