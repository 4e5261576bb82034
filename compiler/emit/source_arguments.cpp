// Prints the checks at the start of run().
#include "compiler/emit/source_ports.hpp"

#include <algorithm>

#include "compiler/emit/source_steps.hpp"

namespace onnxc {
namespace {

void fail_if(CodeWriter& w, std::vector<std::string> bad, const Identifier& status) {
  if (bad.empty()) return;
  bad.front() = "if (" + bad.front();
  for (std::size_t i = 0; i + 1 < bad.size(); ++i) bad[i] += " ||";
  bad.back() += ")";
  w.wrapped(bad, 4);
  w.line("  return {};", status);
}

// The input and the axis that define a size, as arguments: `"x", 0`.
std::string place_of(const EmitContext& c, const SizeSymbol& s) {
  const Port& port = c.inputs[static_cast<std::size_t>(s.input)];
  return fmt::format("{}, {}", string_literal(port.name).text(), s.axis);
}

// Checks that an input has the sizes that the inputs before it imply.
void check_input(CodeWriter& w, const EmitContext& c, const Port& port, const SourceNames& names) {
  std::string wanted;
  for (const Dim& d : port.shape) wanted += (wanted.empty() ? "" : ", ") + names.number(d);
  w.line("if (!has_sizes(in->{}_dims, {{{}}}, {}, in->bad_size_))", port.identifier, wanted,
         string_literal(port.name));
  w.line("  return {}_BAD_SHAPE;", upper_case(c.name));
}

// Checks the limits of a size that an input defines.
void check_limits(CodeWriter& w, const EmitContext& c, const SizeSymbol& s,
                  const SourceNames& names) {
  if (s.range.low <= 0 && !s.range.high) return;
  w.line("if (!is_within({}, {}, {}, {}, in->bad_size_))", names.size(s.name), s.range.low,
         s.range.high ? fmt::format("{}", *s.range.high) : "INT64_MAX", place_of(c, s));
  w.line("  return {}_BAD_SHAPE;", upper_case(c.name));
}

// Checks what must hold between sizes of inputs. What is wrong then is said of a size in it.
void check_relation(CodeWriter& w, const EmitContext& c, const Relation& r,
                    const SourceNames& names) {
  std::vector<std::string> symbols;
  r.a.collect_symbols(symbols);
  r.b.collect_symbols(symbols);
  const SizeSymbol* about = nullptr;
  for (const std::string& name : symbols)
    if (const SizeSymbol* s = c.program.symbol(name); s && s->input >= 0 && !about) about = s;
  w.open(fmt::format("if ({}) {{", broken(r, names)));
  if (about)
    w.line("note_size(in->bad_size_, {}, {}, -1);", place_of(c, *about), names.size(about->name));
  w.line("return {}_BAD_SHAPE;", upper_case(c.name));
  w.close();
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
  for (const Port& port : c.inputs)
    if (port.is_dynamic()) check_input(w, c, port, names);
  for (const SizeSymbol& s : p.symbols)
    if (s.input >= 0) check_limits(w, c, s, names);
  std::vector<std::string> bad;
  for (const SizeSymbol& s : p.symbols)
    if (s.definition && s.range.high) {
      bad.push_back(fmt::format("{} < {}", names.size(s.name), s.range.low));
      bad.push_back(fmt::format("{} > {}", names.size(s.name), *s.range.high));
    }
  fail_if(w, bad, upper_case(c.name).with("_BAD_SHAPE"));
  for (const Relation& r : p.input_relations) check_relation(w, c, r, names);
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
  if (has_open_sizes(c)) {
    w.line("if (in == nullptr || out == nullptr) return {};", bad_argument);
    w.raw_line("note_size(in->bad_size_, nullptr, 0, 0, 0);");
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
  if (facts.external_weights)
    w.line("if (!is_weights({}, {:#x}u)) return {}_BAD_WEIGHTS;",
           has_ports ? "in->weights_" : "weights_", c.weights.layout, prefix);
  if (!c.training) return;
  if (c.kind == EmitContext::Kind::reset)
    w.line("start_state(state, {:#x}u);", c.training->state.layout);
  else
    w.line("if (!is_state({}, {:#x}u)) return {}_BAD_STATE;", state, c.training->state.layout,
           prefix);
}

}  // namespace onnxc
