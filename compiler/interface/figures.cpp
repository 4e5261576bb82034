// Prints polynomials with units, and finds the peak of the heap.
#include "compiler/interface/figures.hpp"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "compiler/ir/size_names.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Stands for an operand while the numbers of an expression are rewritten; no number looks like it.
constexpr char kOperand = '\x01';

std::string short_count(std::int64_t n) {
  if (n >= 1'000'000'000) return fmt::format("{:.2f} G", static_cast<double>(n) / 1e9);
  if (n >= 1'000'000) return fmt::format("{:.2f} M", static_cast<double>(n) / 1e6);
  return fmt::format("{}", n);
}

std::string short_bytes(std::int64_t n) {
  constexpr std::int64_t kLargeKib = 10 * 1024 * 1024;
  if (n < 1024) return fmt::format("{} bytes", n);
  return n < kLargeKib ? fmt::format("{:.1f} KiB", static_cast<double>(n) / 1024)
                       : fmt::format("{:.1f} MiB", static_cast<double>(n) / 1048576);
}

// The expression with its numbers printed by `number`; a number with a unit is separated by blanks.
std::string with_units(const Dim& d, const std::function<std::string(std::int64_t)>& number) {
  std::vector<std::string> operands;
  const std::string plain = d.render([&](const DimAtom& atom) {
    operands.push_back(readable_sizes(atom.text));
    return std::string(1, kOperand);
  });
  std::string text;
  std::size_t next = 0;
  for (std::size_t at = 0; at < plain.size();) {
    const std::size_t end = std::min(plain.find_first_not_of("0123456789", at), plain.size());
    if (end == at) {
      text += plain[at] == kOperand ? operands[next++] : std::string(1, plain[at]);
      ++at;
      continue;
    }
    const std::string amount = number(std::stoll(plain.substr(at, end - at)));
    const bool unit = amount.find(' ') != std::string::npos;
    text += amount + (unit && plain[end] == '*' ? " * " : "");
    at = end + (unit && plain[end] == '*' ? 1 : 0);
  }
  return text;
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

std::string count_text(const Dim& count) { return with_units(count, short_count); }

std::string bytes_text(const Dim& bytes) { return with_units(bytes, short_bytes); }

std::string count_text(const Dim& count, const std::optional<std::int64_t>& at_most) {
  if (count.is_const() || !at_most) return count_text(count);
  return "at most " + short_count(*at_most);
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
