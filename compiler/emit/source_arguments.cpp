// Prints the checks at the start of run().
#include "compiler/emit/source_ports.hpp"

#include <algorithm>

#include "compiler/emit/source_steps.hpp"

namespace onnxc {
namespace {

void add_limits(const SizeSymbol& s, const SourceNames& names, std::vector<std::string>& bad) {
  bad.push_back(fmt::format("{} < {}", names.size(s.name), s.range.low));
  if (s.range.high) bad.push_back(fmt::format("{} > {}", names.size(s.name), *s.range.high));
}

// `about`: a comment, may be empty.
void fail_if(CodeWriter& w, std::vector<std::string> bad, const Identifier& status,
             const CommentText& about = {}) {
  if (bad.empty()) return;
  bad.front() = "if (" + bad.front();
  for (std::size_t i = 0; i + 1 < bad.size(); ++i) bad[i] += " ||";
  bad.back() += ")";
  w.wrapped(bad, 4);
  if (about.text().empty())
    w.line("  return {};", status);
  else
    w.line("  return {};  // {}", status, about);
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
  const Identifier bad_shape = upper_case(c.name).with("_BAD_SHAPE");
  std::vector<std::string> bad;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const Port& port = c.inputs[i];
    if (!port.is_dynamic()) continue;
    bad.clear();
    for (std::size_t axis = 0; axis < port.shape.size(); ++axis) {
      const auto name = port.shape[axis].as_symbol();
      const SizeSymbol* s = name ? p.symbol(*name) : nullptr;
      if (s && s->input == static_cast<int>(i) && s->axis == axis)
        add_limits(*s, names, bad);
      else
        bad.push_back(fmt::format("in->{}_dims[{}] != {}", port.identifier, axis,
                                  names.number(port.shape[axis])));
    }
    fail_if(w, bad, bad_shape, comment_text(port.name));
  }
  bad.clear();
  for (const SizeSymbol& s : p.symbols)
    if (s.definition && s.range.high) add_limits(s, names, bad);
  for (const Relation& r : p.input_relations) bad.push_back("(" + broken(r, names) + ")");
  fail_if(w, bad, bad_shape);
}

// Conditions under which the pointers to ports are bad.
void port_checks(const EmitContext& c, const SourceNames& names, std::vector<std::string>& bad) {
  for (const Port& p : c.inputs)
    if (p.is_dynamic())
      bad.push_back(fmt::format("(in->{} == nullptr && {} != 0)", p.identifier,
                                names.number(product(p.shape))));
    else if (p.rows)
      bad.push_back(fmt::format("in->{}.next_rows == nullptr", p.identifier));
    else if (p.elements > 0)
      bad.push_back(fmt::format("in->{} == nullptr", p.identifier));
  for (std::size_t i = 0; i < c.outputs.size(); ++i) {
    const Port& p = c.outputs[i];
    const Buffer::Absent absent = c.program.at(c.program.outputs[i]).absent;
    if (absent == Buffer::Absent::error && (p.elements > 0 || p.is_object()))
      bad.push_back(fmt::format("out->{} == nullptr", p.identifier));
  }
}

}  // namespace

void write_argument_checks(CodeWriter& w, const EmitContext& c, const SourceNames& names) {
  const Identifier prefix = upper_case(c.name);
  const Identifier bad_argument = prefix.with("_BAD_ARGUMENT");
  // init() itself has checked them.
  if (c.kind == EmitContext::Kind::init) return;
  std::vector<std::string> bad;
  const bool has_ports = c.kind != EmitContext::Kind::reset;
  if (has_ports) bad = {"in == nullptr", "out == nullptr"};
  const bool dynamic =
      std::any_of(c.inputs.begin(), c.inputs.end(), [](const Port& p) { return p.is_dynamic(); });
  if (dynamic) {
    w.line("if (in == nullptr || out == nullptr) return {};", bad_argument);
    input_sizes(w, c, names);
    bad.clear();
  }
  port_checks(c, names, bad);
  if (c.program.arena_bytes > 0 && c.program.regions.empty())
    bad.push_back("!aligned(arena, " + prefix + "_ARENA_ALIGN)");
  const InterfaceFacts facts = facts_of(c);
  if (has_ports)
    for (const Resource& r : resources(facts))
      if (!r.refused.empty()) bad.push_back(r.refused);
  if (!has_ports && facts.external_weights)
    bad.push_back(fmt::format("!aligned(weights_, {}_ARENA_ALIGN)", prefix));
  if (c.training && !facts.state)
    bad.push_back(fmt::format("!aligned(state, {}_STATE_ALIGN)", prefix));
  const char* const state = facts.state ? "in->state_" : "state";
  fail_if(w, bad, bad_argument);
  if (!c.training) return;
  if (c.kind == EmitContext::Kind::reset)
    w.line("start_state(state, {:#x}u);", c.training->state.layout);
  else
    w.line("if (!is_state({}, {:#x}u)) return {}_BAD_STATE;", state, c.training->state.layout,
           prefix);
}

}  // namespace onnxc
