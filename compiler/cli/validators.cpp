// Checks words and numbers.
#include "compiler/cli/arguments.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

CLI::Validator number_that(bool (*fits)(double, double, double), double least, double most,
                           const std::string& range) {
  return {[=](std::string& text) -> std::string {
            const auto value = parse_number(text);
            if (!value) return fmt::format("'{}' is not a number", text);
            return fits(*value, least, most) ? "" : fmt::format("{} is not {}", text, range);
          },
          ""};
}

}  // namespace

CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& text) -> std::string {
            if (std::find(words.begin(), words.end(), text) != words.end()) return "";
            return fmt::format("'{}' is none of {}{}", text, fmt::join(words, ", "),
                               did_you_mean(text, words));
          },
          ""};
}

CLI::Validator number_from(double least, double most) {
  return number_that([](double x, double low, double high) { return x >= low && x <= high; }, least,
                     most, fmt::format("from {:.0f} to {:.0f}", least, most));
}

CLI::Validator number_above(double least) {
  return number_that([](double x, double low, double) { return x > low; }, least,
                     std::numeric_limits<double>::infinity(), fmt::format("above {:.0f}", least));
}

}  // namespace onnxc
