// Bytes as the inputs of a generated program, built from a folder that `onnxc verify --keep` has
// left, whose model is u0. INPUTS names its file of inputs; the bytes change open sizes and
// elements. Any status is right, but no sanitizer may speak.
#include <algorithm>
#include <map>
#include <string>

#include "compiler/run/harness/allocator.hpp"
#include "compiler/run/harness/memory.hpp"
#include "u0.h"

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 18;  // of an output

// The bytes of the fuzzer, then zeros.
class Stream {
 public:
  Stream(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool empty() const { return left_ == 0; }
  std::uint8_t next() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

std::size_t elements_of(const onnxc_value& v) {
  std::size_t count = 1;
  for (std::size_t k = 0; k < v.rank; ++k) count *= static_cast<std::size_t>(v.dims[k]);
  return count;
}

// The dimensions of a type such as `f32[1,N,4]`, as text.
std::vector<std::string> dims_of(const std::string& type) {
  std::vector<std::string> dims;
  const std::size_t begin = type.find('[');
  for (std::size_t at = begin; at != std::string::npos && type[at] != ']';) {
    const std::size_t end = type.find_first_of(",]", at + 1);
    dims.push_back(type.substr(at + 1, end - at - 1));
    at = end;
  }
  return dims;
}

// Each input gets memory of the size that its shape says, so that a read beyond it is seen.
class Inputs {
 public:
  explicit Inputs(Stream& stream) : stream_(stream) {}

  void change(onnxc_value& v, const u0_port_info& port) {
    if (v.kind != onnxc_value::tensor || port.rank < 0) return;
    const std::string type = port.type;
    const std::size_t old = elements_of(v), width = old == 0 ? 0 : v.bytes / old;
    if (old != 0) change_sizes(v, port);
    if (type.rfind("str", 0) == 0) return write_strings(v);
    const onnxc_value given = v;
    provide(v, elements_of(v) * width);
    copy_around(given, v);
    const std::uint8_t how = stream_.next() % 4;
    if (how == 1) write_bytes(v);
    if (how == 2) write_small_numbers(v, width);
    if (type.rfind("bool", 0) == 0)
      for (std::size_t i = 0; i < v.bytes; ++i) static_cast<std::uint8_t*>(v.data)[i] &= 1;
  }

 private:
  void* take(std::size_t bytes) {
    memory_.push_back(harness::allocate(bytes, 16, 0));
    return memory_.back().get();
  }

  void provide(onnxc_value& v, std::size_t bytes) {
    v.data = take(bytes);
    v.bytes = bytes;
  }

  // Equal names get equal sizes, most of the time.
  void change_sizes(onnxc_value& v, const u0_port_info& port) {
    const std::vector<std::string> names = dims_of(port.type);
    auto* const dims = static_cast<std::int64_t*>(take(v.rank * sizeof(std::int64_t)));
    for (std::size_t k = 0; k < v.rank; ++k) {
      dims[k] = v.dims[k];
      if (k >= names.size() || port.dims[k] >= 0) continue;
      const auto [known, added] = sizes_.try_emplace(names[k], dims[k]);
      const std::uint8_t how = stream_.next();
      if (added && (how & 0x80) != 0) known->second = how % 20;
      dims[k] = how == 0x7f ? known->second + 1 : known->second;
    }
    v.dims = dims;
  }

  static void copy_around(const onnxc_value& from, onnxc_value& to) {
    for (std::size_t i = 0; i < to.bytes && from.bytes > 0; ++i)
      static_cast<char*>(to.data)[i] = static_cast<const char*>(from.data)[i % from.bytes];
  }

  void write_bytes(onnxc_value& v) {
    for (std::size_t i = 0; i < v.bytes && !stream_.empty(); ++i)
      static_cast<std::uint8_t*>(v.data)[i] = stream_.next();
  }

  // -128 to 127, as an index or a size may be.
  void write_small_numbers(onnxc_value& v, std::size_t width) {
    for (std::size_t i = 0; i < v.bytes && !stream_.empty(); i += width) {
      const std::int64_t n = static_cast<std::int8_t>(stream_.next());
      std::memcpy(static_cast<char*>(v.data) + i, &n, std::min(width, sizeof n));
    }
  }

  void write_strings(onnxc_value& v) {
    const std::size_t count = elements_of(v);
    std::vector<std::int64_t> sizes(count);
    std::vector<std::uint8_t> bytes;
    for (std::int64_t& size : sizes) {
      size = stream_.next() % 24;
      for (std::int64_t i = 0; i < size; ++i) bytes.push_back(stream_.next());
    }
    provide(v, count * sizeof(std::int64_t) + bytes.size());
    if (count != 0) std::memcpy(v.data, sizes.data(), count * sizeof(std::int64_t));
    if (!bytes.empty())
      std::memcpy(static_cast<char*>(v.data) + count * sizeof(std::int64_t), bytes.data(),
                  bytes.size());
  }

  Stream& stream_;
  std::map<std::string, std::int64_t> sizes_;  // of open dimensions
  std::vector<harness::Memory> memory_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const path = std::getenv("INPUTS");
  if (path == nullptr) harness::fail("INPUTS names no file");
  Stream stream(data, size);
  Inputs inputs(stream);
  const onnxc_unit& unit = *onnxc_units[0];
  harness::Buffers buffers(unit);
  buffers.read_inputs(path);
  for (std::size_t i = 0; i < unit.inputs; ++i)
    inputs.change(buffers.input(i), u0_info()->inputs[i]);
  buffers.run_until_fits(kMostBytes);
  if (harness::allocations().alive != 0) harness::fail("memory is not given back");
  return 0;
}
