// What differs between the generated code of two versions of a model.
#include "compiler/cli/commands.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compiler/session/session.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

// A figure of both versions; without a number where it depends on open sizes.
struct Figure {
  std::string name;
  Dim before, after;
};

struct StepChange {
  enum class Kind : std::uint8_t { removed, added, changed } kind;
  StepInfo before, after;
};

struct PortChange {
  std::string name, before, after;  // types, "" where there is no such port
};

struct Difference {
  std::vector<Figure> figures;
  std::vector<PortChange> inputs, outputs;
  std::vector<StepChange> steps;
};

std::optional<CompileResult> compiled(CompileOptions options, const std::string& model) {
  options.model = model;
  options.name = options.name_space = options.output_base = "model";
  Diagnostics diagnostics;
  CompileResult r = compile(options, diagnostics);
  diagnostics.print(model, stderr);
  if (diagnostics.has_errors()) return std::nullopt;
  return r;
}

std::vector<Figure> figures(const CompileResult& a, const CompileResult& b) {
  return {{"multiply-accumulates", a.macs, b.macs},
          {"bytes of weights", a.weight_bytes, b.weight_bytes},
          {"bytes of arena", a.arena_bytes, b.arena_bytes},
          {"bytes of code, about", a.costs.code_bytes, b.costs.code_bytes}};
}

std::vector<PortChange> port_changes(const std::vector<Port>& before,
                                     const std::vector<Port>& after) {
  std::map<std::string, PortChange> all;
  for (const Port& p : before) all[p.name].before = p.type.to_string();
  for (const Port& p : after) all[p.name].after = p.type.to_string();
  std::vector<PortChange> changes;
  for (auto& [name, change] : all) {
    change.name = name;
    if (change.before != change.after) changes.push_back(change);
  }
  return changes;
}

bool same(const StepInfo& a, const StepInfo& b) {
  return a.work == b.work && a.shapes == b.shapes && a.macs == b.macs &&
         a.weight_bytes == b.weight_bytes;
}

// Steps have the names of the model's nodes. What is between two that both versions have appears in
// the order of the new one, after what was removed there.
std::vector<StepChange> step_changes(const std::vector<StepInfo>& before,
                                     const std::vector<StepInfo>& after) {
  std::map<std::string, const StepInfo*> old, fresh;
  for (const StepInfo& s : before) old[s.name] = &s;
  for (const StepInfo& s : after) fresh[s.name] = &s;
  std::vector<StepChange> changes;
  for (const StepInfo& s : before)
    if (!fresh.count(s.name)) changes.push_back({StepChange::Kind::removed, s, {}});
  for (const StepInfo& s : after) {
    const auto found = old.find(s.name);
    if (found == old.end())
      changes.push_back({StepChange::Kind::added, {}, s});
    else if (!same(*found->second, s))
      changes.push_back({StepChange::Kind::changed, *found->second, s});
  }
  return changes;
}

std::string relative(const Figure& f) {
  if (f.before == f.after) return "same";
  if (!f.before.is_const() || !f.after.is_const() || f.before.value() == 0) return "changed";
  const double change =
      static_cast<double>(f.after.value()) / static_cast<double>(f.before.value()) - 1;
  return fmt::format("{:+.1f} %", change * 100);
}

void print_ports(const char* what, const std::vector<PortChange>& changes) {
  for (const PortChange& p : changes)
    terminal::print(stdout, "{} {}: {} -> {}\n", what, p.name, p.before.empty() ? "none" : p.before,
                    p.after.empty() ? "none" : p.after);
}

std::string step_text(const StepInfo& s) {
  return fmt::format("{}, {}, {} MAC", s.work, s.shapes, s.macs.to_string());
}

void print_step(const StepChange& c) {
  switch (c.kind) {
    case StepChange::Kind::removed:
      return terminal::print(stdout, "- {}: {}\n", c.before.name, step_text(c.before));
    case StepChange::Kind::added:
      return terminal::print(stdout, "+ {}: {}\n", c.after.name, step_text(c.after));
    case StepChange::Kind::changed:
      terminal::print(stdout, "  {}: {}\n", c.before.name, step_text(c.before));
      return terminal::print(stdout, "   -> {}\n", step_text(c.after));
  }
}

void print_text(const Difference& d) {
  terminal::print(stdout, "{:22} {:>16} {:>16}\n", "", "before", "after");
  for (const Figure& f : d.figures)
    terminal::print(stdout, "{:22} {:>16} {:>16}  {}\n", f.name, f.before.to_string(),
                    f.after.to_string(), relative(f));
  print_ports("input", d.inputs);
  print_ports("output", d.outputs);
  for (const StepChange& c : d.steps) print_step(c);
}

void write_ports(JsonWriter& j, const char* key, const std::vector<PortChange>& changes) {
  j.key(key).begin_array();
  for (const PortChange& p : changes)
    j.begin_object()
        .field("name", p.name)
        .field("before", p.before)
        .field("after", p.after)
        .end_object();
  j.end_array();
}

void write_step(JsonWriter& j, const char* key, const StepInfo& s) {
  if (s.name.empty()) return;
  j.key(key).begin_object().field("work", s.work).field("shapes", s.shapes);
  write_dim(j.key("macs"), s.macs);
  j.field("weight_bytes", s.weight_bytes).end_object();
}

void print_json(const Difference& d) {
  JsonWriter j;
  j.begin_object().key("figures").begin_array();
  for (const Figure& f : d.figures) {
    write_dim(j.begin_object().field("name", f.name).key("before"), f.before);
    write_dim(j.key("after"), f.after);
    j.end_object();
  }
  j.end_array();
  write_ports(j, "inputs", d.inputs);
  write_ports(j, "outputs", d.outputs);
  j.key("steps").begin_array();
  for (const StepChange& c : d.steps) {
    j.begin_object().field("name", c.before.name.empty() ? c.after.name : c.before.name);
    write_step(j, "before", c.before);
    write_step(j, "after", c.after);
    j.end_object();
  }
  j.end_array().end_object();
  terminal::print_document(stdout, j.take());
}

}  // namespace

int run_report_diff(const ReportDiffOptions& options) {
  const std::optional<CompileResult> a = compiled(options.compile, options.before),
                                     b = compiled(options.compile, options.after);
  if (!a || !b) return exit_code::bad_model;
  const Difference d{figures(*a, *b), port_changes(a->inputs, b->inputs),
                     port_changes(a->outputs, b->outputs), step_changes(a->steps, b->steps)};
  if (options.json)
    print_json(d);
  else
    print_text(d);
  return exit_code::ok;
}

}  // namespace onnxc
