// Converts tensors, sequences and maps between data files and driver files.
#include "compiler/run/recorded.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/run/harness.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

// The first byte of a value; the drivers' onnxc_value::kind_type.
enum Mark : std::uint64_t { nothing, tensor, list, map };

void put_count(std::string& to, std::uint64_t n, std::endian order) {
  convert_order(&n, sizeof n, sizeof n, order);
  to.append(reinterpret_cast<const char*>(&n), sizeof n);
}

[[noreturn]] void fail(const std::string& message) { throw FatalError(exit_code::io, message); }

// The real and imaginary parts of complex elements are numbers of their own.
std::size_t number_bytes(ElemType elem) {
  const bool pair = elem == ElemType::complex64 || elem == ElemType::complex128;
  return elem_bytes(elem) / (pair ? 2 : 1);
}

// Strings: the length of each, then all their bytes.
std::string contents(const Tensor& t, std::endian order) {
  std::string bytes;
  if (t.elem() != ElemType::string) {
    const auto data = t.bytes();
    bytes.assign(reinterpret_cast<const char*>(data.data()), data.size());
    convert_order(bytes.data(), bytes.size(), number_bytes(t.elem()), order);
    return bytes;
  }
  for (const std::string& s : t.strings()) put_count(bytes, s.size(), order);
  for (const std::string& s : t.strings()) bytes += s;
  return bytes;
}

Tensor from_contents(ElemType elem, std::vector<std::int64_t> dims, std::string_view data,
                     std::endian order) {
  const auto* begin = reinterpret_cast<const std::byte*>(data.data());
  std::vector<std::byte> bytes(begin, begin + data.size());
  convert_order(bytes.data(), bytes.size(), number_bytes(elem), order);
  return {elem, std::move(dims), Blob::owned(std::move(bytes))};
}

// The values, which are recorded one by one, as one tensor.
Tensor as_one_tensor(const std::vector<DataValue>& items, const std::string& name) {
  if (items.empty()) return Tensor::zeros(ElemType::float32, {0});
  const ElemType elem = items[0].tensor.elem();
  std::vector<std::string> words;
  std::vector<std::byte> bytes;
  for (const DataValue& item : items) {
    const Tensor& t = item.tensor;
    if (item.kind != Type::Kind::tensor || t.elem() != elem || (t.size() != 1 && items.size() > 1))
      fail(fmt::format("test data: a map in '{}' has values of another kind", name));
    if (elem == ElemType::string)
      words.insert(words.end(), t.strings().begin(), t.strings().end());
    else
      bytes.insert(bytes.end(), t.bytes().begin(), t.bytes().end());
  }
  if (elem != ElemType::string) {
    const auto count = static_cast<std::int64_t>(bytes.size() / elem_bytes(elem));
    return {elem, {count}, Blob::owned(std::move(bytes))};
  }
  const auto count = static_cast<std::int64_t>(words.size());
  return {{count}, std::move(words)};
}

std::string pack_map(const DataValue& v, std::endian order) {
  std::string out;
  put_count(out, map, order);
  put_count(out, 2, order);
  const Tensor values = as_one_tensor(v.items, v.name);
  if (values.size() != v.keys.size())
    fail(fmt::format("test data: a map in '{}' has {} keys and {} values", v.name, v.keys.size(),
                     values.size()));
  return out + pack_tensor(v.keys.dims(), contents(v.keys, order), order) +
         pack_tensor(values.dims(), contents(values, order), order);
}

std::string pack_value(const DataValue& v, std::endian order) {
  std::string out;
  if (v.kind == Type::Kind::map) return pack_map(v, order);
  if (v.kind == Type::Kind::tensor)
    return pack_tensor(v.tensor.dims(), contents(v.tensor, order), order);
  if (v.kind == Type::Kind::optional) {
    if (!v.items.empty()) return pack_value(v.items[0], order);
    put_count(out, nothing, order);
    return out;
  }
  put_count(out, list, order);
  put_count(out, v.items.size(), order);
  for (const DataValue& item : v.items) out += pack_value(item, order);
  return out;
}

