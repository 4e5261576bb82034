// Reads recorded data, and prints them with the function that compares.
#include "compiler/emit/self_test.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "compiler/emit/writer.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/onnx/read/data.hpp"
#include "runtime_min/half.hpp"
#include "templates/fn/quantize.hpp"

namespace onnxc {
namespace {

bool is_comparable(ElemType elem) { return elem != ElemType::string; }

// In the C interface these are bits, or pairs of numbers.
bool is_class(ElemType elem) {
  const bool narrow = is_float(elem) ? storage_bytes(elem) < 4 : info(elem).bits < 8;
  return elem != ElemType::boolean && (is_complex(elem) || narrow);
}

bool is_real(ElemType elem) { return elem == ElemType::float32 || elem == ElemType::float64; }

// As the kernel of QuantizeLinear does it.
template <class T>
Tensor quantised_as(const Tensor& reals, ElemType elem, const Port::Scale& scale) {
  using Limits = std::numeric_limits<T>;
  const auto zero = static_cast<float>(scale.zero_point);
  std::vector<T> out;
  for (std::int64_t i = 0; i < reals.size(); ++i)
    out.push_back(
        static_cast<T>(fn::quantize(static_cast<float>(reals.number(i)), 1.0f, scale.scale, zero,
                                    float{Limits::min()} - zero, float{Limits::max()} - zero)));
  return Tensor::of<T>(elem, reals.dims(), out);
}

// As the port wants them.
Tensor converted(const Tensor& t, const Port& port) {
  if (!port.scale || !is_real(t.elem()) || is_real(port.elem)) return t;
  switch (port.elem) {
    case ElemType::int8:
      return quantised_as<std::int8_t>(t, port.elem, *port.scale);
    case ElemType::uint8:
      return quantised_as<std::uint8_t>(t, port.elem, *port.scale);
    case ElemType::int16:
      return quantised_as<std::int16_t>(t, port.elem, *port.scale);
    case ElemType::uint16:
      return quantised_as<std::uint16_t>(t, port.elem, *port.scale);
    default:
      return t;
  }
}

class Reader {
 public:
  Reader(const std::string& folder, Diagnostics& diagnostics)
      : folder_(folder), diagnostics_(diagnostics) {}

  std::vector<Tensor> read(const char* kind, const std::vector<Port>& ports) {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const std::string path = fmt::format("{}/{}_{}.pb", folder_, kind, i);
      tensors.push_back(read_port(path, ports[i]));
    }
    if (std::filesystem::exists(fmt::format("{}/{}_{}.pb", folder_, kind, ports.size())))
      refuse(fmt::format("{} has more than {} files {}_N.pb", folder_, ports.size(), kind));
    return tensors;
  }

 private:
  Tensor refuse(const std::string& why) {
    diagnostics_.error("selftest", "--selftest", why);
    return {};
  }

  Tensor read_port(const std::string& path, const Port& port) {
    if (port.is_object() || port.is_dynamic() || !is_comparable(port.elem))
      return refuse(fmt::format("'{}' is {}: only numbers of fixed sizes can be built in{}",
                                port.name, readable_sizes(port.type.to_string()),
                                port.is_dynamic() ? "; --dim fixes a size" : ""));
    if (!std::filesystem::exists(path)) return refuse(path + " is missing");
    const DataValue value = import_data_file(path, Type::tensor(ElemType::undefined));
    const Tensor tensor = converted(value.tensor, port);
    if (tensor.elem() != port.elem || tensor.size() != port.elements)
      return refuse(fmt::format("{} holds {} elements of {}, '{}' is {}", path, tensor.size(),
                                info(tensor.elem()).onnx_name, port.name, port.type.to_string()));
    return tensor;
  }

