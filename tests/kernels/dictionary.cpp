// dictionary.cpp - maps and categories.
#include "templates/sequence/dictionary.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "compiler/kernels/ml_calls.hpp"
#include "compiler/kernels/sequence_calls.hpp"
#include "templates/ml/one_hot_encoder.hpp"

namespace {

using onnxc::Extent;
using onnxc::Index;
using onnxc::Status;
using onnxc::Text;
using onnxc::text;
using onnxc::Value;

using Places = onnxc::DictVectorizerShape<onnxc::Index>;
using Cast = onnxc::CastMapShape<onnxc::Index>;
using Zip = onnxc::ZipMapShape<onnxc::Index>;
using Categories = onnxc::OneHotEncoderShape<onnxc::Index>;

template <class K, class T>
Value map_of(onnxc::Heap& heap, const std::vector<K>& keys, const std::vector<T>& values) {
  Value map(heap), side(heap);
  const Extent dims[] = {keys.size()};
  REQUIRE(map.make_list());
  REQUIRE(side.make_tensor(1, dims, Index{sizeof(K)}, keys.data()) != nullptr);
  REQUIRE(map.append(side));
  REQUIRE(side.make_tensor(1, dims, Index{sizeof(T)}, values.data()) != nullptr);
  REQUIRE(map.append(side));
  return map;
}

}  // namespace

TEST_CASE("values in the order of a vocabulary") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  const std::vector<Text> given = {text("b"), text("unknown"), text("a"), text("b")};
  const std::vector<float> values = {1, 2, 3, 4};
  const Value map = map_of(heap, given, values);
  const Text keys[] = {text("a"), text("b"), text("b"), text("c")};
  const std::int32_t places[] = {2, 0, 3, 1};
  std::vector<float> y(4, -1);
  onnxc::dict_vectorizer(Places{4}, map, keys, places, y.data());
  CHECK(y == std::vector<float>{4, 0, 3, 4});
}

TEST_CASE("maps become tensors") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  const std::vector<std::int64_t> keys = {3, 0, 7};
  const std::vector<float> values = {0.5f, 1.5f, -2};
  const Value map = map_of(heap, keys, values);
  Index extents[2] = {};
  CHECK(onnxc::cast_map_extents(map, extents) == Status::ok);
  CHECK(extents[1] == 3);
  const float zero = 0;
  std::vector<float> y(9, -1);
  CHECK(onnxc::cast_map<float>(Cast{3, false}, map, &zero, y.data(), heap) == Status::ok);
  CHECK(std::vector<float>(y.begin(), y.begin() + 3) == std::vector<float>{1.5f, 0.5f, -2});
  CHECK(onnxc::cast_map<float>(Cast{9, true}, map, &zero, y.data(), heap) == Status::ok);
  CHECK(y == std::vector<float>{1.5f, 0, 0, 0.5f, 0, 0, 0, -2, 0});
  CHECK(onnxc::cast_map<float>(Cast{7, true}, map, &zero, y.data(), heap) == Status::bad_index);

  const Text nothing = text("-");
  std::vector<Text> words(3);
  CHECK(onnxc::cast_map<float>(Cast{3, false}, map, &nothing, words.data(), heap) == Status::ok);
  CHECK(words == std::vector<Text>{text("1.5"), text("0.5"), text("-2.0")});
  const std::vector<Text> numbers = {text("12"), text("x"), text("-3")};
  const Value texts = map_of(heap, keys, numbers);
  const std::int64_t none = 0;
  std::vector<std::int64_t> whole(3);
  CHECK(onnxc::cast_map<Text>(Cast{3, false}, texts, &none, whole.data(), heap) ==
        Status::bad_value);
  CHECK(onnxc::cast_map<float>(Cast{3, false}, map, &none, whole.data(), heap) == Status::ok);
  CHECK(whole == std::vector<std::int64_t>{1, 0, -2});
}

namespace {

// The layout of <name>_value in the header of a model.
struct Given {
  std::int32_t kind;
  const void* data;
  const std::int64_t* dims;
  std::int64_t rank;
  const Given* items;
  std::int64_t count;
};

}  // namespace

