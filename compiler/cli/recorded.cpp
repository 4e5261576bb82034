#include "compiler/cli/recorded.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "compiler/import/data.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

void check_plain(const Port& port) {
  if (elem_bytes(port.elem) == 0) {
    throw FatalError(exit_code::io, fmt::format("'{}': cannot pass tensors of {} yet", port.name,
                                                info(port.elem).onnx_name));
  }
}

void check_input(const Tensor& tensor, const Port& port) {
  check_plain(port);
  if (tensor.elem() != port.elem) {
    throw FatalError(exit_code::io,
                     fmt::format("test data: input '{}' is {}, the model wants {}", port.name,
                                 info(tensor.elem()).onnx_name, info(port.elem).onnx_name));
  }
  if (tensor.size() != port.elements) {
    throw FatalError(exit_code::io,
                     fmt::format("test data: input '{}' has {} elements, the model wants {}",
                                 port.name, tensor.size(), port.elements));
  }
}

// input_0.pb, input_1.pb, ... as far as there are any.
std::vector<Tensor> read_series(const std::string& folder, const char* what) {
  std::vector<Tensor> list;
  for (;;) {
    const std::string path = fmt::format("{}/{}_{}.pb", folder, what, list.size());
    if (!std::filesystem::exists(path)) return list;
    list.push_back(import_tensor_file(path));
  }
}

}  // namespace

Recorded read_data_set(const std::string& folder) {
  return {read_series(folder, "input"), read_series(folder, "output")};
}

InputShapes input_shapes(const Recorded& recorded) {
  InputShapes shapes;
  for (const Tensor& t : recorded.inputs) shapes.emplace_back(t.dims());
  return shapes;
}

std::string pack_inputs(const Recorded& recorded, const std::vector<Port>& ports) {
  if (recorded.inputs.size() != ports.size()) {
    throw FatalError(exit_code::io, fmt::format("test data: {} inputs, the model has {}",
                                                recorded.inputs.size(), ports.size()));
  }
  std::string bytes;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    check_input(recorded.inputs[i], ports[i]);
    const auto data = recorded.inputs[i].bytes();
    bytes.append(reinterpret_cast<const char*>(data.data()), data.size());
  }
  return bytes;
}

std::vector<Tensor> unpack_outputs(std::string_view bytes, const std::vector<Port>& ports) {
  std::vector<Tensor> out;
  for (const Port& port : ports) {
    check_plain(port);
    const std::size_t n = static_cast<std::size_t>(port.elements) * elem_bytes(port.elem);
    if (n > bytes.size()) throw FatalError(exit_code::io, "the result is too short");
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    out.emplace_back(port.elem, port.dims, Blob::owned({data, data + n}));
    bytes.remove_prefix(n);
  }
  return out;
}

}  // namespace onnxc
