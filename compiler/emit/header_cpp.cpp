// Prints the C++ namespace of a generated header.
#include "compiler/emit/header_cpp.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "compiler/emit/fixed_text.hpp"
#include "compiler/emit/training_context.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Entries of the array of a port. A complex number is two: its real and imaginary part.
std::int64_t entries(const Port& p) {
  return is_complex(p.elem) ? checked_mul(p.elements, 2) : p.elements;
}

bool is_open(const Port& p) { return p.is_dynamic(); }
bool is_buffer(const Port& p) { return !p.is_dynamic() && !p.rows; }

// Values that are no tensors, and strings that come with memory of their own, have no wrapper.
bool has_wrapper(const EmitContext& c) {
  const bool heap = facts_of(c).heap;
  const auto is_tensor = [](const Port& p) { return !p.is_object(); };
  const auto is_plain = [&](const Port& p) {
    return is_tensor(p) && !(heap && p.elem == ElemType::string);
  };
  return std::all_of(c.inputs.begin(), c.inputs.end(), is_tensor) &&
         std::all_of(c.outputs.begin(), c.outputs.end(), is_plain);
}

void port_labels(CodeWriter& w, const Port::Labels& labels) {
  std::string list;
  const auto add = [&](const std::string& label) { list += (list.empty() ? "" : ", ") + label; };
  for (const std::int64_t label : labels.numbers) add(fmt::format("{}", label));
  for (const std::string& label : labels.texts) add(string_literal(label).text());
  w.line("constexpr {} labels[] = {{{}}};", labels.texts.empty() ? "int64_t" : "const char*", list);
}

void port_constants(CodeWriter& w, const EmitContext& c, const std::vector<Port>& ports,
                    const char* direction) {
  if (ports.empty()) return;
  w.line("namespace {} {{", direction);
  for (const Port& p : ports) {
    w.line("namespace {} {{", p.identifier);
    w.line("constexpr const char* name = {};", string_literal(p.name));
    if (!p.is_object()) {
      w.line("using type = {};", c_type(p.elem, c.name));
      w.line("constexpr size_t rank = {};", p.dims.size());
      std::string dims;
      for (const std::int64_t d : p.dims) dims += fmt::format("{}{}", dims.empty() ? "" : ", ", d);
      if (!p.dims.empty()) w.line("constexpr int64_t shape[rank] = {{{}}};", dims);
    }
    if (p.labels) port_labels(w, *p.labels);
    w.line("}}  // namespace {}", p.identifier);
  }
  w.line("}}  // namespace {}", direction);
  w.raw_line("");
}

// run() with a parameter for each port.
class BufferRun {
 public:
  explicit BufferRun(const EmitContext& c) : c_(c), resources_(resources(facts_of(c))) {
    // An input and an output may share a name.
    for (const char* taken :
         {"status", "inputs",   "outputs",   "arena_bytes", "arena_align", "run",  "in_",
          "out_",   "arena_",   "pool",      "hook",        "buffer",      "in",   "out",
          "info",   "bad_size", "memory",    "status_text", "devices",     "rows", "tensor",
          "result", "extents",  "allocator", "probe"})
      names_.reserve(taken);
    for (const std::string& member : resource_members()) names_.reserve(member);
    for (const Resource& r : resources_) names_.reserve(r.member.name);
  }

  void write(CodeWriter& w) {
    using Place = Resource::Place;
    for (const Port& p : c_.inputs) add_input(p);
    for (const Port& p : c_.outputs) add_output(p);
    for (const Resource& r : resources_) append(ins_, r.member.name);
    add_resources(Place::before_arena, "");
    append(parameters_, "void* arena_");
    add_resources(Place::after_arena, "");
    add_resources(Place::defaulted, " = nullptr");
    w.open(fmt::format("inline status run({}) {{", parameters_));
    w.line("const inputs in_ = {{{}}};", ins_.empty() ? "0" : ins_);
    w.line("const outputs out_ = {{{}}};", outs_.empty() ? "0" : outs_);
    w.line("return ::{}_run(&in_, &out_, arena_);", c_.name);
    w.close();
    w.raw_line("");
  }

 private:
  static void append(std::string& list, const std::string& text) {
    list += (list.empty() ? "" : ", ") + text;
  }

  void add_resources(Resource::Place place, const char* suffix) {
    for (const Resource& r : resources_)
      if (r.place == place)
        append(parameters_, fmt::format("{} {}{}", r.parameter, r.member.name, suffix));
  }

  std::string element(const Port& p) const { return c_type(p.elem, c_.name); }