TEST_CASE("maps come from the caller and go back") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  using onnxc::ValueType;
  const ValueType type{{ValueType::list, ValueType::map, ValueType::tensor}, 4, false, 16, true};
  const Text keys[] = {text("one"), text("two")};
  const float values[] = {1, 2};
  const std::int64_t two = 2, one = 1;
  const Given sides[] = {{1, keys, &two, 1, nullptr, 0}, {1, values, &two, 1, nullptr, 0}};
  const Given map{3, nullptr, nullptr, 0, sides, 2}, list{2, nullptr, nullptr, 0, &map, 1};
  Value v(heap);
  REQUIRE(onnxc::import_value(&list, type, 0, v) == Status::ok);

  Given out{};
  onnxc::ValueWriter measure(nullptr, 0);
  measure.write(v, type, &out);
  CHECK_FALSE(measure.fits());
  std::vector<unsigned char> memory(static_cast<std::size_t>(measure.used()) + 16);
  onnxc::ValueWriter writer(
      memory.data() + 16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16,
      static_cast<std::size_t>(measure.used()));
  writer.write(v, type, &out);
  REQUIRE(writer.fits());
  const Given& back = out.items[0];
  CHECK(back.kind == 3);
  CHECK(back.count == 2);
  CHECK(static_cast<const Text*>(back.items[0].data)[1] == text("two"));
  CHECK(static_cast<const Text*>(back.items[0].data)[1].data != keys[1].data);
  CHECK(static_cast<const float*>(back.items[1].data)[1] == 2);

  const auto status = [&](const Given& item) {
    const Given outer{2, nullptr, nullptr, 0, &item, 1};
    return onnxc::import_value(&outer, type, 0, v);
  };
  CHECK(status({2, nullptr, nullptr, 0, sides, 2}) == Status::bad_argument);
  CHECK(status({3, nullptr, nullptr, 0, sides, 1}) == Status::bad_argument);
  CHECK(status({3, nullptr, nullptr, 0, nullptr, 2}) == Status::bad_argument);
  Given uneven[] = {sides[0], {1, values, &one, 1, nullptr, 0}};
  CHECK(status({3, nullptr, nullptr, 0, uneven, 2}) == Status::bad_shape);
  uneven[1] = {1, values, nullptr, 0, nullptr, 0};
  CHECK(status({3, nullptr, nullptr, 0, uneven, 2}) == Status::bad_shape);
}

TEST_CASE("rows become maps") {
  onnxc::Heap heap(onnxc::malloc_allocator());
  const float x[] = {1, 2, 3, 4};
  const std::int64_t labels[] = {5, 9};
  Value y(heap);
  CHECK(onnxc::zip_map(Zip{2, 2}, x, labels, y) == Status::ok);
  REQUIRE(y.size() == 2);
  const Value second = y.at(1);
  CHECK(second.at(0).data<std::int64_t>()[1] == 9);
  CHECK(second.at(1).data<float>()[0] == 3);
  CHECK(onnxc::zip_map(Zip{0, 2}, x, labels, y) == Status::ok);
  CHECK(y.size() == 0);
}

TEST_CASE("categories become rows") {
  const double x[] = {20.9, onnxc::kNaN, 1e300};
  const std::int64_t keys[] = {10, 20};
  const std::int32_t places[] = {2, 0};
  std::vector<float> y(9, -1);
  CHECK(onnxc::one_hot_encoder(Categories{3, 2, 3, true}, x, keys, places, y.data()) == Status::ok);
  CHECK(y == std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(onnxc::one_hot_encoder(Categories{3, 2, 3, false}, x, keys, places, y.data()) ==
        Status::bad_value);
  const Text words[] = {text("b"), text("")};
  const Text known[] = {text("a"), text("b")};
  CHECK(onnxc::one_hot_encoder(Categories{2, 2, 3, true}, words, known, places, y.data()) ==
        Status::ok);
  CHECK(y[0] == 1);
  CHECK(y[3] + y[4] + y[5] == 0);
}
