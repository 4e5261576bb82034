// Sorts the keys of a lookup table and calls the kernel.
#include "compiler/ops/ml/lookup_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include "compiler/kernels/ml_calls.hpp"

namespace onnxc::ops {
namespace {

// Orders indices of a tensor by its elements.
using Before = std::function<bool(std::size_t, std::size_t)>;

Before order_of(const Tensor& t) {
  if (t.elem() == ElemType::string)
    return [&t](std::size_t i, std::size_t j) { return t.strings()[i] < t.strings()[j]; };
  if (is_integer(t.elem()))
    return [ints = t.to_int64s()](std::size_t i, std::size_t j) { return ints[i] < ints[j]; };
  return [&t](std::size_t i, std::size_t j) {
    const double a = t.number(static_cast<std::int64_t>(i));
    const double b = t.number(static_cast<std::int64_t>(j));
    return a < b || (!std::isnan(a) && std::isnan(b));
  };
}

}  // namespace

std::vector<std::size_t> sorted_keys(const Tensor& keys) {
  const Before before = order_of(keys);
  std::vector<std::size_t> order(static_cast<std::size_t>(keys.size())), out;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), before);
  for (std::size_t k = 0; k < order.size(); ++k)
    if (k + 1 == order.size() || before(order[k], order[k + 1])) out.push_back(order[k]);
  return out;
}

Tensor picked(const Tensor& t, const std::vector<std::size_t>& chosen, const Tensor* rest) {
  const auto count = static_cast<std::int64_t>(chosen.size()) + (rest ? 1 : 0);
  if (t.elem() == ElemType::string) {
    std::vector<std::string> words;
    for (std::size_t i : chosen) words.push_back(t.strings()[i]);
    if (rest) words.push_back(rest->strings()[0]);
    return Tensor({count}, std::move(words));
  }
  const std::size_t width = elem_bytes(t.elem());
  std::vector<std::byte> bytes;
  const auto append = [&](std::span<const std::byte> from, std::size_t i) {
    const auto element = from.subspan(i * width, width);
    bytes.insert(bytes.end(), element.begin(), element.end());
  };
  for (std::size_t i : chosen) append(t.bytes(), i);
  if (rest) append(rest->bytes(), 0);
  return {t.elem(), {count}, Blob::owned(std::move(bytes))};
}

void lower_lookup(Lower& n, const Tensor& keys, const Tensor& values, const Tensor& fallback) {
  const std::vector<std::size_t> order = sorted_keys(keys);
  Call call =
      n.call("label_encoder",
             LabelEncoderShape<Dim>{product(n.shape(0)), static_cast<std::int64_t>(order.size())});
  call.in(0).read(n.constant(picked(keys, order), "keys"));
  call.read(n.constant(picked(values, order, &fallback), "values")).out(0);
}

}  // namespace onnxc::ops
