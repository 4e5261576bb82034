// Follows which sizes are defined while the steps of a graph are made.
#include "compiler/schedule/dynamic_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "compiler/ir/nesting.hpp"

namespace onnxc {

DynamicSizes::DynamicSizes(const Graph& graph, Program& program)
    : graph_(graph), program_(program), scopes_{&graph} {
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
    const Type& type = graph_.inputs[i]->type;
    if (!type.is_tensor() || !type.has_rank()) continue;
    for (std::size_t axis = 0; axis < type.shape->size(); ++axis)
      if (const auto name = (*type.shape)[axis].as_symbol())
        define(*name, static_cast<int>(i), axis);
  }
  // Names of long expressions of these symbols.
  for (const auto& [name, definition] : graph_.definitions) {
    if (!is_defined(definition)) continue;
    define(name);
    program_.symbols.back().definition = definition;
  }
}

void DynamicSizes::define_draw() {
  define(Program::draw_symbol);
  program_.symbols.back().is_draw = true;
}

void DynamicSizes::define(const std::string& name, int input, std::size_t axis) {
  if (!defined_.insert(name).second) return;
  SizeSymbol s{name, input, axis, {}, {}};
  const auto range = graph_.ranges.find(name);
  if (range != graph_.ranges.end()) s.range = range->second;
  program_.symbols.push_back(std::move(s));
}

bool DynamicSizes::is_defined(const Dim& d) const {
  std::vector<std::string> names;
  d.collect_symbols(names);
  return std::all_of(names.begin(), names.end(),
                     [this](const std::string& n) { return defined_.count(n) > 0; });
}

bool DynamicSizes::is_input_size(const std::string& name) const {
  const SizeSymbol* s = program_.symbol(name);
  return s && (s->input >= 0 || s->definition);
}

bool DynamicSizes::is_input_extent(const Dim& d) const {
  std::vector<std::string> names;
  d.collect_symbols(names);
  return std::all_of(names.begin(), names.end(),
                     [this](const std::string& n) { return is_input_size(n); });
}

bool DynamicSizes::is_known_before(const Shape& shape, std::size_t step) const {
  std::set<std::string> known;
  for (std::size_t i = 0; i < step; ++i)
    each_defined(program_.steps[i], [&](const std::string& name) { known.insert(name); });
  std::vector<std::string> names;
  for (const Dim& d : shape) d.collect_symbols(names);
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return is_input_size(name) || known.count(name) > 0;
  });
}

// min(d, 1) is 1, or as d.
static bool always_holds(const Relation& r) {
  return r.may_broadcast && (r.a == Dim::min(r.b, 1) || r.b == Dim::min(r.a, 1));
}

std::vector<Relation> DynamicSizes::checkable(const std::set<std::string>& fresh) const {
  std::vector<Relation> out;
  for (const Relation& r : scopes_.back()->relations) {
    std::vector<std::string> names;
    r.a.collect_symbols(names);
    r.b.collect_symbols(names);
    const bool touched =
        fresh.empty() || std::any_of(names.begin(), names.end(),
                                     [&](const std::string& n) { return fresh.count(n) > 0; });
    const bool listed = std::any_of(out.begin(), out.end(), [&](const Relation& other) {
      return other.a == r.a && other.b == r.b && other.may_broadcast == r.may_broadcast;
    });
    if (touched && !listed && !always_holds(r) && is_defined(r.a) && is_defined(r.b))
      out.push_back(r);
  }
  return out;
}

void DynamicSizes::add_checks(const std::set<std::string>& fresh) {
  Step step;
  step.kind = Step::Kind::check;
  step.relations = checkable(fresh);
  if (!step.relations.empty()) program_.steps.push_back(std::move(step));
}

void DynamicSizes::set_definitions(std::set<std::string>& fresh) {
  for (const auto& [name, definition] : graph_.definitions) {
    std::vector<std::string> names;
    definition.collect_symbols(names);
    const bool touched = std::any_of(names.begin(), names.end(),
                                     [&](const std::string& n) { return fresh.count(n) > 0; });
    if (!touched || !is_defined(definition) || is_input_size(name)) continue;
    define(name);
    fresh.insert(name);
    Step step;
    step.kind = Step::Kind::set;
    step.sets.emplace_back(name, definition);
    program_.steps.push_back(std::move(step));
  }
}

