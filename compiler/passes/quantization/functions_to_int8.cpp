// functions_to_int8: functions between DequantizeLinear and QuantizeLinear of 8-bit integers read
// and write the integers: Softmax along the last axis, normalisations of rows, and element-wise
// functions that take longer than a look into a table of their 256 results. LSTM and GRU read
// quantised weights as such, and what bytes they have of data and state. Requires: types. Produces:
// onnxc::SoftmaxInt8, onnxc::LayerNormInt8, onnxc::RmsNormInt8, onnxc::LookupInt8,
// onnxc::LstmByteWeights, onnxc::GruByteWeights; all but LookupInt8 where memory is small.
// Leaves alone: what also has other readers; scales and zero points that are not constant or differ
// along an axis; images, whose functions the kernel before them computes; all with --fp strict.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/editor.hpp"
#include "compiler/ops/int8_weights.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/passes/infer/infer.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/passes/quantization/quant_params.hpp"
#include "templates/quantization/quantize.hpp"

namespace onnxc::passes {
namespace {

Attributes attributes_to(ElemType to) { return {{"to", static_cast<std::int64_t>(to)}}; }

// What layer_norm_int8 and rms_norm_int8 take.
struct FixedPointNorm {
  std::int64_t bits = 0, places = 0;
  std::vector<std::int32_t> scale, bias;
  std::vector<std::uint32_t> epsilon;
};

// The rows of a normalisation: how they are quantised, and the factors and summands of their
// elements.
struct RowNorm {
  bool centred = true;
  std::int64_t size = 0;
  double epsilon = 0, step = 1;  // of x
  double out_scale = 1, out_zero = 0;
  std::vector<double> scale, bias;
};

// In units of the result.
bool set_factors(const RowNorm& n, FixedPointNorm& f) {
  constexpr std::int64_t kMostPlaces = 20, kLeastPlaces = 8;
  const auto is_finite = [](double v) { return std::isfinite(v); };
  if (!std::all_of(n.scale.begin(), n.scale.end(), is_finite) ||
      !std::all_of(n.bias.begin(), n.bias.end(), is_finite))
    return false;
  double largest = 0;
  for (const double g : n.scale) largest = std::max(largest, std::abs(g / n.out_scale));
  if (!(largest > 0) || !std::isfinite(largest)) return false;
  // Factors take 30 bits.
  const std::int64_t shift =
      std::min<std::int64_t>(29 - std::ilogb(largest), kMostPlaces + 32 - f.bits);
  f.places = f.bits + shift - 32;
  if (f.places < kLeastPlaces) return false;
  for (std::size_t i = 0; i < n.scale.size(); ++i) {
    const double factor = std::ldexp(n.scale[i] / n.out_scale, static_cast<int>(shift));
    const double summand =
        std::ldexp(n.bias[i] / n.out_scale + n.out_zero + 0.5, static_cast<int>(f.places));
    f.scale.push_back(static_cast<std::int32_t>(std::lround(factor)));
    f.bias.push_back(static_cast<std::int32_t>(std::lround(std::clamp(summand, -0x1p30, 0x1p30))));
  }
  return true;
}

std::optional<FixedPointNorm> fixed_point(const RowNorm& n) {
  constexpr std::int64_t kMostColumns = 1 << 14;
  if (n.size < 1 || n.size > kMostColumns) return {};
  FixedPointNorm f;
  const auto size = static_cast<double>(n.size);
  // No normal number exceeds the root of the size.
  f.bits = 27 - static_cast<std::int64_t>(std::ceil(std::log2(size) / 2));
  const double ratio = size / n.step, more = n.epsilon * ratio * ratio * 0x1p16,
               range = n.centred ? 128.0 : 256.0;
  const double root = std::sqrt(more + size * size * range * range * 0x1p16);
  // The kernel shifts values to the left, and sums squares in 64 bits.
  if (!(n.epsilon >= 0) ||
      !(root < std::min(0x1p32, std::ldexp(1.0, static_cast<int>(f.bits + 9)))))
    return {};
  const auto whole = std::max<std::uint64_t>(static_cast<std::uint64_t>(more + 0.5), 1);
  f.epsilon = {static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>(whole >> 32)};
  if (!set_factors(n, f)) return {};
  return f;
}

class FunctionLowering {
 public:
  FunctionLowering(Graph& graph, bool small_memory) : editor_(graph), small_memory_(small_memory) {}

