// probe: what a callback gets.
#include "templates/communication/probe.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace {

struct Callback {
  void (*call)(void*, const char*, std::int32_t, const void*, const std::int64_t*, std::int32_t);
  void* context;
};

struct Shape {
  static constexpr onnxc::Index shape[] = {2, 3};
};
struct Scalar {
  static constexpr onnxc::Index shape[] = {1};
};

struct Got {
  std::string name;
  std::int32_t type = 0;
  const void* data = nullptr;
  std::vector<std::int64_t> dims;
};

void keep(void* context, const char* name, std::int32_t type, const void* data,
          const std::int64_t* dims, std::int32_t rank) {
  *static_cast<Got*>(context) = {name, type, data, {dims, dims + rank}};
}

}  // namespace

TEST_CASE("A probe hands out name, type, elements and dimensions") {
  Got got;
  const Callback callback = {keep, &got};
  const float x[6] = {};
  onnxc::probe<2>(Shape{}, onnxc::Probed<Callback>{&callback, "h", 1}, x);
  CHECK(got.name == "h");
  CHECK(got.type == 1);
  CHECK(got.data == x);
  CHECK(got.dims == std::vector<std::int64_t>{2, 3});
  onnxc::probe<0>(Scalar{}, onnxc::Probed<Callback>{&callback, "s", 7}, x);
  CHECK(got.dims.empty());
  got = {};
  onnxc::probe<2>(Shape{}, onnxc::Probed<Callback>{nullptr, "h", 1}, x);
  CHECK(got.name.empty());
}
