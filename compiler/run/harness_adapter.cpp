// Prints the C++ that adapts a generated function to the interface of
// compiler/run/harness/unit.hpp.
#include "compiler/run/harness_adapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "compiler/emit/emit.hpp"
#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

std::string port_array(const char* name, const std::vector<Port>& ports,
                       std::size_t (*of)(const Port&)) {
  std::string text = fmt::format("const std::size_t {}[] = {{", name);
  for (const Port& p : ports) {
    const std::size_t n = of(p);
    text += n == SIZE_MAX ? "onnxc_any_size, " : fmt::format("{}u, ", n);
  }
  return text + "0};\n";
}

bool holds_text(const Port& p) {
  for (const Type* t = &p.type; t; t = t->element.get())
    if (t->elem == ElemType::string) return true;
  return false;
}

bool has_any_size(const Port& p) { return p.is_dynamic() || p.is_object() || holds_text(p); }

std::size_t bytes_of(const Port& p) {
  return has_any_size(p) ? SIZE_MAX : static_cast<std::size_t>(p.elements) * elem_bytes(p.elem);
}

// The Elements struct of convert.hpp: tensors inside all containers, and keys of maps.
std::string elements_of(const Port& p) {
  ElemType key = ElemType::undefined;
  const Type* t = &p.type;
  for (; t->element; t = t->element.get())
    if (t->kind == Type::Kind::map) key = t->elem;
  return fmt::format("harness::Elements{{{}u, {}, {}u, {}}}", storage_bytes(t->elem),
                     t->elem == ElemType::string, storage_bytes(key), key == ElemType::string);
}

// The type arguments of the templates of convert.hpp: the model's value and string types.
std::string types_of(const Port& p, const std::string& model) {
  const std::string text = holds_text(p) ? model + "_string" : "no_string";
  return fmt::format("{}_value, {}", model, text);
}

std::string bind_inputs(const std::vector<Port>& ports, const std::string& model) {
  std::string text;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Port& p = ports[i];
    const std::string& name = p.identifier;
    if (p.is_object()) {
      text += fmt::format(
          "  const auto v{1} = harness::to_model<{2}>(in[{1}], {3});\n  i.{0} = &v{1};\n", name, i,
          types_of(p, model), elements_of(p));
      continue;
    }
    if (holds_text(p))
      text +=
          fmt::format("  i.{0} = harness::unpack_strings<{2}_string>(in[{1}]);\n", name, i, model);
    else if (p.rows)
      text +=
          fmt::format("  i.{} = {{next_image_rows, const_cast<void*>(in[{}].data)}};\n", name, i);
    else
      text += fmt::format("  i.{0} = static_cast<decltype(i.{0})>(in[{1}].data);\n", name, i);
    for (std::size_t k = 0; p.is_dynamic() && k < p.dims.size(); ++k)
      text += fmt::format("  i.{0}_dims[{2}] = in[{1}].dims[{2}];\n", name, i, k);
  }
  return text;
}

// Strings take the first half of an output's memory, their bytes the second.
std::string bind_output(const Port& p, std::size_t i, const std::string& model, bool own_text) {
  std::string text;
  const std::string &name = p.identifier, capacity = fmt::format("out[{}].bytes", i);
  if (p.is_object()) {
    return fmt::format(
        "  {2}_value r{1}{{}};\n  std::size_t size{1} = 0;\n  o.{0} = &r{1};\n"
        "  o.{0}_memory = out[{1}].data;\n  o.{0}_capacity = {3};\n"
        "  o.{0}_size = &size{1};\n",
        name, i, model, capacity);
  }
  text += fmt::format("  o.{0} = static_cast<decltype(o.{0})>(out[{1}].data);\n", name, i);
  const std::string share = own_text && holds_text(p) ? capacity + " / 2" : capacity;
  if (own_text && holds_text(p))
    text += fmt::format(
        "  std::size_t size{1} = 0;\n  o.{0}_text = static_cast<char*>(out[{1}].data) + {2};\n"
        "  o.{0}_text_capacity = {3} - {2};\n  o.{0}_text_size = &size{1};\n",
        name, i, share, capacity);
  if (p.is_dynamic())
    text += fmt::format("  o.{0}_capacity = {2} / {3}u;\n  o.{0}_dims = out[{1}].dims;\n", name, i,
                        share, storage_bytes(p.elem));
  for (std::size_t k = 0; !p.is_dynamic() && k < p.dims.size(); ++k)
    text += fmt::format("  out[{}].dims[{}] = {};\n", i, k, p.dims[k]);
  return text;
}

