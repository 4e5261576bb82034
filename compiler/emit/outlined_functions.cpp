// Finds equal sequences of steps among calls of a function, and prints each as one C++ function.
#include "compiler/emit/outlined_functions.hpp"

#include <algorithm>
#include <set>

#include "compiler/emit/kernels.hpp"
#include "compiler/emit/names.hpp"

namespace onnxc {
namespace {

bool opens(const Step& s) {
  return s.kind == Step::Kind::open_if || s.kind == Step::Kind::open_loop;
}

// Steps that set sizes, or write outputs of the caller, need the variables of run().
bool fits_a_function(const Step& step, const Program& program) {
  if (step.kind == Step::Kind::set) return false;
  bool fits = true;
  for (const Arg& arg : step.args)
    if (std::holds_alternative<ExtentsArg>(arg.value) || std::holds_alternative<HeapArg>(arg.value))
      fits = false;
  Program::each_buffer(step, [&](BufferId id) {
    if (program.at(id).kind == Buffer::Kind::object) fits = false;
  });
  if (step.buffer >= 0 && program.at(step.buffer).kind != Buffer::Kind::heap) fits = false;
  return fits;
}

bool can_fail(const Step& step) {
  return is_fallible(step) || step.kind == Step::Kind::check || step.kind == Step::Kind::allocate;
}

const BufferArg* use_of(BufferId id, const Step& step) {
  for (const Arg& arg : step.args)
    if (const auto* b = std::get_if<BufferArg>(&arg.value); b && b->buffer == id) return b;
  return nullptr;
}

bool writes(const Step& step, BufferId id) {
  if (step.counter == id) return true;
  return std::any_of(step.args.begin(), step.args.end(), [&](const Arg& arg) {
    const auto* b = std::get_if<BufferArg>(&arg.value);
    return b && b->buffer == id && b->writes;
  });
}

bool takes_block(const Step& step, BufferId id) {
  const BufferArg* const use = use_of(id, step);
  return step.buffer == id || (use && use->as_block);
}

void collect(const Dim& d, std::vector<std::string>& symbols) {
  std::vector<std::string> found;
  d.collect_symbols(found);
  for (std::string& s : found)
    if (std::find(symbols.begin(), symbols.end(), s) == symbols.end())
      symbols.push_back(std::move(s));
}

}  // namespace

void OutlinedFunctions::write_steps(CodeWriter& w) {
  for (const auto& [prefix, function] : c_.model.calls) ++calls_[function];
  if (!c_.model.calls.empty()) count(0, p_.steps.size(), 0);
  write_range(w, 0, p_.steps.size(), 0);
}

void OutlinedFunctions::write(CodeWriter& w) const {
  if (definitions_.empty()) return;
  w.raw_line("// ---- functions of the model ----");
  w.raw_line("");
  for (const std::string& text : definitions_) {
    w.raw(text);
    w.raw_line("");
  }
}

// The prefix of the call around a step: the outermost call for depth 0, then the one inside it.
// Empty if there are fewer calls.
std::string OutlinedFunctions::call_of(const Step& step, int depth) const {
  if (step.sources.empty()) return "";
  const std::string& source = step.sources[0];
  for (std::size_t at = source.find('/'); at != std::string::npos; at = source.find('/', at + 1)) {
    std::string prefix = source.substr(0, at + 1);
    if (c_.model.calls.count(prefix) != 0 && depth-- == 0) return prefix;
  }
  return "";
}

// The steps from `begin` on that belong to one call, whole blocks only. Empty if the first step
// does not belong to a call.
OutlinedFunctions::Run OutlinedFunctions::run_at(std::size_t begin, std::size_t end,
                                                 int depth) const {
  Run run{begin, begin, c_.model.calls.empty() ? "" : call_of(p_.steps[begin], depth)};
  if (run.prefix.empty()) return run;
  int open = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const Step& step = p_.steps[i];
    if (open == 0 && is_size_step(step)) continue;  // part of the call if more of its steps follow
    const bool closes = step.kind == Step::Kind::close || step.kind == Step::Kind::open_else;
    if (open == 0 && (closes || call_of(step, depth) != run.prefix)) break;
    open += opens(step) ? 1 : step.kind == Step::Kind::close ? -1 : 0;
    if (open == 0) run.end = i + 1;
  }
  return run;
}

