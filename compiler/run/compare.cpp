// Compares tensors by type, shape and elements, and containers by their items.
#include "compiler/run/compare.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime_min/half.hpp"
#include "runtime_min/minifloat.hpp"

namespace onnxc {
namespace {

template <class T>
std::vector<double> widened(const Tensor& t) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(t.size()));
  for (const T& value : t.as<T>()) out.push_back(static_cast<double>(static_cast<float>(value)));
  return out;
}

template <class T>
std::vector<double> parts(const Tensor& t) {
  std::vector<double> out;
  for (const std::complex<T>& value : t.as<std::complex<T>>()) {
    out.push_back(static_cast<double>(value.real()));
    out.push_back(static_cast<double>(value.imag()));
  }
  return out;
}

bool is_exact(ElemType type) { return !is_float(type) && !is_complex(type); }

// Of the integers that a model may be quantised to.
bool is_quantum(ElemType type) {
  return type == ElemType::int8 || type == ElemType::uint8 || type == ElemType::int16 ||
         type == ElemType::uint16;
}

}  // namespace

std::vector<double> numbers(const Tensor& t) {
  switch (t.elem()) {
    case ElemType::float16:
      return widened<float16>(t);
    case ElemType::bfloat16:
      return widened<bfloat16>(t);
    case ElemType::float8e4m3fn:
      return widened<float8e4m3fn>(t);
    case ElemType::float8e4m3fnuz:
      return widened<float8e4m3fnuz>(t);
    case ElemType::float8e5m2:
      return widened<float8e5m2>(t);
    case ElemType::float8e5m2fnuz:
      return widened<float8e5m2fnuz>(t);
    case ElemType::float8e8m0:
      return widened<float8e8m0>(t);
    case ElemType::float4e2m1:
      return widened<float4e2m1>(t);
    case ElemType::complex64:
      return parts<float>(t);
    case ElemType::complex128:
      return parts<double>(t);
    default:
      break;
  }
  std::vector<double> out;
  for (std::int64_t i = 0; i < t.size(); ++i) out.push_back(t.number(i));
  return out;
}

namespace {

double difference(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  const double d = std::fabs(got - want);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

struct Totals {
  double max_abs = 0, max_want = 0;
  std::size_t outside = 0, first = 0;
};

Totals measure(const std::vector<double>& got, const std::vector<double>& want, double rtol,
               double atol) {
  Totals t;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double d = difference(got[i], want[i]);
    t.max_abs = std::max(t.max_abs, d);
    if (std::isfinite(want[i])) t.max_want = std::max(t.max_want, std::fabs(want[i]));
    const bool inside = d == 0 || (std::isfinite(d) && d <= atol + rtol * std::fabs(want[i]));
    if (!inside && t.outside++ == 0) t.first = i;
  }
  return t;
}

// Values that are close compared with the largest one are rounded differently, not wrong.
std::string relative_text(double max_abs, double max_rel) {
  constexpr double kClose = 1e-4;
  return fmt::format("; at most {:.2g} off, {:.2g} of the largest value{}", max_abs, max_rel,
                     max_rel <= kClose ? ": --scaled 1e-4 accepts that" : "");
}

Comparison compare_numbers(const Tensor& got, const Tensor& want, const Tolerance& tolerance) {
  const double quanta = is_quantum(want.elem()) ? tolerance.quanta : 0;
  const bool exact = is_exact(want.elem());
  const std::vector<double> g = numbers(got), w = numbers(want);
  const Totals t = measure(g, w, exact ? 0 : tolerance.rtol, exact ? quanta : tolerance.atol);
  Comparison c;
  c.max_abs = t.max_abs;
  c.max_rel = t.max_abs == 0   ? 0
              : t.max_want > 0 ? t.max_abs / t.max_want
                               : std::numeric_limits<double>::infinity();
  // 64-bit integers beyond 2^53 look equal as doubles.
  const bool same = !exact || quanta > 0 || t.outside > 0 || got.same_content(want);
  c.match = t.outside == 0 && same;
  if (!exact && tolerance.scaled && t.max_abs <= *tolerance.scaled * t.max_want) c.match = true;
  if (c.match) return c;
  c.message = same ? fmt::format("{} of {} values differ; first at {}: got {}, want {}{}",
                                 t.outside, w.size(), t.first, g[t.first], w[t.first],
                                 exact ? "" : relative_text(c.max_abs, c.max_rel))
                   : "values differ beyond 2^53";
  return c;
}

Comparison compare_strings(const Tensor& got, const Tensor& want) {
  Comparison c;
  const auto& g = got.strings();
  const auto& w = want.strings();
  const auto at = std::mismatch(g.begin(), g.end(), w.begin());
  if (at.first == g.end()) return c;
  c.match = false;
  c.max_abs = c.max_rel = std::numeric_limits<double>::infinity();
  c.message = fmt::format("string {} differs", at.first - g.begin());
  return c;
}

Comparison refuse(std::string message) {
  Comparison c;
  c.match = false;
  c.max_abs = c.max_rel = std::numeric_limits<double>::infinity();
  c.message = std::move(message);
  return c;
}

}  // namespace

