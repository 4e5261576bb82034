// Constant folding: evaluates a node with constant inputs at compile time, with the model's own
// kernels.
#pragma once

#include "compiler/ops/node_view.hpp"
#include "compiler/ops/type_list.hpp"

namespace onnxc::ops {

class Fold : public NodeView {
 public:
  explicit Fold(const Node& node) : NodeView(node), results_(node.outputs.size()) {}

  const Tensor& in(std::size_t i) const { return *constant(i); }
  void out(std::size_t i, Tensor tensor) { results_[i] = std::move(tensor); }
  ElemType out_elem(std::size_t i) const { return node().outputs[i]->type.elem; }
  // The inferred, fixed shape of output i.
  std::vector<std::int64_t> out_dims(std::size_t i) const {
    return fixed(*node().outputs[i]->type.shape);
  }
  std::vector<std::optional<Tensor>>& results() { return results_; }
  // The quantised constant that output 0 was dequantised from.
  void quantized(QuantizedConstant q) {
    quantized_ = std::make_shared<const QuantizedConstant>(std::move(q));
  }
  const std::shared_ptr<const QuantizedConstant>& quantized() const { return quantized_; }

 private:
  std::vector<std::optional<Tensor>> results_;
  std::shared_ptr<const QuantizedConstant> quantized_;
};

// Whether a folded result is worth storing: small, or at most twice as large as its inputs. Strings
// are not folded.
bool worth_folding(const Fold& n);

// A tensor under construction: write through data<T>(), then take().
class TensorBuilder {
 public:
  TensorBuilder(ElemType elem, std::vector<std::int64_t> dims);
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(bytes_.data());
  }
  std::int64_t size() const { return size_; }
  Tensor take() { return {elem_, std::move(dims_), Blob::owned(std::move(bytes_))}; }

 private:
  ElemType elem_;
  std::vector<std::int64_t> dims_;
  std::int64_t size_;
  std::vector<std::byte> bytes_;
};

struct Word16Bytes {
  std::uint64_t low, high;
};

// Calls f with a value of an unsigned type as wide as one element, for data movement. False for
// strings.
template <class F>
bool with_width(ElemType elem, F f) {
  switch (elem_bytes(elem)) {
    case 1:
      return f(std::uint8_t{}), true;
    case 2:
      return f(std::uint16_t{}), true;
    case 4:
      return f(std::uint32_t{}), true;
    case 8:
      return f(std::uint64_t{}), true;
    case 16:
      return f(Word16Bytes{}), true;
    default:
      return false;
  }
}

}  // namespace onnxc::ops
