// Amounts for people, in one form everywhere: a number of three digits and the unit that makes it
// one. The report page prints the same forms (products/report/report.js).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace onnxc {

// "192 bytes", "13.0 KiB", "3.24 MiB": KiB have one decimal, since limits are stated in them.
std::string bytes_text(std::int64_t bytes);

// "70", "9216", "442 k", "12.5 M": a count, exact below 10,000. The unit follows directly.
std::string count_text(std::int64_t count);
// "70 MAC", "442 kMAC", "12.5 MMAC": multiply-accumulates.
std::string macs_text(std::int64_t macs);

// "152 ns", "1.52 us", "12.3 ms", "2.00 s".
std::string time_text(double seconds);

// "33.1 GMAC/s", "870 MB/s" for the unit "MAC/s" or "B/s".
std::string rate_text(double per_second, std::string_view unit);

}  // namespace onnxc