  const std::string& folder_;
  Diagnostics& diagnostics_;
};

template <class T>
double largest_of(const Tensor& t) {
  double most = 0;
  for (const T& value : t.as<T>()) {
    const double v = std::fabs(static_cast<double>(static_cast<float>(value)));
    if (std::isfinite(v)) most = std::max(most, v);
  }
  return most;
}

// Of the floats that sums are computed in; 0 of others.
double largest(const Tensor& t) {
  switch (t.elem()) {
    case ElemType::float16:
      return largest_of<float16>(t);
    case ElemType::bfloat16:
      return largest_of<bfloat16>(t);
    case ElemType::float32:
      return largest_of<float>(t);
    case ElemType::float64:
      return largest_of<double>(t);
    default:
      return 0;
  }
}

// One step of a narrow float, two of those that sums are computed in.
float relative_nearness(ElemType elem) {
  switch (elem) {
    case ElemType::float16:
      return 2e-3f;
    case ElemType::bfloat16:
      return 1.6e-2f;
    case ElemType::float8e4m3fn:
    case ElemType::float8e4m3fnuz:
      return 0.126f;
    case ElemType::float8e5m2:
    case ElemType::float8e5m2fnuz:
      return 0.251f;
    case ElemType::float8e8m0:
    case ElemType::float4e2m1:
      return 0;
    default:
      return 1e-3f;
  }
}

// Floats may differ as those of other compilers and processors do; what was recorded as floats and
// became integers, by one of them.
std::string nearness(const Port& port, const Tensor& want, double quanta) {
  if (is_float(port.elem) || is_complex(port.elem)) {
    const double step = port.scale ? static_cast<double>(port.scale->scale) : 0;
    const double absolute = std::max(largest(want) * 1e-5, quanta * step * 1.001);
    return fmt::format("{{{}, {}}}", float_literal(relative_nearness(port.elem)),
                       float_literal(static_cast<float>(absolute)));
  }
  const bool quantum = storage_bytes(port.elem) <= 2 && port.elem != ElemType::boolean;
  const double integers = std::max(port.scale ? 1.0 : 0.0, quantum ? quanta : 0.0);
  return fmt::format("{{0, {}}}", static_cast<std::int64_t>(integers));
}

// The elements of an array as the code computes with them, and how many there are.
std::string elements_of(const Port& p, const std::string& array) {
  if (!is_class(p.elem)) return array;
  const std::string_view type = p.elem == ElemType::complex64    ? "float"
                                : p.elem == ElemType::complex128 ? "double"
                                                                 : info(p.elem).cpp_name;
  return fmt::format("reinterpret_cast<const {}*>({})", type, array);
}

std::int64_t count_of(const Port& p) { return p.elements * (is_complex(p.elem) ? 2 : 1); }

std::int64_t output_offset(const EmitContext& c, std::size_t output) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < output; ++i) {
    const std::int64_t bytes =
        c.outputs[i].elements * static_cast<std::int64_t>(storage_bytes(c.outputs[i].elem));
    at += (bytes + c.program.alignment - 1) / c.program.alignment * c.program.alignment;
  }
  return at;
}

Identifier data_name(const char* kind, std::size_t i) {
  return identifier_from(fmt::format("selftest_{}_{}", kind, i));
}

}  // namespace

std::int64_t SelfTest::bytes() const {
  std::size_t sum = 0;
  for (const auto* list : {&inputs, &outputs})
    for (const Tensor& t : *list) sum += t.bytes().size();
  return static_cast<std::int64_t>(sum);
}

SelfTest read_self_test(const std::string& folder, const EmitContext& c, Diagnostics& diagnostics) {
  if (c.training) {
    diagnostics.error("selftest", "--selftest", "a model that trains has no recorded state");
    return {};
  }
  Reader reader(folder, diagnostics);
  SelfTest test;
  test.inputs = reader.read("input", c.inputs);
  test.outputs = reader.read("output", c.outputs);
  return test;
}

std::int64_t self_test_memory(const EmitContext& c) { return output_offset(c, c.outputs.size()); }

std::string self_test_signature(const EmitContext& c) {
  return fmt::format(
      "{0}_status {0}_selftest(void* arena, void* memory, {0}_difference* difference{1})", c.name,
      c.weights.mode == WeightsMode::external ? ", const void* weights" : "");
}

std::string emit_self_test_data(const EmitContext& c) {
  CodeWriter w;
  w.raw_line("// ---- self test: recorded data ----");
  w.raw_line("");
  w.raw_line("namespace recorded {");
  w.line("#define ONNXC_WEIGHTS_SECTION {}_WEIGHTS_SECTION", upper_case(c.name));
  w.line("constexpr std::size_t kAlignment = {};", c.program.alignment);
  const auto list = [&](const char* kind, const std::vector<Tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i)
      w.raw(emit_inline_weight(tensors[i], data_name(kind, i)));
  };
  list("input", c.self_test->inputs);
  list("output", c.self_test->outputs);
  w.raw_line("#undef ONNXC_WEIGHTS_SECTION");
  w.raw_line("}  // namespace recorded");
  w.raw_line("");
  return w.take();
}