  void run() {
    editor_.each([&](Node& node) {
      if (is_a(&node, "LSTM") || is_a(&node, "GRU")) {
        if (small_memory_ && recurrent(node)) editor_.erase(node);
        return;
      }
      if (!is_a(&node, "QuantizeLinear")) return;
      const auto y = quantized(node.outputs[0]);
      if (!y || !is_byte(node.outputs[0]->type.elem)) return;
      if (function(node, y->params)) editor_.erase(node);
    });
  }

 private:
  bool function(Node& quantize, const QuantParams& y) {
    Node* n = producer_for_one(*quantize.inputs[0]);
    if (!n || n->graph != &editor_.graph() || n->inputs.empty()) return false;
    Value* out = quantize.outputs[0];
    // Targets with vectors compute floats faster.
    const bool rows =
        is_a(n, "Softmax") || is_a(n, "LayerNormalization") || is_a(n, "RMSNormalization");
    if (rows && !small_memory_) return false;
    if (is_a(n, "Softmax")) return softmax(*n, out, y);
    if (rows) return norm(*n, out, y);
    return element_wise(*n, quantize, y);
  }

  bool softmax(const Node& n, Value* out, const QuantParams& y) {
    const auto x = dequantized_bytes(n.inputs[0]);
    // The kernel holds 1 / scale with 30 bits, and rounds at one of the lower 31.
    constexpr float kLeast = 0x1p-20f, kMost = 0x1p20f;
    if (!x || !x->integers->type.has_rank() || x->integers->type.rank() == 0 || y.scale < kLeast ||
        y.scale > kMost)
      return false;
    // The scores of a classifier are not worth the kibibyte of a table.
    constexpr std::int64_t kFewest = 64;
    const Dim count = product(*x->integers->type.shape);
    if (count.is_const() && count.value() < kFewest) return false;
    const auto rank = static_cast<std::int64_t>(x->integers->type.rank());
    const std::int64_t axis = ops::NodeView(n).attr_int("axis");
    if (axis != -1 && axis != rank - 1) return false;
    Attributes attributes = attributes_to(out->type.elem);
    attributes["step"] = x->params.scale;
    attributes["scale"] = y.scale;
    attributes["zero"] = static_cast<std::int64_t>(y.zero);
    editor_.set_provenance(n);
    editor_.emit_as(out, ops::get("SoftmaxInt8", "onnxc"), {x->integers}, std::move(attributes));
    return true;
  }

  // The elements of one of its constant operands, for the axes that make a row.
  static bool read_operand(const Node& n, std::size_t i, const Shape& row,
                           std::vector<double>& to) {
    const ops::NodeView view(n);
    if (!view.has_input(i)) return true;
    const Tensor* t = view.constant(i);
    if (!t || t->elem() != ElemType::float32) return false;
    std::vector<std::int64_t> dims = t->dims();
    while (dims.size() > row.size() && dims.front() == 1) dims.erase(dims.begin());
    if (dims.size() != row.size()) return false;
    for (std::size_t axis = 0; axis < row.size(); ++axis)
      if (!row[axis].is(dims[axis])) return false;
    const auto values = t->as<float>();
    to.assign(values.begin(), values.end());
    return true;
  }

  static bool has_more_results(const Node& n) {
    return std::any_of(n.outputs.begin() + 1, n.outputs.end(),
                       [](const Value* v) { return v && !v->users().empty(); });
  }

  std::optional<RowNorm> read_norm(const Node& n, const QuantizedValue& x, const QuantParams& y) {
    const Type& type = x.integers->type;
    const ops::NodeView view(n);
    const std::int64_t given = view.attr_int("axis");
    const auto rank = static_cast<std::int64_t>(type.rank());
    const std::int64_t axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank) return {};
    const Shape row(type.shape->begin() + axis, type.shape->end());
    const Dim size = product(row);
    if (!size.is_const() || size.value() < 1) return {};
    RowNorm r;
    r.centred = is_a(&n, "LayerNormalization");
    r.size = size.value();
    r.epsilon = view.attr_float("epsilon");
    r.step = x.params.scale;
    r.out_scale = y.scale;
    r.out_zero = y.zero;
    r.scale.assign(static_cast<std::size_t>(r.size), 1.0);
    r.bias.assign(static_cast<std::size_t>(r.size), 0.0);
    if (!read_operand(n, 1, row, r.scale) || !read_operand(n, 2, row, r.bias)) return {};
    return r;
  }

