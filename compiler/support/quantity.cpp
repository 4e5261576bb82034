// Prints numbers with the prefixes of the SI and, for bytes, those of IEC 80000.
#include "compiler/support/quantity.hpp"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace onnxc {
namespace {

constexpr std::string_view kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};

// "1.52", "15.2", "152": the decimals are chosen after rounding, so that 9.996 is "10.0".
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  return value < 99.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

struct Scaled {
  double value;
  std::size_t prefix;
};

// 999.6 is 1.00 of the next prefix.
Scaled scaled(double value, double base, std::size_t prefix = 0) {
  while (value >= base - 0.5 && prefix + 1 < std::size(kPrefixes)) {
    value /= base;
    ++prefix;
  }
  return {value, prefix};
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
  constexpr double kKib = 1024;
  const double value = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  if (value / kKib < 1023.95) return fmt::format("{:.1f} KiB", value / kKib);
  const Scaled s = scaled(value / kKib / kKib, kKib, 2);
  return fmt::format("{} {}iB", three_digits(s.value), kPrefixes[s.prefix]);
}

std::string count_text(std::int64_t count) {
  if (count < 10'000) return fmt::format("{}", count);
  const Scaled s = scaled(static_cast<double>(count), 1000);
  return fmt::format("{} {}", three_digits(s.value), kPrefixes[s.prefix]);
}

std::string macs_text(std::int64_t macs) {
  return count_text(macs) + (macs < 10'000 ? " MAC" : "MAC");
}

std::string time_text(double seconds) {
  if (seconds >= 0.9995) return fmt::format("{} s", three_digits(seconds));
  if (seconds >= 0.9995e-3) return fmt::format("{} ms", three_digits(seconds * 1e3));
  if (seconds >= 0.9995e-6) return fmt::format("{} us", three_digits(seconds * 1e6));
  return fmt::format("{} ns", three_digits(seconds * 1e9));
}

std::string rate_text(double per_second, std::string_view unit) {
  const Scaled s = scaled(per_second, 1000);
  return fmt::format("{} {}{}", three_digits(s.value), kPrefixes[s.prefix], unit);
}

}  // namespace onnxc