std::string emit_whole_image_rows(const Port& port) {
  const std::int64_t bytes = port.rows->width * static_cast<std::int64_t>(storage_bytes(port.elem));
  CodeWriter w;
  w.open("int next_image_rows(void* image, uint32_t first, uint32_t count, void* rows) {");
  w.line("for (std::size_t plane = 0; plane < {}; ++plane)", port.rows->planes);
  w.line("  std::memcpy(static_cast<unsigned char*>(rows) + plane * count * {},", bytes);
  w.line("              static_cast<unsigned char*>(image) + (plane * {} + first) * {},",
         port.rows->count, bytes);
  w.line("              std::size_t{{count}} * {});", bytes);
  w.raw_line("return 0;");
  w.close();
  return w.take();
}

namespace {

std::string interface_type(const EmitContext& c, ElemType elem) {
  return is_class(elem) ? c_type(elem, c.name) : std::string(info(elem).cpp_name);
}

// As the interface has it.
std::string recorded_input(const EmitContext& c, std::size_t i) {
  const std::string data = "recorded::" + data_name("input", i).text();
  if (!is_class(c.inputs[i].elem)) return data;
  return fmt::format("reinterpret_cast<const {}*>({})", c_type(c.inputs[i].elem, c.name), data);
}

void emit_comparison(CodeWriter& w, const EmitContext& c, std::size_t i) {
  const Port& p = c.outputs[i];
  const std::string got = elements_of(p, "out." + p.identifier.text());
  const std::string want = elements_of(p, "recorded::" + data_name("output", i).text());
  w.open(fmt::format("if (const std::size_t k = first_wrong({}, {}, {}, {}); k < {}) {{", got, want,
                     count_of(p), nearness(p, c.self_test->outputs[i], c.options.selftest_quanta),
                     count_of(p)));
  w.open("if (difference != nullptr) {");
  w.line("*difference = {{{}, static_cast<uint32_t>(k), static_cast<float>({}[k]),",
         string_literal(p.name), got);
  w.line("               static_cast<float>({}[k])}};", want);
  w.close();
  w.line("return {}_DIFFERS;", upper_case(c.name));
  w.close();
}

}  // namespace

std::string emit_self_test_function(const EmitContext& c) {
  CodeWriter w;
  const Identifier prefix = upper_case(c.name);
  for (const Port& p : c.inputs)
    if (p.rows) w.raw("\nnamespace {\n" + emit_whole_image_rows(p) + "}  // namespace\n");
  w.raw_line("");
  w.open(fmt::format("extern \"C\" ONNXC_API {} {{", self_test_signature(c)));
  w.line("if (!aligned(memory, {0}_ARENA_ALIGN)) return {0}_BAD_ARGUMENT;", prefix);
  w.line("{}_inputs in = {{}};", c.name);
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    if (c.inputs[i].rows)
      w.line("in.{} = {{next_image_rows, const_cast<{}*>(recorded::{})}};", c.inputs[i].identifier,
             c_type(c.inputs[i].elem, c.name), data_name("input", i));
    else
      w.line("in.{} = {};", c.inputs[i].identifier, recorded_input(c, i));
  if (c.weights.mode == WeightsMode::external) w.raw_line("in.weights_ = weights;");
  w.line("{}_outputs out = {{}};", c.name);
  for (std::size_t i = 0; i < c.outputs.size(); ++i)
    w.line("out.{} = at<{}>(memory, {});", c.outputs[i].identifier,
           interface_type(c, c.outputs[i].elem), output_offset(c, i));
  w.line("const {0}_status status = {0}_run(&in, &out, arena);", c.name);
  w.line("if (status != {}_OK) return status;", prefix);
  for (std::size_t i = 0; i < c.outputs.size(); ++i) emit_comparison(w, c, i);
  w.line("return {}_OK;", prefix);
  w.close();
  return w.take();
}

}  // namespace onnxc
