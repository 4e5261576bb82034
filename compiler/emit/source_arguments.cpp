// Prints the checks at the start of run().
#include "compiler/emit/source_arguments.hpp"

#include <algorithm>

#include "compiler/emit/source_steps.hpp"

namespace onnxc {
namespace {

void add_limits(const SizeSymbol& s, const SourceNames& names, std::vector<std::string>& bad) {
  bad.push_back(fmt::format("{} < {}", names.size(s.name), s.range.low));
  if (s.range.high) bad.push_back(fmt::format("{} > {}", names.size(s.name), *s.range.high));
}

// Reads the sizes that the inputs define, and checks their limits and that they agree.
void input_sizes(CodeWriter& w, const EmitContext& c, const SourceNames& names) {
  const Program& p = c.program;
  for (const SizeSymbol& s : p.symbols)
    if (s.input >= 0)
      w.line("const Extent {} = in->{}_dims[{}];", names.size(s.name),
             c.inputs[static_cast<std::size_t>(s.input)].identifier, s.axis);
  for (const SizeSymbol& s : p.symbols)
    if (s.definition)
      w.line("[[maybe_unused]] const Extent {} = {};", names.size(s.name),
             names.number(*s.definition));
  std::vector<std::string> bad;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Port& port = c.inputs[i];
    if (!port.is_dynamic()) continue;
    for (std::size_t axis = 0; axis < port.shape.size(); ++axis) {
      const auto name = port.shape[axis].as_symbol();
      const SizeSymbol* s = name ? p.symbol(*name) : nullptr;
      if (s && s->input == static_cast<int>(i) && s->axis == axis)
        add_limits(*s, names, bad);
      else
        bad.push_back(fmt::format("in->{}_dims[{}] != {}", port.identifier, axis,
                                  names.number(port.shape[axis])));
    }
  }
  for (const Relation& r : p.input_relations) bad.push_back("(" + broken(r, names) + ")");
  if (bad.empty()) return;
  bad.front() = "if (" + bad.front();
  for (std::size_t i = 0; i + 1 < bad.size(); ++i) bad[i] += " ||";
  bad.back() += ")";
  w.wrapped(bad, 4);
  w.line("  return {}_BAD_SHAPE;", upper_case(c.name));
}

}  // namespace

void write_argument_checks(CodeWriter& w, const EmitContext& c, const SourceNames& names) {
  const std::string prefix = upper_case(c.name);
  std::vector<std::string> bad = {"in == nullptr", "out == nullptr"};
  const bool dynamic =
      std::any_of(c.inputs.begin(), c.inputs.end(), [](const Port& p) { return p.is_dynamic(); });
  if (dynamic) {
    w.line("if (in == nullptr || out == nullptr) return {}_BAD_ARGUMENT;", prefix);
    input_sizes(w, c, names);
    bad.clear();
  }
  const auto add = [&](const std::vector<Port>& ports, const char* from) {
    for (const Port& p : ports) {
      if (p.is_dynamic() && from == std::string("in"))
        bad.push_back(fmt::format("({}->{} == nullptr && {} != 0)", from, p.identifier,
                                  names.number(product(p.shape))));
      else if (p.elements > 0 || (p.is_object() && from == std::string("out")))
        bad.push_back(fmt::format("{}->{} == nullptr", from, p.identifier));
    }
  };
  add(c.inputs, "in");
  add(c.outputs, "out");
  if (c.program.arena_bytes > 0) bad.push_back("!aligned(arena, " + prefix + "_ARENA_ALIGN)");
  if (c.weights.mode == WeightsMode::external)
    bad.push_back("!aligned(in->weights_, " + prefix + "_ARENA_ALIGN)");
  if (bad.empty()) return;
  bad.front() = "if (" + bad.front();
  for (std::size_t i = 0; i + 1 < bad.size(); ++i) bad[i] += " ||";
  bad.back() += ")";
  w.wrapped(bad, 4);
  w.line("  return {}_BAD_ARGUMENT;", prefix);
}

}  // namespace onnxc