// Sizes before the call, as far as known: a string output of a fixed shape has no memory yet.
std::string sizes_before_run(const std::vector<Port>& ports) {
  std::string text;
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (holds_text(ports[i]) && !ports[i].is_dynamic() && !ports[i].is_object())
      text += fmt::format(
          "  if (out[{0}].bytes < {1}u) {{\n    out[{0}].count = {1}u;\n"
          "    return onnxc_too_small;\n  }}\n",
          i, 2 * static_cast<std::size_t>(ports[i].elements) * 16);
  return text;
}

// The memory that an output needs, and its result.
std::string measure_output(const Port& p, std::size_t i, const std::string& model, bool own_text) {
  if (p.is_object())
    return fmt::format(
        "  if (status == 0) harness::from_model<{1}>(r{0}, {2}, out[{0}]);\n"
        "  else out[{0}].count = size{0};\n",
        i, holds_text(p) ? model + "_string" : "no_string", elements_of(p));
  std::string count = "1u";
  for (std::size_t k = 0; k < p.dims.size(); ++k)
    count += fmt::format(" * static_cast<std::size_t>(out[{}].dims[{}])", i, k);
  if (!holds_text(p))
    return fmt::format("  (status == 0 ? out[{0}].bytes : out[{0}].count) = {1} * {2}u;\n", i,
                       count, storage_bytes(p.elem));
  std::string text = fmt::format("  const std::size_t strings{0} = {1};\n", i, count);
  text += fmt::format(
      "  if (status == 0) harness::pack_strings(o.{1}, strings{0}, out[{0}]);\n"
      "  else out[{0}].count = 2u * (strings{0} * 16u + {2});\n",
      i, p.identifier, own_text ? fmt::format("size{}", i) : "0u");
  return text;
}

// The threads of a model, from its first run to the end of the program.
std::string pool_of(const ModelInterface& g) {
  if (!g.facts.pool) return "";
  return fmt::format(
      "struct Pool {{\n  alignas({1}_ARENA_ALIGN) unsigned char memory[{1}_POOL_BYTES];\n"
      "  {0}_pool* const pool = {0}_pool_start(memory, {1}_THREADS);\n"
      "  ~Pool() {{ {0}_pool_stop(pool); }}\n}};\n",
      g.name, upper_case(g.name));
}

// One function with the interface of a unit. The state block, where there is one, is the last input
// and the last output.
struct Callable {
  const ModelInterface& model;
  std::string unit;      // what follows onnxc_unit_
  std::string function;  // of the model
  std::string structs;   // prefix of its structs of inputs and outputs; empty: it has none
  const std::vector<Port>& inputs;
  const std::vector<Port>& outputs;
  bool uses_heap = false;
  bool takes_state = false, gives_state = false;
  std::size_t weight_bytes = 0;
};

// The arrays with the sizes and ranks of the outputs.
std::string output_tables(const Callable& f) {
  std::string bytes = port_array("kBytes", f.outputs, bytes_of);
  std::string ranks = port_array("kRanks", f.outputs, [](const Port& p) { return p.dims.size(); });
  if (f.gives_state) {
    bytes.insert(bytes.size() - 4, upper_case(f.model.name) + "_STATE_BYTES, ");
    ranks.insert(ranks.size() - 4, "1u, ");
  }
  return bytes + ranks;
}

// The function works on the state that is the last output; where the input is the same memory,
// nothing is copied.
std::string load_state(const Callable& f) {
  if (!f.gives_state) return "";
  const std::string bytes = upper_case(f.model.name) + "_STATE_BYTES";
  std::string text = fmt::format(
      "  void* const state = out[{0}].data;\n"
      "  out[{0}].dims[0] = static_cast<std::int64_t>({1});\n",
      f.outputs.size(), bytes);
  if (f.takes_state)
    text += fmt::format("  if (in[{0}].data != state) std::memcpy(state, in[{0}].data, {1});\n",
                        f.inputs.size(), bytes);
  return text;
}

