// arguments.cpp - the words of the command line.
#include "compiler/cli/arguments.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/words.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <utility>

using namespace onnxc;

TEST_CASE("sizes have units") {
  CHECK(parse_size("4096") == 4096);
  CHECK(parse_size("96K") == 96 * 1024);
  CHECK(parse_size("1.5M") == 3 * 512 * 1024);
  CHECK(parse_size("2GiB") == std::int64_t{2} << 30);
  for (const char* bad : {"", "K", "-1", "9X", "1 K", "nan", "1e30"}) {
    CHECK_THROWS_AS(parse_size(bad), std::invalid_argument);
  }
}

TEST_CASE("dimensions are fixed or bounded") {
  std::map<std::string, DimRange> dims;
  parse_dim("batch=4", dims);
  parse_dim("x:0=1..128", dims);
  CHECK(dims.at("batch").low == 4);
  CHECK(dims.at("batch").high == 4);
  CHECK(dims.at("x:0").low == 1);
  CHECK(dims.at("x:0").high == 128);
  for (const char* bad :
       {"batch=5", "n", "=3", "n=", "n=x", "n=-1", "n=3..1", "n=1..", "n=1..2..3"}) {
    CHECK_THROWS_AS(parse_dim(bad, dims), std::invalid_argument);
  }
}

TEST_CASE("compile is the default verb") {
  const std::vector<std::string> verbs = {"compile", "verify"};
  using Words = std::vector<std::string>;
  CHECK(with_verb({"m.onnx"}, verbs) == Words{"compile", "m.onnx"});
  CHECK(with_verb({"-o", "x", "m.onnx"}, verbs) == Words{"compile", "-o", "x", "m.onnx"});
  CHECK(with_verb({"verify", "d"}, verbs) == Words{"verify", "d"});
  CHECK(with_verb({"--version"}, verbs) == Words{"--version"});
  CHECK(with_long_options(Words{"-MD", "-MF", "f", "-MT", "t"}) ==
        Words{"--MD", "--MF", "f", "--MT", "t"});
}

TEST_CASE("a mistyped word finds its neighbour") {
  const std::vector<std::string> known = {"--target", "--threads", "--report"};
  CHECK(closest("--traget", known) == "--target");
  CHECK(closest("--thread", known) == "--threads");
  CHECK(closest("--nonsense", known).empty());
}

TEST_CASE("a neighbour differs by a third at most, dashes apart") {
  const std::vector<std::string> known = {"--hook", "axis", "to", "alpha"};
  CHECK(closest("--foo", known).empty());
  CHECK(closest("--hok", known) == "--hook");
  CHECK(closest("hook", known) == "--hook");
  CHECK(closest("axs", known) == "axis");
  CHECK(closest("a", known).empty());
  CHECK(closest("TO", known) == "to");
  CHECK(closest("", known).empty());
}

TEST_CASE("a target is also meant by names of its boards and instruction sets") {
  const std::pair<const char*, const char*> meant[] = {
      {"avx2", "x86-64-v3"},
      {"AVX512F", "x86-64-v4"},
      {"x86_64", "x86-64-v3"},
      {"x86-64", "x86-64-v2"},
      {"x86-64-v44", "x86-64-v4"},
      {"m4", "cortex-m4"},
      {"m4f", "cortex-m4f"},
      {"cortex-m0", "cortex-m0plus"},
      {"cortex-m44", "cortex-m4"},
      {"cortex-a72", "armv8-a"},
      {"Raspberry Pi 4", "armv8-a"},
      {"esp32", "generic"},
      {"ESP32-C3", "rv32imc"},
      {"esp32-s3", "generic"},
      {"stm32", "cortex-m"},
      {"STM32F407VG", "cortex-m4f"},
      {"stm32h743", "cortex-m7"},
      {"nrf52840", "cortex-m4f"},
      {"pico2", "cortex-m33"},
      {"rp2040", "cortex-m0plus"},
      {"wasm", "wasm32"},
      {"nativ", "native"},
      {"toaster", ""},
      {"", ""},
  };
  const std::vector<std::string> names = target_names();
  for (const auto& [name, target] : meant) {
    CAPTURE(name);
    CHECK(target_meant_by(name) == target);
    CHECK(std::find(names.begin(), names.end(), name) == names.end());
  }
}

TEST_CASE("memories are in the order given, each dearer than the one before") {
  const auto memory = parse_memory("dtcm=64K,sram=256K:3,psram=8M");
  REQUIRE(memory.size() == 3);
  CHECK(memory[0].name == "dtcm");
  CHECK(memory[0].bytes == 65536);
  CHECK(memory[0].cost == 1);
  CHECK(memory[1].cost == 3);
  CHECK(memory[2].cost == 6);
  for (const char* bad : {"", "a", "a=", "A=1", "a=1,a=2", "a=1:", "a=1:0", "a=1:2x", "a=1,"})
    CHECK_THROWS_AS(parse_memory(bad), std::invalid_argument);
}