bool OutlinedFunctions::is_shareable(const Run& run) const {
  if (calls_.at(c_.model.calls.at(run.prefix)) < 2) return false;
  std::size_t calls = 0;
  for (std::size_t i = run.begin; i < run.end; ++i) {
    if (!fits_a_function(p_.steps[i], p_)) return false;
    calls += p_.steps[i].kind == Step::Kind::call;
  }
  return calls > 1;
}

bool OutlinedFunctions::is_divided(const Run& run) const {
  return std::any_of(p_.steps.begin() + static_cast<std::ptrdiff_t>(run.begin),
                     p_.steps.begin() + static_cast<std::ptrdiff_t>(run.end),
                     [](const Step& step) { return !step.parts.is(1); });
}

// In the order of their first use.
std::vector<BufferId> OutlinedFunctions::buffers_of(const Run& run) const {
  std::vector<BufferId> list;
  std::set<BufferId> seen;
  for (std::size_t i = run.begin; i < run.end; ++i)
    Program::each_buffer(p_.steps[i], [&](BufferId id) {
      if (seen.insert(id).second) list.push_back(id);
    });
  return list;
}

std::vector<std::string> OutlinedFunctions::sizes_of(const Run& run) const {
  std::vector<std::string> list;
  for (std::size_t i = run.begin; i < run.end; ++i) {
    for (const Param& param : p_.steps[i].params) {
      if (const auto* d = std::get_if<Dim>(&param.value)) collect(*d, list);
      if (const auto* ds = std::get_if<std::vector<Dim>>(&param.value))
        for (const Dim& d : *ds) collect(d, list);
    }
    for (const Arg& arg : p_.steps[i].args)
      if (const auto* d = std::get_if<Dim>(&arg.value)) collect(*d, list);
    collect(p_.steps[i].parts, list);
    for (const Arg& arg : p_.steps[i].args)
      if (const auto* b = std::get_if<BufferArg>(&arg.value); b && p_.at(b->buffer).per_thread)
        for (const Dim& d : p_.at(b->buffer).shape) collect(d, list);
    for (const Relation& r : p_.steps[i].relations) {
      collect(r.a, list);
      collect(r.b, list);
    }
    if (p_.steps[i].kind == Step::Kind::allocate)
      for (const Dim& d : p_.at(p_.steps[i].buffer).shape) collect(d, list);
  }
  return list;
}

// The steps with numbered buffers and without the names of nodes: equal text means that two calls
// can share a function.
std::string OutlinedFunctions::abstract_text(const Run& run) {
  SourceNames::Parameters parameters;
  std::string types;
  for (BufferId id : buffers_of(run)) {
    parameters.emplace(
        id, SourceNames::Parameter{fmt::format("p{}", parameters.size()), is_block(run, id)});
    types += names_.cpp_type(id) + " ";
  }
  const auto* const outer_names = names_.bind(&parameters);
  const auto outer_place = steps_.enter({false, false, run.prefix});
  CodeWriter w;
  for (std::size_t i = run.begin; i < run.end; ++i) steps_.write(w, p_.steps[i]);
  steps_.finish(w);
  steps_.enter(outer_place);
  names_.bind(outer_names);
  return c_.model.calls.at(run.prefix) + ": " + types + "\n" + w.take();
}

bool OutlinedFunctions::is_block(const Run& run, BufferId id) const {
  return std::any_of(p_.steps.begin() + static_cast<std::ptrdiff_t>(run.begin),
                     p_.steps.begin() + static_cast<std::ptrdiff_t>(run.end),
                     [&](const Step& step) { return takes_block(step, id); });
}

std::string OutlinedFunctions::declaration(const Run& run, BufferId id,
                                           const std::string& name) const {
  if (is_block(run, id)) return fmt::format("Block<{}>& {}", names_.cpp_type(id), name);
  bool written = false;
  for (std::size_t i = run.begin; i < run.end; ++i) written |= writes(p_.steps[i], id);
  return fmt::format("{}{}* {}", written ? "" : "const ", names_.cpp_type(id), name);
}