// Members of the inputs that are not ports.
std::string bind_resources(const Callable& f) {
  std::string text;
  if (f.uses_heap)
    text += fmt::format(
        "  const {}_allocator hooks = {{harness::take, harness::give, nullptr}};\n"
        "  i.allocator_ = &hooks;\n",
        f.model.name);
  if (f.model.facts.pool) text += "  static Pool threads;\n  i.pool_ = threads.pool;\n";
  if (f.model.facts.probes)
    text += fmt::format(
        "  const {}_probe watch = {{harness::record, nullptr}};\n  i.probe_ = &watch;\n",
        f.model.name);
  if (f.model.facts.devices)
    text += fmt::format(
        "  const {0}_devices others = {{harness::send, harness::receive, nullptr, nullptr}};\n"
        "  i.devices_ = &others;\n"
        "  if (const int met = static_cast<int>({0}_meet(&others)); met != 0) return met;\n",
        f.model.name);
  if (f.weight_bytes > 0)
    text += fmt::format("  i.weights_ = in[{}].data;\n", f.inputs.size() + (f.takes_state ? 1 : 0));
  return text;
}

// run() of a model that is compiled for training reads its initial state.
std::string initial_state(const Callable& f) {
  if (!f.model.training || f.function != "run") return "";
  return fmt::format(
      "  alignas({1}_STATE_ALIGN) static unsigned char state[{1}_STATE_BYTES];\n"
      "  static const {0}_status ready = {0}_reset(state{2});\n"
      "  if (ready != {1}_OK) return static_cast<int>(ready);\n  i.state_ = state;\n",
      f.model.name, upper_case(f.model.name),
      f.weight_bytes > 0 ? fmt::format(", in[{}].data", f.inputs.size()) : "");
}

std::string call_text(const Callable& f) {
  const std::string& n = f.model.name;
  std::string arguments;
  if (f.function == "init")
    arguments = fmt::format("state, 0, arena{}", f.weight_bytes > 0 ? ", in[0].data" : "");
  else
    arguments = f.takes_state ? "&i, &o, state, arena" : "&i, &o, arena";
  return fmt::format("  const int status = static_cast<int>({}_{}({}));\n", n, f.function,
                     arguments);
}

std::string unit_text(const Callable& f) {
  const Identifier& n = f.model.name;
  std::string text = fmt::format("namespace harness_{} {{\n", f.unit) + output_tables(f);
  for (const Port& p : f.inputs)
    if (p.rows) text += emit_whole_image_rows(p);
  text += "int run(const onnxc_value* in, onnxc_value* out, void* arena) {\n";
  text += "  (void)in, (void)out;\n" + load_state(f);
  if (!f.structs.empty())
    text += fmt::format("  {0}_inputs i{{}};\n  {0}_outputs o{{}};\n", f.structs);
  text += sizes_before_run(f.outputs) + bind_inputs(f.inputs, n);
  for (std::size_t i = 0; i < f.outputs.size(); ++i)
    text += bind_output(f.outputs[i], i, n, f.uses_heap);
  if (!f.structs.empty()) text += bind_resources(f) + initial_state(f);
  text += call_text(f);
  for (std::size_t i = 0; i < f.outputs.size(); ++i)
    if (has_any_size(f.outputs[i])) text += measure_output(f.outputs[i], i, n, f.uses_heap);
  text += "  return status;\n}\n}\n\n";
  text += fmt::format("extern const onnxc_unit onnxc_unit_{};\n", f.unit);
  return text + fmt::format(
                    "const onnxc_unit onnxc_unit_{0} = {{{1}, {2}, harness_{0}::kBytes, "
                    "harness_{0}::kRanks, {3}_{5}ARENA_BYTES, {3}_ARENA_ALIGN, {4}u, "
                    "harness_{0}::run}};\n",
                    f.unit, f.inputs.size() + (f.takes_state ? 1 : 0),
                    f.outputs.size() + (f.gives_state ? 1 : 0), upper_case(n), f.weight_bytes,
                    f.gives_state ? "TRAIN_" : "");
}

std::string training_units(const ModelInterface& g, const std::string& unit,
                           std::size_t weight_bytes) {
  if (!g.training) return "";
  const std::vector<std::string> names = unit_names(g, unit);
  const std::vector<Port> none;
  std::string text =
      unit_text({g, names[1], "init", "", none, none, false, false, true, weight_bytes});
  const auto train = [&](const std::string& name, const TrainingInterface::Algorithm& a) {
    text += unit_text({g, name, a.function, g.name + "_train", a.inputs, a.outputs, a.uses_heap,
                       true, true, weight_bytes});
  };
  train(names[2], g.training->all);
  for (std::size_t i = 3; i < names.size(); ++i) train(names[i], g.training->algorithms[i - 3]);
  return text;
}

}  // namespace

