// Prints amounts that depend on sizes, and finds the peak of the heap.
#include "compiler/interface/figures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/ir/growth.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// A number of three digits: what is left out is as small as what is rounded.
std::int64_t rounded(double coefficient) {
  double unit = 1;
  while (coefficient / unit >= 1000) unit *= 10;
  return std::max<std::int64_t>(std::llround(coefficient / unit) * std::llround(unit), 1);
}

// "40.1 KiB * batch + 640 bytes", with `number` for the coefficients.
std::string leading_terms(const Growth& growth,
                          const std::function<std::string(std::int64_t)>& number) {
  std::string text;
  for (const GrowthTerm& term : growth.terms) {
    text += text.empty() ? "" : " + ";
    const std::string coefficient = number(rounded(term.coefficient));
    const std::string sizes = readable_sizes(fmt::format("{}", fmt::join(term.symbols, "*")));
    if (sizes.empty())
      text += coefficient;
    else
      text += coefficient == "1" ? sizes : coefficient + " * " + sizes;
  }
  return text.empty() ? number(0) : text;
}

// Large enough that products of sizes outweigh sums, small enough for pictures and texts.
Growth growth_at_usual_sizes(const Dim& d) {
  return growth_of(d, [](const std::string&) { return 128.0; });
}

// Everything in terms of sizes of the inputs; nullopt where a size is determined at run time.
std::optional<Dim> by_inputs(const Program& p, const Dim& d) {
  bool known = true;
  const Dim result = d.substitute([&](const std::string& name) -> std::optional<Dim> {
    const SizeSymbol* const s = p.symbol(name);
    known = known && s && (s->input >= 0 || s->definition);
    return s && s->input < 0 ? s->definition : std::nullopt;
  });
  return known ? std::optional(result) : std::nullopt;
}

bool has_kernel_with_heap(const Program& p) {
  return std::any_of(p.steps.begin(), p.steps.end(), [](const Step& step) {
    return std::any_of(step.args.begin(), step.args.end(),
                       [](const Arg& arg) { return std::holds_alternative<HeapArg>(arg.value); });
  });
}

std::int64_t when_large(const Dim& d) {
  static constexpr std::int64_t kLarge = 1000;
  return d.substitute([](const std::string&) { return std::optional<Dim>(kLarge); }).value();
}

Dim larger(const Dim& a, const Dim& b) {
  if ((a - b).is_never_below(0)) return a;
  if ((b - a).is_never_below(0)) return b;
  return when_large(a) < when_large(b) ? b : a;
}

std::optional<Dim> peak_of_blocks(const Program& p) {
  Dim live = 0, peak = 0;
  for (const Step& step : p.steps) {
    const bool takes = step.kind == Step::Kind::allocate;
    if ((!takes && step.kind != Step::Kind::release) || step.buffer < 0) continue;
    if (p.at(step.buffer).kind != Buffer::Kind::heap) continue;
    const auto bytes = by_inputs(p, p.bytes(step.buffer));
    if (!bytes) return std::nullopt;
    live = takes ? live + *bytes : live - *bytes;
    peak = larger(peak, live);
  }
  return peak;
}

}  // namespace

std::string exact_text(const Dim& amount) { return readable_sizes(amount.to_string()); }

std::string leading_text(const Dim& amount) {
  if (const auto n = amount.constant()) return std::to_string(*n);
  const auto number = [](std::int64_t n) { return count_text(n); };
  return "about " + leading_terms(growth_at_usual_sizes(amount), number);
}

std::string macs_text(const Dim& macs) {
  const auto n = macs.constant();
  return n ? macs_text(*n) : leading_text(macs) + " MAC";
}

std::string macs_text(const Dim& macs, const std::optional<std::int64_t>& at_most) {
  return macs.is_const() || !at_most ? macs_text(macs) : "at most " + macs_text(*at_most);
}

std::string bytes_text(const Dim& bytes) {
  if (const auto n = bytes.constant()) return bytes_text(*n);
  const auto number = [](std::int64_t n) { return bytes_text(n); };
  return "about " + leading_terms(growth_at_usual_sizes(bytes), number);
}

std::optional<Dim> heap_bytes(const Program& program) {
  if (!program.uses_heap() || has_kernel_with_heap(program)) return std::nullopt;
  for (const Buffer& b : program.buffers)
    if (b.kind == Buffer::Kind::object || b.absent == Buffer::Absent::heap ||
        (b.kind == Buffer::Kind::heap && b.allocated_by_steps))
      return std::nullopt;
  try {
    return peak_of_blocks(program);
  } catch (const OverflowError&) {
    return std::nullopt;
  } catch (const SymbolicExtent&) {
    return std::nullopt;
  }
}

}  // namespace onnxc
