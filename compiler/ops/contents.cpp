// Contents as expressions: which of them are exact, and how they go through element-wise functions.
#include "compiler/ops/contents.hpp"

#include <algorithm>
#include <limits>

namespace onnxc::ops {

bool has_contents(ElemType elem) { return elem == ElemType::int64 || elem == ElemType::int32; }

std::optional<Dim> stored_value(const Dim& value, ElemType elem) {
  const bool narrow = elem == ElemType::int32;
  if (value.is_const())
    return narrow ? Dim(static_cast<std::int32_t>(static_cast<std::uint64_t>(value.value())))
                  : value;
  // Sums and products of run-time extents saturate, so their terms stay well inside of 64 bits.
  const std::int64_t expected = narrow ? 64 : 4096;
  const std::int64_t most = narrow ? INT32_MAX : INT64_MAX / 4;
  const auto extent = [&](const std::string&) { return std::optional(expected); };
  const auto zero = [](const std::string&) { return std::optional<std::int64_t>(0); };
  const Dim::Interval range = value.interval(extent, zero);
  const bool fits = range.low && range.high && *range.low >= -most && *range.high <= most;
  return fits ? std::optional(value) : std::nullopt;
}

namespace {

SomeContents combined(const SomeContents& a, const SomeContents& b,
                      Dim (*f)(const Dim&, const Dim&)) {
  if (a.size() != b.size() && a.size() != 1 && b.size() != 1) return {};
  const std::size_t size = a.empty() || b.empty() ? 0 : std::max(a.size(), b.size());
  SomeContents out;
  for (std::size_t i = 0; i < size; ++i) {
    const auto &x = a[a.size() == 1 ? 0 : i], &y = b[b.size() == 1 ? 0 : i];
    out.push_back(x && y ? unless_overflow([&] { return f(*x, *y); }) : std::nullopt);
  }
  return out;
}

}  // namespace

void propagate_contents(Infer& n, Dim (*f)(const Dim&)) {
  auto contents = n.some_extents(0);
  if (!contents || !has_contents(n.elem(0))) return;
  for (std::optional<Dim>& d : *contents)
    if (d) d = unless_overflow([&] { return f(*d); });
  n.output_some_extents(0, std::move(*contents));
}

void propagate_contents(Infer& n, Dim (*f)(const Dim&, const Dim&)) {
  if (!has_contents(n.elem(0)) || !n.has_rank(0) || !n.has_rank(1)) return;
  const auto a = n.some_extents(0), b = n.some_extents(1);
  if (a && b) n.output_some_extents(0, combined(*a, *b, f));
}

}  // namespace onnxc::ops