std::vector<std::string> unit_names(const ModelInterface& g, const std::string& unit) {
  std::vector<std::string> names = {unit};
  if (!g.training) return names;
  for (const char* function : {"init", "train"})
    names.push_back(fmt::format("{}_{}", unit, function));
  for (std::size_t i = 0; i < g.training->algorithms.size(); ++i)
    names.push_back(fmt::format("{}_train_{}", unit, i));
  return names;
}

std::string harness_adapter(const ModelInterface& g, const std::string& unit,
                            const std::string& source, std::size_t weight_bytes) {
  std::string text = fmt::format(
      "#include \"{}\"\n#include <cstddef>\n#include <cstring>\n#include \"allocator.hpp\"\n"
      "#include \"convert.hpp\"\n{}\nnamespace {{\n"
      "struct no_string {{ const char* data; std::int64_t size; }};\n",
      source,
      fmt::format("{}{}", g.facts.devices ? "#include \"devices.hpp\"\n" : "",
                  g.facts.probes ? "#include \"probe.hpp\"\n" : ""));
  text += pool_of(g) + "}\n";
  text += unit_text(
      {g, unit, "run", g.name, g.inputs, g.outputs, g.facts.heap, false, false, weight_bytes});
  return text + training_units(g, unit, weight_bytes);
}

namespace {

// "const std::size_t in_0[] = {1, 2, 0};": the places of a part's ports among those of the whole.
std::string port_places(const std::string& name, const std::vector<Port>& part,
                        const std::vector<Port>& whole) {
  std::string text = fmt::format("const std::size_t {}[] = {{", name);
  for (const Port& p : part) {
    const auto same =
        std::find_if(whole.begin(), whole.end(), [&](const Port& w) { return w.name == p.name; });
    text += fmt::format("{}, ", same - whole.begin());
  }
  return text + "0};\n";
}

}  // namespace

std::string harness_team(const ModelInterface& whole, std::span<const ModelInterface* const> parts,
                         const std::string& unit) {
  std::string text = "#include \"devices.hpp\"\n", table;
  for (std::size_t d = 0; d < parts.size(); ++d)
    text += fmt::format("extern const onnxc_unit onnxc_unit_{}_{};\n", unit, d);
  text += fmt::format("namespace harness_{} {{\n", unit) +
          port_array("kBytes", whole.outputs, bytes_of) +
          port_array("kRanks", whole.outputs, [](const Port& p) { return p.dims.size(); });
  for (std::size_t d = 0; d < parts.size(); ++d) {
    text += port_places(fmt::format("in_{}", d), parts[d]->inputs, whole.inputs) +
            port_places(fmt::format("out_{}", d), parts[d]->outputs, whole.outputs);
    table += fmt::format("{{&onnxc_unit_{}_{}, in_{}, out_{}}}, ", unit, d, d, d);
  }
  return text +
         fmt::format(
             "const harness::Part kParts[] = {{{}}};\n"
             "int run(const onnxc_value* in, onnxc_value* out, void*) {{\n"
             "  return harness::Team(kParts, {}u, in, out, {}u).run();\n}}\n}}\n\n"
             "extern const onnxc_unit onnxc_unit_{};\n"
             "const onnxc_unit onnxc_unit_{} = {{{}, {}, harness_{}::kBytes, harness_{}::kRanks, "
             "0, 64, 0u, harness_{}::run}};\n",
             table, parts.size(), whole.outputs.size(), unit, unit, whole.inputs.size(),
             whole.outputs.size(), unit, unit, unit);
}

std::string harness_table(std::span<const std::string> units) {
  std::string table = "#include \"unit.hpp\"\n";
  for (const std::string& unit : units)
    table += fmt::format("extern const onnxc_unit onnxc_unit_{};\n", unit);
  table += "const onnxc_unit* const onnxc_units[] = {";
  for (const std::string& unit : units) table += fmt::format("&onnxc_unit_{}, ", unit);
  return table + "nullptr};\n";
}

std::string harness_precompiled_header() {
  return "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n"
         "#include <limits>\n#include <type_traits>\n";
}

}  // namespace onnxc