  bool norm(const Node& n, Value* out, const QuantParams& y) {
    const auto x = dequantized_bytes(n.inputs[0]);
    if (!x || !x->integers->type.has_rank() || has_more_results(n)) return false;
    const auto r = read_norm(n, *x, y);
    const auto f = r ? fixed_point(*r) : std::nullopt;
    if (!f) return false;
    Attributes attributes = attributes_to(out->type.elem);
    if (!r->centred) attributes["zero"] = static_cast<std::int64_t>(x->params.zero);
    attributes["bits"] = f->bits;
    attributes["places"] = f->places;
    editor_.set_provenance(n);
    const auto list = [&](const auto& values, ElemType elem, const std::string& name) {
      using T = typename std::decay_t<decltype(values)>::value_type;
      return editor_.constant(
          Tensor::of<T>(elem, {static_cast<std::int64_t>(values.size())}, values), name);
    };
    const std::string& name = out->name;
    editor_.emit_as(out, ops::get(r->centred ? "LayerNormInt8" : "RmsNormInt8", "onnxc"),
                    {x->integers, list(f->scale, ElemType::int32, name + "_scale"),
                     list(f->bias, ElemType::int32, name + "_bias"),
                     list(f->epsilon, ElemType::uint32, name + "_epsilon")},
                    std::move(attributes));
    return true;
  }

  // Weights of a recurrent operator as int8 less their zero points, with a scale for all rows of
  // gates or for each.
  struct UnitWeights {
    Tensor rows, scales;
  };

  static std::optional<UnitWeights> unit_weights(const Value* v) {
    // Sums of as many products of half words fit 32 bits.
    constexpr std::int64_t kMostColumns = 1023;
    const QuantizedConstant* q = v ? v->quantized.get() : nullptr;
    if (!q || !is_byte(q->integers.elem()) || q->integers.dims().size() != 3 ||
        q->scale.elem() != ElemType::float32)
      return {};
    const auto& dims = q->integers.dims();
    const bool by_row = q->axis == 1 && q->scale.size() == dims[1] && dims[0] == 1;
    if ((q->scale.size() != 1 && !by_row) || dims[2] > kMostColumns || q->integers.size() == 0)
      return {};
    auto split = ops::without_zero_points(q->integers, q->zero_point ? &*q->zero_point : nullptr);
    if (!split || split->rest) return {};
    return UnitWeights{
        std::move(split->rows),
        Tensor::of<float>(ElemType::float32, {q->scale.size()}, q->scale.as<float>())};
  }

  // Bytes in the place of an operand, and how they are quantised.
  static void use_bytes(std::vector<Value*>& inputs, std::size_t i, const char* zero,
                        const char* scale, Attributes& attributes) {
    const auto bytes = dequantized_bytes(inputs[i]);
    if (!bytes) return;
    inputs[i] = bytes->integers;
    attributes[zero] = static_cast<std::int64_t>(bytes->params.zero);
    attributes[scale] = bytes->params.scale;
  }

  bool recurrent(Node& n) {
    constexpr std::size_t kOwnInputs = 8, kWithScales = 10;
    const ops::NodeView view(n);
    const auto w = unit_weights(n.inputs[1]), r = unit_weights(n.inputs[2]);
    if (!w || !r || n.inputs[0]->type.elem != ElemType::float32 || !n.inputs[0]->type.has_rank())
      return false;
    if (view.has_input(3) && !view.constant(3)) return false;
    std::vector<Value*> inputs = n.inputs;
    inputs.resize(kOwnInputs, nullptr);
    Attributes attributes = n.attributes;
    attributes.erase("output_sequence");
    use_bytes(inputs, 0, "x_zero", "x_scale", attributes);
    const Shape& x = *n.inputs[0]->type.shape;
    const auto layout = view.find_int("layout");
    const Dim& steps = x[layout && *layout == 1 ? 1 : 0];
    if (steps.is(1) && w->rows.dims()[0] == 1)
      use_bytes(inputs, 5, "h_zero", "h_scale", attributes);
    inputs[1] = editor_.constant(w->rows, n.inputs[1]->name);
    inputs[2] = editor_.constant(r->rows, n.inputs[2]->name);
    inputs.resize(kWithScales);
    inputs[8] = editor_.constant(w->scales);
    inputs[9] = editor_.constant(r->scales);
    const char* op = is_a(&n, "LSTM") ? "LstmByteWeights" : "GruByteWeights";
    editor_.emit_as(std::vector<Value*>(n.outputs), ops::get(op, "onnxc"), inputs,
                    std::move(attributes));
    return true;
  }