void check_tensor(const Tensor& t, const Port& port) {
  if (t.elem() != port.elem)
    fail(fmt::format("test data: input '{}' is {}, the model wants {}", port.name,
                     info(t.elem()).onnx_name, info(port.elem).onnx_name));
  bool fits = t.dims().size() == port.dims.size();
  for (std::size_t i = 0; fits && i < port.dims.size(); ++i)
    fits = port.dims[i] == -1 || port.dims[i] == t.dims()[i];
  // Some recordings do not distinguish scalars and vectors of one element.
  if (!fits && (port.is_dynamic() || t.size() != port.elements))
    fail(fmt::format("test data: input '{}' has {} elements, the model wants {}", port.name,
                     t.size(), to_string(port.shape)));
}

// The existing files input_0.pb, input_1.pb, ...
std::string path_of(const std::string& folder, const char* what, std::size_t number) {
  return fmt::format("{}/{}_{}.pb", folder, what, number);
}

std::vector<DataValue> read_series(const std::string& folder, const char* what,
                                   const std::vector<Port>& ports) {
  std::vector<DataValue> values;
  for (;;) {
    const std::string path = path_of(folder, what, values.size());
    if (!std::filesystem::exists(path)) return values;
    const Type type = values.size() < ports.size() ? ports[values.size()].type
                                                   : Type::tensor(ElemType::undefined);
    values.push_back(import_data_file(path, type));
  }
}

class Unpacker {
 public:
  Unpacker(std::string_view bytes, std::endian order) : bytes_(bytes), order_(order) {}

  DataValue value(const Type& type) {
    DataValue v;
    const std::uint64_t mark = count();
    if (type.kind == Type::Kind::optional) {
      v.kind = type.kind;
      if (mark != nothing) v.items.push_back(value_of(*type.element, mark));
      return v;
    }
    return value_of(type, mark);
  }

 private:
  DataValue value_of(const Type& type, std::uint64_t mark) {
    DataValue v;
    v.kind = type.kind;
    if (mark == map) {
      count();
      count();
      v.key = type.elem;
      v.keys = read_tensor(type.elem);
      v.items = split(value(*type.element).tensor);
    } else if (mark == list) {
      for (std::uint64_t n = count(); n > 0; --n) v.items.push_back(value(*type.element));
    } else if (mark == tensor) {
      v.tensor = read_tensor(type.elem);
    }
    return v;
  }

  // The values of a map, one by one as they are recorded.
  static std::vector<DataValue> split(const Tensor& values) {
    std::vector<DataValue> items;
    for (std::int64_t i = 0; i < values.size(); ++i) {
      DataValue v;
      v.kind = Type::Kind::tensor;
      const auto at = static_cast<std::size_t>(i);
      if (values.elem() == ElemType::string) {
        v.tensor =
            Tensor(std::vector<std::int64_t>{}, std::vector<std::string>{values.strings()[at]});
      } else {
        const auto bytes =
            values.bytes().subspan(at * elem_bytes(values.elem()), elem_bytes(values.elem()));
        v.tensor = Tensor(values.elem(), {}, Blob::owned({bytes.begin(), bytes.end()}));
      }
      items.push_back(std::move(v));
    }
    return items;
  }

  Tensor read_tensor(ElemType elem) {
    std::vector<std::int64_t> dims(count());
    for (std::int64_t& d : dims) d = static_cast<std::int64_t>(count());
    const std::string_view data = take(count());
    if (elem != ElemType::string) return from_contents(elem, std::move(dims), data, order_);
    Unpacker text(data, order_);
    std::int64_t n = 1;
    for (std::int64_t d : dims) n *= d;
    std::vector<std::string> strings;
    std::vector<std::uint64_t> sizes;
    for (std::int64_t i = 0; i < n; ++i) sizes.push_back(text.count());
    for (std::uint64_t size : sizes) strings.emplace_back(text.take(size));
    return {std::move(dims), std::move(strings)};
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) fail("the result is too short");
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }

  std::uint64_t count() {
    std::uint64_t n = 0;
    std::memcpy(&n, take(sizeof n).data(), sizeof n);
    convert_order(&n, sizeof n, sizeof n, order_);
    return n;
  }

  std::string_view bytes_;
  std::endian order_;
};

}  // namespace