void OutlinedFunctions::count(std::size_t begin, std::size_t end, int depth) {
  for (std::size_t i = begin; i < end;) {
    const Run run = run_at(i, end, depth);
    if (run.end > run.begin) {
      if (is_shareable(run)) ++shared_[abstract_text(run)].runs;
      count(run.begin, run.end, depth + 1);
    }
    i = std::max(run.end, i + 1);
  }
}

void OutlinedFunctions::write_range(CodeWriter& w, std::size_t begin, std::size_t end, int depth) {
  for (std::size_t i = begin; i < end;) {
    const Run run = run_at(i, end, depth);
    if (run.end == run.begin) {
      steps_.write(w, p_.steps[i++]);
      continue;
    }
    steps_.finish(w);
    i = run.end;
    SharedFunction* function = is_shareable(run) ? &shared_[abstract_text(run)] : nullptr;
    if (function && function->runs > 1) {
      if (function->name.empty()) define(*function, run, depth);
      write_call(w, *function, run);
    } else {
      write_range(w, run.begin, run.end, depth + 1);
    }
  }
  steps_.finish(w);
}

// A buffer's name without the prefix of the call.
std::string OutlinedFunctions::inner_name(const Run& run, BufferId id) const {
  const std::string& name = p_.at(id).name;
  for (std::size_t at = 0; at < run.prefix.size(); at = run.prefix.find('/', at) + 1)
    if (name.starts_with(run.prefix.substr(at))) return name.substr(run.prefix.size() - at);
  return name;
}

void OutlinedFunctions::define(SharedFunction& function, const Run& run, int depth) {
  SourceNames::Parameters parameters;
  NameScope scope;
  for (const std::string& name : c_.reserved) scope.reserve(name);
  for (const WeightPlan::Entry& e : c_.weights.entries) scope.reserve(e.identifier.text());
  for (const std::string& size : sizes_of(run)) scope.reserve(names_.size(size));
  std::vector<std::string> declared;
  for (BufferId id : buffers_of(run)) {
    const Identifier name = scope.unique(identifier_from(inner_name(run, id)));
    parameters.emplace(id, SourceNames::Parameter{name, is_block(run, id)});
    declared.push_back(declaration(run, id, name));
  }
  for (const std::string& size : sizes_of(run))
    declared.push_back("const Extent " + names_.size(size));
  if (is_divided(run)) declared.push_back("const RunThreads& threads");
  for (std::size_t i = run.begin; i < run.end; ++i) function.fallible |= can_fail(p_.steps[i]);
  function.name = names_.new_global(identifier_from(c_.model.calls.at(run.prefix)));

  CodeWriter w;
  const std::string head =
      fmt::format("{} {}(", function.fallible ? "Status" : "void", function.name);
  declared.front() = head + declared.front();
  for (std::size_t i = 0; i + 1 < declared.size(); ++i) declared[i] += ",";
  declared.back() += ") {";
  w.wrapped(declared, head.size());
  w.indent();
  const auto* const outer_names = names_.bind(&parameters);
  const auto outer_place = steps_.enter({false, true, run.prefix});
  write_range(w, run.begin, run.end, depth + 1);
  steps_.enter(outer_place);
  names_.bind(outer_names);
  if (function.fallible) w.raw_line("return Status::ok;");
  w.close();
  definitions_.push_back(w.take());
}

void OutlinedFunctions::write_call(CodeWriter& w, const SharedFunction& function,
                                   const Run& run) const {
  std::vector<std::string> pieces;
  for (BufferId id : buffers_of(run))
    pieces.push_back(is_block(run, id) ? names_.of(id) : names_.pointer(id));
  for (const std::string& size : sizes_of(run)) pieces.push_back(names_.size(size));
  if (is_divided(run)) pieces.push_back("threads");
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) pieces[i] += ",";
  const std::string head =
      fmt::format("{}{}(", function.fallible ? "if (const Status s = " : "", function.name);
  pieces.front() = head + pieces.front();
  pieces.back() += function.fallible ? ");" : ");  // ";
  const CommentText call =
      comment_text(steps_.inner_name(run.prefix.substr(0, run.prefix.size() - 1)));
  if (!function.fallible) {
    pieces.back() += call.text();
    return w.wrapped(pieces, 4);
  }
  w.wrapped(pieces, 4);
  w.line("    s != Status::ok)");
  w.line("  return {};  // {}", steps_.failure("s"), call);
}

}  // namespace onnxc