  void add_input(const Port& p) {
    const Identifier name = names_.unique(p.identifier);
    append(ins_, p.rows ? name.text() : name + ".data()");
    if (p.rows) {
      append(parameters_, "const rows& " + name);
    } else if (is_open(p)) {
      const std::string dims = fmt::format("{}", fmt::join(p.dims, ", "));
      append(parameters_, fmt::format("tensor<const {}, {}> {}", element(p), dims, name.text()));
      std::string values;
      for (std::size_t axis = 0; axis < p.dims.size(); ++axis)
        append(values, fmt::format("{}.dim({})", name.text(), axis));
      append(ins_, "{" + values + "}");
    } else {
      append(parameters_,
             fmt::format("buffer<const {}, {}> {}", element(p), entries(p), name.text()));
    }
  }

  void add_output(const Port& p) {
    const Identifier name = names_.unique(p.identifier);
    append(outs_, name + ".data()");
    if (!is_open(p)) {
      append(parameters_, fmt::format("buffer<{}, {}> {}", element(p), entries(p), name.text()));
      return;
    }
    append(parameters_, fmt::format("result<{}, {}> {}", element(p), p.dims.size(), name.text()));
    append(outs_, name + ".capacity()");
    append(outs_, name + ".dims()");
  }

  const EmitContext& c_;
  std::vector<Resource> resources_;
  NameScope names_;
  std::string parameters_, ins_, outs_;
};

// The types of the parameters; the header is C++11, and includes no other one.
void parameter_types(CodeWriter& w, const EmitContext& c) {
  const auto any = [](const std::vector<Port>& ports, bool (*of)(const Port&)) {
    return std::any_of(ports.begin(), ports.end(), of);
  };
  const bool fixed = any(c.inputs, is_buffer) || any(c.outputs, is_buffer);
  if (!fixed && !any(c.inputs, is_open) && !any(c.outputs, is_open)) return;
  w.raw(fixed_text("compiler/emit/text/cpp_buffer.in", {}));
  if (fixed) w.raw(fixed_text("compiler/emit/text/cpp_fixed.in", {}));
  if (any(c.inputs, is_open)) w.raw(fixed_text("compiler/emit/text/cpp_tensor.in", {}));
  if (any(c.outputs, is_open)) w.raw(fixed_text("compiler/emit/text/cpp_result.in", {}));
}

void functions(CodeWriter& w, const EmitContext& c) {
  w.line("inline const model_info& info() {{ return *::{}_info(); }}", c.name);
  w.line("inline const char* status_text(status status_) {{ return ::{}_status_text(status_); }}",
         c.name);
  w.raw_line("");
  if (c.training) training_wrappers(w, c);
  w.open("inline status run(const inputs& in_, const outputs& out_, void* arena_) {");
  w.line("return ::{}_run(&in_, &out_, arena_);", c.name);
  w.close();
  w.raw_line("");
  if (!has_wrapper(c)) return;
  parameter_types(w, c);
  BufferRun(c).write(w);
}

}  // namespace

void cpp_interface(CodeWriter& w, const EmitContext& c) {
  w.raw_line("#ifdef __cplusplus");
  w.raw_line("// No library exports what follows: each has that of its own model.");
  w.raw_line("#ifdef __ELF__");
  w.raw_line("#pragma GCC visibility push(hidden)");
  w.raw_line("#endif");
  w.line("namespace {} {{", c.name_space);
  w.raw_line("");
  w.line("using status = ::{}_status;", c.name);
  w.line("using inputs = ::{}_inputs;", c.name);
  w.line("using outputs = ::{}_outputs;", c.name);
  w.line("using model_info = ::{}_model_info;", c.name);
  if (c.program.communicates()) w.line("using devices = ::{}_devices;", c.name);
  if (has_open_sizes(c)) w.line("using bad_size = ::{}_bad_size;", c.name);
  if (facts_of(c).heap) w.line("using allocator = ::{}_allocator;", c.name);
  if (facts_of(c).probes) w.line("using probe = ::{}_probe;", c.name);
  if (c.options.hook) w.line("using hook = ::{}_hook;", c.name);
  if (has_row_input(c)) w.line("using rows = ::{}_rows;", c.name);
  if (uses_pool(c)) w.line("using pool = ::{}_pool;", c.name);
  w.line("constexpr size_t arena_bytes = {}_ARENA_BYTES;", upper_case(c.name));
  w.line("constexpr size_t arena_align = {}_ARENA_ALIGN;", upper_case(c.name));
  w.raw_line("");
  w.raw_line("// The ports: names in the model, element types, shapes. -1 is an open dimension.");
  port_constants(w, c, c.inputs, "in");
  port_constants(w, c, c.outputs, "out");
  functions(w, c);
  w.line("}}  // namespace {}", comment_text(c.name_space));
  w.raw_line("#ifdef __ELF__");
  w.raw_line("#pragma GCC visibility pop");
  w.raw_line("#endif");
  w.raw_line("#endif");
}

}  // namespace onnxc