std::vector<Port> typed_inputs(const Model& model) {
  std::vector<Port> ports;
  for (const Value* v : model.graph.inputs) {
    Port port;
    port.name = v->name;
    port.type = v->type;
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<DataValue> read_inputs(const std::string& folder, const std::vector<Port>& inputs) {
  return read_series(folder, "input", inputs);
}

Recorded read_data_set(const std::string& folder, const std::vector<Port>& inputs,
                       const std::vector<Port>& outputs) {
  return {read_series(folder, "input", inputs), read_series(folder, "output", outputs)};
}

void write_outputs(const std::string& folder, const std::vector<DataValue>& values,
                   const std::vector<Port>& ports) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind != Type::Kind::tensor)
      fail(fmt::format("output '{}' is no tensor: not recorded", ports[i].name));
    write_file(path_of(folder, "output", i), export_data_file(values[i].tensor, ports[i].name));
  }
}

std::vector<DataValue> read_states(const std::string& folder) {
  return read_series(folder, "state", {});
}

std::size_t count_inputs(const std::string& folder) {
  std::size_t n = 0;
  while (std::filesystem::exists(path_of(folder, "input", n))) ++n;
  return n;
}

InputShapes input_shapes(const Recorded& recorded) {
  InputShapes shapes;
  for (const DataValue& v : recorded.inputs)
    shapes.push_back(v.kind == Type::Kind::tensor ? std::optional(v.tensor.dims()) : std::nullopt);
  return shapes;
}

void convert_order(void* data, std::size_t bytes, std::size_t width, std::endian order) {
  if (order == std::endian::native || width == 1) return;
  auto* const begin = static_cast<std::byte*>(data);
  for (std::size_t i = 0; i + width <= bytes; i += width)
    std::reverse(begin + i, begin + i + width);
}

std::string pack_tensor(const std::vector<std::int64_t>& dims, const std::string& bytes,
                        std::endian order) {
  std::string out;
  put_count(out, tensor, order);
  put_count(out, dims.size(), order);
  for (std::int64_t d : dims) put_count(out, static_cast<std::uint64_t>(d), order);
  put_count(out, bytes.size(), order);
  return out + bytes;
}

std::string pack_inputs(const Recorded& recorded, const std::vector<Port>& ports,
                        std::endian order) {
  if (recorded.inputs.size() != ports.size())
    fail(fmt::format("test data: {} inputs, the model has {}", recorded.inputs.size(),
                     ports.size()));
  std::string bytes;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].type.is_tensor()) check_tensor(recorded.inputs[i].tensor, ports[i]);
    bytes += pack_value(recorded.inputs[i], order);
  }
  return bytes;
}

std::vector<DataValue> unpack_state(std::string_view block, const TrainingInterface& training,
                                    std::endian order) {
  std::vector<DataValue> out;
  for (const StatePort& v : training.variables) {
    std::int64_t bytes = static_cast<std::int64_t>(storage_bytes(v.elem));
    for (const std::int64_t d : v.dims) bytes *= d;
    const auto begin = static_cast<std::size_t>(v.offset), size = static_cast<std::size_t>(bytes);
    if (begin + size > block.size()) fail("the state is too short");
    DataValue value;
    value.kind = Type::Kind::tensor;
    value.name = v.name;
    value.tensor = from_contents(v.elem, v.dims, block.substr(begin, size), order);
    out.push_back(std::move(value));
  }
  return out;
}

std::vector<DataValue> unpack_outputs(std::string_view bytes, const std::vector<Port>& ports,
                                      std::endian order) {
  std::vector<DataValue> out;
  Unpacker unpacker(bytes, order);
  for (const Port& port : ports) out.push_back(unpacker.value(port.type));
  return out;
}

}  // namespace onnxc
