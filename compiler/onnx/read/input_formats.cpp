// Puts the nodes that prepare an input before the nodes that read it.
#include "compiler/onnx/read/input_formats.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compiler/ir/editor.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

using Ints = std::vector<std::int64_t>;

// {0, n-1, 1, ..., n-2} moves channels last to axis 1.
Ints channels_first(std::size_t rank) {
  const auto last = static_cast<std::int64_t>(rank) - 1;
  Ints perm = {0, last};
  for (std::int64_t i = 1; i < last; ++i) perm.push_back(i);
  return perm;
}

Type type_of_port(const Type& read, ElemType elem, bool channels_last) {
  Type port = read;
  port.elem = elem;
  if (!channels_last) return port;
  Shape& shape = *port.shape;
  std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return port;
}

// Why the input cannot have the format; "" if it can.
std::string why_not(const Value& x, const InputFormat& format) {
  const ElemType elem = elem_type_from_name(format.elem);
  if (!x.type.is_tensor() || !is_float(x.type.elem) || !x.type.has_rank())
    return "is no tensor of floats of known rank";
  if (elem == ElemType::undefined || (!is_integer(elem) && !is_float(elem)))
    return fmt::format("'{}' is no type of numbers such as u8", format.elem);
  const std::size_t rank = x.type.rank();
  if (format.channels_last && rank < 3)
    return fmt::format("layout=nhwc needs 3 axes or more, it has {}", rank);
  for (const auto* list : {&format.mean, &format.scale}) {
    if (list->size() <= 1) continue;
    const Dim channels = rank < 2 ? Dim(0) : (*x.type.shape)[1];
    if (!channels.is(static_cast<std::int64_t>(list->size())))
      return fmt::format("{} numbers for {} channels", list->size(), channels.to_string());
  }
  return "";
}

// One number for all elements, or one for each index of axis 1.
Value* along_channels(GraphEditor& editor, const std::vector<float>& list, std::size_t rank) {
  if (list.size() == 1) return editor.constant(Tensor::scalar(list[0]));
  Ints dims(rank - 1, 1);
  dims[0] = static_cast<std::int64_t>(list.size());
  return editor.constant(Tensor::of<float>(ElemType::float32, dims, list));
}

bool is_only(const std::vector<float>& list, float number) {
  return std::all_of(list.begin(), list.end(), [=](float x) { return x == number; });
}

void prepare(Graph& graph, Value& read, const InputFormat& format) {
  const std::size_t rank = read.type.rank();
  const std::string name = read.name;
  const Type type = read.type;
  read.name = graph.fresh_name(name + "_prepared");
  Value* const port = graph.add_value(
      name, type_of_port(type, elem_type_from_name(format.elem), format.channels_last));
  *std::find(graph.inputs.begin(), graph.inputs.end(), &read) = port;
  GraphEditor editor(graph);
  if (!graph.nodes.empty()) editor.before(*graph.nodes.front());
  Node source;
  source.sources = {"--input " + name};
  editor.set_provenance(source);
  Value* x = port;
  const auto tensor = [&](ElemType elem) {
    Type t = type;
    t.elem = elem;
    return t;
  };
  if (format.channels_last)
    x = editor.emit("Transpose", {x}, tensor(port->type.elem), {{"perm", channels_first(rank)}});
  const auto to = [](ElemType elem) { return Attributes{{"to", static_cast<std::int64_t>(elem)}}; };
  const Type f32 = tensor(ElemType::float32);
  x = editor.emit("Cast", {x}, f32, to(ElemType::float32));
  if (!is_only(format.mean, 0))
    x = editor.emit("Sub", {x, along_channels(editor, format.mean, rank)}, f32);
  if (!is_only(format.scale, 1))
    x = editor.emit("Mul", {x, along_channels(editor, format.scale, rank)}, f32);
  editor.emit_as(&read, "Cast", {x}, to(type.elem));
}

}  // namespace

void set_input_formats(Graph& graph, const std::map<std::string, InputFormat>& formats,
                       Diagnostics& diagnostics) {
  for (const auto& [name, format] : formats) {
    const auto same = [&name = name](const Value* v) { return v->name == name; };
    const auto found = std::find_if(graph.inputs.begin(), graph.inputs.end(), same);
    std::vector<std::string> known;
    for (const Value* v : graph.inputs) known.push_back(v->name);
    std::string problem;
    if (found == graph.inputs.end())
      problem = fmt::format("the model has no such input; it has {}{}", fmt::join(known, ", "),
                            did_you_mean(name, known));
    else
      problem = why_not(**found, format);
    if (problem.empty())
      prepare(graph, **found, format);
    else
      diagnostics.error("bad-input", "--input " + name, problem);
  }
}

}  // namespace onnxc