template <class F>
void DynamicSizes::each_defined(const Step& step, F f) const {
  for (const auto& [name, value] : step.sets) f(name);
  for (const Arg& arg : step.args)
    if (const auto* e = std::get_if<ExtentsArg>(&arg.value))
      for (const Dim& d : e->extents)
        if (const auto name = d.as_symbol(); name && !is_input_size(*name)) f(*name);
}

std::set<std::string> DynamicSizes::take_definitions(std::size_t first) {
  std::set<std::string> fresh;
  for (std::size_t i = first; i < program_.steps.size(); ++i)
    each_defined(program_.steps[i], [&](const std::string& name) {
      define(name);
      fresh.insert(name);
    });
  return fresh;
}

// Where the sizes that the steps from `first` on define are known: after the last of these steps,
// or at the end if that one is in a branch or a loop.
std::size_t DynamicSizes::known_from(std::size_t first) const {
  const Nesting nesting(program_, first);
  std::size_t at = program_.steps.size();
  for (std::size_t i = first; i < program_.steps.size(); ++i)
    each_defined(program_.steps[i], [&](const std::string&) { at = i; });
  return at < program_.steps.size() && !nesting.is_nested(at) ? at + 1 : program_.steps.size();
}

// What is wrong must end the call before a step writes a tensor of that size.
void DynamicSizes::follow(std::size_t first) {
  auto fresh = take_definitions(first);
  if (fresh.empty()) return;
  auto& steps = program_.steps;
  const auto from = steps.begin() + static_cast<std::ptrdiff_t>(known_from(first));
  std::vector<Step> rest(std::make_move_iterator(from), std::make_move_iterator(steps.end()));
  steps.erase(from, steps.end());
  set_definitions(fresh);
  add_checks(fresh);
  std::move(rest.begin(), rest.end(), std::back_inserter(steps));
}

std::set<std::string> DynamicSizes::known_before_body(std::size_t first) const {
  const Nesting nesting(program_, first);
  std::set<std::string> known;
  for (std::size_t i = first; i < program_.steps.size(); ++i) {
    const std::vector<int> around = nesting.around(i);
    if (std::any_of(around.begin(), around.end(), [&](int block) {
          return nesting.blocks()[static_cast<std::size_t>(block)].has_else;
        }))
      continue;
    each_defined(program_.steps[i], [&](const std::string& name) { known.insert(name); });
  }
  return known;
}

void DynamicSizes::enter(const Graph& body, std::size_t first) {
  scopes_.push_back(&body);
  std::set<std::string> known = known_before_body(first);
  for (const std::string& name : known) define(name);
  set_definitions(known);
  add_checks({});
}

std::optional<Dim> DynamicSizes::read_too_early() const {
  std::set<std::string> known;
  for (const SizeSymbol& s : program_.symbols)
    if (s.input >= 0 || s.definition || s.is_draw) known.insert(s.name);
  const auto is_known = [&](const Dim& d) {
    std::vector<std::string> names;
    d.collect_symbols(names);
    return std::all_of(names.begin(), names.end(),
                       [&](const std::string& n) { return known.count(n) > 0; });
  };
  for (const Step& step : program_.steps) {
    for (const Arg& arg : step.args) {
      const auto* const b = std::get_if<BufferArg>(&arg.value);
      if (!b || b->writes || b->as_block) continue;
      for (const Dim& d : program_.at(b->buffer).shape)
        if (!is_known(d)) return d;
    }
    each_defined(step, [&](const std::string& name) { known.insert(name); });
  }
  return std::nullopt;
}

void DynamicSizes::check_all(Diagnostics& diagnostics) const {
  const auto check = [&](const Dim& d, const std::string& where) {
    if (!is_defined(d))
      diagnostics.error("dynamic-dim", where,
                        fmt::format("the size {} is known only at run time, and no operator that "
                                    "is supported yet tells it",
                                    d.to_string()));
  };
  for (const Step& step : program_.steps) {
    for (const Param& p : step.params) {
      if (const auto* d = std::get_if<Dim>(&p.value)) check(*d, step.name);
      if (const auto* list = std::get_if<std::vector<Dim>>(&p.value))
        for (const Dim& d : *list) check(d, step.name);
    }
    Program::each_buffer(step, [&](BufferId id) {
      for (const Dim& d : program_.at(id).shape) check(d, quoted(program_.at(id).name));
    });
    if (diagnostics.has_errors()) return;
  }
  if (const auto early = read_too_early())
    diagnostics.error(
        "dynamic-dim", "",
        fmt::format("a step reads the size {} before another one tells it", early->to_string()));
}

}  // namespace onnxc
