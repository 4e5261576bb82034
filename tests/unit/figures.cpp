// Numbers as people read them: units, and the leading terms of amounts that depend on sizes.
#include "compiler/interface/figures.hpp"

#include <catch2/catch.hpp>

using namespace onnxc;

TEST_CASE("Amounts have three digits and a unit") {
  CHECK(bytes_text(std::int64_t{192}) == "192 bytes");
  CHECK(bytes_text(std::int64_t{13 * 1024}) == "13.0 KiB");
  CHECK(bytes_text(std::int64_t{1048575}) == "1.00 MiB");
  CHECK(bytes_text(std::int64_t{3'400'000}) == "3.24 MiB");
  CHECK(bytes_text(std::int64_t{5} << 30) == "5.00 GiB");
  CHECK(macs_text(std::int64_t{9216}) == "9216 MAC");
  CHECK(macs_text(std::int64_t{442'368}) == "442 kMAC");
  CHECK(macs_text(std::int64_t{999'600}) == "1.00 MMAC");
  CHECK(macs_text(std::int64_t{5'890'000'000}) == "5.89 GMAC");
  CHECK(time_text(152.4e-9) == "152 ns");
  CHECK(time_text(9.996e-6) == "10.0 us");
  CHECK(time_text(0.0123) == "12.3 ms");
  CHECK(time_text(0.9999) == "1.00 s");
  CHECK(rate_text(33.12e9, "MAC/s") == "33.1 GMAC/s");
}

TEST_CASE("Open amounts show their leading terms") {
  const Dim n = Dim::symbol("n"), h = Dim::symbol("h");
  const Dim half = Dim::floor_div(h - 2, 2) + 1;
  CHECK(macs_text(n * h * 40) == "about 40 * h*n MAC");
  CHECK(macs_text(n * half * half * 576 + n * half * 8 + 64) == "about 144 * h*h*n MAC");
  CHECK(macs_text(n * h * 1'234'567 + n * 900'000'000) == "about 900 M * n + 1.23 M * h*n MAC");
  CHECK(bytes_text(Dim::max(n * 4, 64)) == "about 4 bytes * n");
  CHECK(macs_text(n * h, 5'890'000'000) == "at most 5.89 GMAC");
  CHECK(exact_text(n * h * 40 + 64) == "40*h*n + 64");
}