  // The one operand of an element-wise node that is not a single constant; -1 if there are several.
  static int varying_operand(const Node& n) {
    int found = -1;
    for (std::size_t i = 0; i < n.inputs.size(); ++i) {
      const Value* v = n.inputs[i];
      if (!v || (v->constant && v->constant->size() == 1 && v->constant->dims().size() <= 1))
        continue;
      if (v->constant || found >= 0) return -1;
      found = static_cast<int>(i);
    }
    return found;
  }

  // A few element-wise nodes from bytes to what is quantised.
  bool element_wise(Node& last, const Node& quantize, const QuantParams& y) {
    constexpr std::size_t kMost = 4;
    std::vector<Node*> chain;
    bool quick = true;
    for (Node* n = &last; n && chain.size() < kMost;) {
      if (!n->op->scalar || !n->body.empty() || n->outputs.size() != 1) return false;
      const int at = varying_operand(*n);
      if (at < 0 || n->outputs[0]->type.elem != ElemType::float32) return false;
      chain.push_back(n);
      quick = quick && (n->op->quick || n->op->domain == "onnxc");
      Value* x = n->inputs[static_cast<std::size_t>(at)];
      if (const auto bytes = dequantized_bytes(x))
        return !quick && look_up(chain, *bytes->integers, *x->producer, quantize, y);
      n = producer_for_one(*x);
    }
    return false;
  }

  bool look_up(const std::vector<Node*>& chain, Value& x, const Node& dequantize,
               const Node& quantize, const QuantParams& y) {
    constexpr std::size_t kImageRank = 4;
    if (!x.type.has_rank() || x.type.rank() >= kImageRank) return false;
    Value* table = table_of(chain, x.type.elem, dequantize, quantize, y);
    if (!table) return false;
    editor_.set_provenance(*chain.back());
    editor_.emit_as(quantize.outputs[0], ops::get("LookupInt8", "onnxc"), {&x, table});
    return true;
  }

  static Tensor all_bytes(ElemType elem) {
    std::vector<std::int8_t> bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::int8_t>(i));
    return Tensor::of<std::int8_t>(elem, {256}, bytes);
  }

  // The results for all bytes, in the order of their bits; null if they cannot be folded.
  Value* table_of(const std::vector<Node*>& chain, ElemType elem, const Node& dequantize,
                  const Node& quantize, const QuantParams& y) {
    const std::string& name = quantize.outputs[0]->name;
    Value* v = editor_.constant(all_bytes(elem), name + "_table");
    const auto apply = [&](const Node& like, std::size_t operand) {
      std::vector<Value*> inputs = like.inputs;
      inputs[operand] = v;
      const ElemType to = like.outputs[0]->type.elem;
      v = folded(editor_,
                 editor_.emit(*like.op, inputs, Type::tensor(to, Shape{256}), like.attributes));
      return v->constant.has_value();
    };
    if (!apply(dequantize, 0)) return nullptr;
    for (std::size_t i = chain.size(); i-- > 0;)
      if (!apply(*chain[i], static_cast<std::size_t>(varying_operand(*chain[i])))) return nullptr;
    const ElemType to = quantize.outputs[0]->type.elem;
    std::vector<std::int8_t> results;
    for (const float number : v->constant->as<float>())
      results.push_back(
          to == ElemType::int8
              ? quantised<std::int8_t>(number / y.scale, y.zero, true)
              : static_cast<std::int8_t>(quantised<std::uint8_t>(number / y.scale, y.zero, true)));
    return editor_.constant(Tensor::of<std::int8_t>(to, {256}, results), name + "_table");
  }

  GraphEditor editor_;
  bool small_memory_;
};

}  // namespace

void functions_to_int8(Graph& graph, PassContext& context) {
  if (context.options.strict_fp) return;
  FunctionLowering(graph, context.target.small_memory).run();
}

}  // namespace onnxc::passes