Comparison compare(const Tensor& got, const Tensor& want, const Tolerance& tolerance) {
  if (got.elem() != want.elem()) {
    return refuse(
        fmt::format("type {}, want {}", info(got.elem()).onnx_name, info(want.elem()).onnx_name));
  }
  if (got.dims() != want.dims()) {
    return refuse(fmt::format("shape [{}], want [{}]", fmt::join(got.dims(), ","),
                              fmt::join(want.dims(), ",")));
  }
  if (want.elem() == ElemType::string) return compare_strings(got, want);
  return compare_numbers(got, want, tolerance);
}

namespace {

// The values of `got` in the order of the keys in `want`; nullopt if the keys differ.
std::vector<DataValue> by_keys(const DataValue& got, const DataValue& want) {
  const auto key = [](const DataValue& v, std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return v.keys.elem() == ElemType::string ? v.keys.strings()[at]
                                             : std::to_string(v.keys.to_int64s()[at]);
  };
  std::map<std::string, std::size_t> places;
  for (std::int64_t i = 0; i < got.keys.size(); ++i)
    places[key(got, i)] = static_cast<std::size_t>(i);
  std::vector<DataValue> values;
  for (std::int64_t i = 0; i < want.keys.size(); ++i) {
    const auto at = places.find(key(want, i));
    if (at == places.end()) return {};
    values.push_back(got.items[at->second]);
    // A value is a scalar, even if recorded with shape [1].
    const Tensor& recorded = want.items[static_cast<std::size_t>(i)].tensor;
    if (recorded.size() == 1) values.back().tensor = values.back().tensor.reshaped(recorded.dims());
  }
  return values;
}

}  // namespace

Comparison compare(const DataValue& got, const DataValue& want, const Tolerance& tolerance) {
  if (want.kind == Type::Kind::tensor) return compare(got.tensor, want.tensor, tolerance);
  const auto whole = [](const DataValue& v) {
    return v.keys.size() == static_cast<std::int64_t>(v.items.size());
  };
  if (want.kind == Type::Kind::map && whole(got) && whole(want)) {
    DataValue sorted = got, as_list = want;
    sorted.items = by_keys(got, want);
    sorted.kind = as_list.kind = Type::Kind::sequence;
    if (sorted.items.size() != want.items.size()) return refuse("the keys differ");
    return compare(sorted, as_list, tolerance);
  }
  if (got.items.size() != want.items.size())
    return refuse(fmt::format("{} elements, want {}", got.items.size(), want.items.size()));
  Comparison all;
  for (std::size_t i = 0; i < want.items.size(); ++i) {
    Comparison c = compare(got.items[i], want.items[i], tolerance);
    all.max_abs = std::max(all.max_abs, c.max_abs);
    all.max_rel = std::max(all.max_rel, c.max_rel);
    if (all.match && !c.match) all.message = fmt::format("element {}: {}", i, c.message);
    all.match = all.match && c.match;
  }
  return all;
}

}  // namespace onnxc
