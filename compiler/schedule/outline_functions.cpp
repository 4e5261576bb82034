// Finds calls of a model-local function that became the same steps on other buffers.
#include <algorithm>
#include <bit>
#include <set>

#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/ir/nesting.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

// Consecutive steps that come from one call. `prefix`: of the paths of its nodes.
struct StepRange {
  std::size_t begin = 0, end = 0;
  std::string prefix;

  bool empty() const { return begin == end; }
};

// ---- comparison ---------------------------------------------------------------------------------

// Buffers of one range of steps, and those of another one in the same order.
using Renaming = std::map<BufferId, BufferId>;

bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

bool same(const Param& a, const Param& b) {
  if (a.name != b.name || a.integers != b.integers || a.value.index() != b.value.index())
    return false;
  if (const auto* x = std::get_if<float>(&a.value)) return same(*x, std::get<float>(b.value));
  return a.value == b.value;
}

bool same(const ops::Literal& a, const ops::Literal& b) {
  return a.kind == b.kind && a.integer == b.integer && same(a.real, b.real) && a.type == b.type;
}

bool same(const LambdaCall& a, const LambdaCall& b) {
  return a.fn.name == b.fn.name && a.operands == b.operands &&
         std::equal(a.fn.literals.begin(), a.fn.literals.end(), b.fn.literals.begin(),
                    b.fn.literals.end(), [](const auto& x, const auto& y) { return same(x, y); });
}

bool same(const Relation& a, const Relation& b) {
  return a.a == b.a && a.b == b.b && a.may_broadcast == b.may_broadcast;
}

template <class T>
bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

class SameSteps {
 public:
  explicit SameSteps(const Renaming& renaming) : other_(renaming) {}

  bool operator()(const Step& a, const Step& b) const {
    return a.kind == b.kind && a.kernel == b.kernel && a.template_args == b.template_args &&
           a.chunks == b.chunks && is(a.condition, b.condition) && is(a.counter, b.counter) &&
           is(a.trips, b.trips) && is(a.buffer, b.buffer) && same_structs(a, b) &&
           all_same(a.params, b.params) && all_same(a.relations, b.relations) &&
           std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                      [this](const Arg& x, const Arg& y) { return same_arg(x, y); });
  }

 private:
  bool is(BufferId a, BufferId b) const { return a < 0 ? b < 0 : b >= 0 && other_.at(a) == b; }

  static bool same_structs(const Step& a, const Step& b) {
    return std::equal(a.arg_structs.begin(), a.arg_structs.end(), b.arg_structs.begin(),
                      b.arg_structs.end(), [](const auto& x, const auto& y) {
                        return x.type == y.type && x.begin == y.begin && x.end == y.end;
                      });
  }

  bool same_lambda(const Lambda& a, const Lambda& b) const {
    return a.form == b.form && a.parameters == b.parameters && all_same(a.calls, b.calls) &&
           std::equal(a.captures.begin(), a.captures.end(), b.captures.begin(), b.captures.end(),
                      [this](const auto& x, const auto& y) {
                        return x.read == y.read && is(x.buffer, y.buffer);
                      });
  }

  bool same_arg(const Arg& a, const Arg& b) const {
    if (a.value.index() != b.value.index()) return false;
    if (const auto* x = std::get_if<BufferArg>(&a.value)) {
      const auto& y = std::get<BufferArg>(b.value);
      return x->writes == y.writes && x->as_block == y.as_block && is(x->buffer, y.buffer);
    }
    if (const auto* x = std::get_if<NullArg>(&a.value)) {
      const auto& y = std::get<NullArg>(b.value);
      return x->elem == y.elem && x->writes == y.writes;
    }
    if (const auto* x = std::get_if<Dim>(&a.value)) return *x == std::get<Dim>(b.value);
    if (const auto* x = std::get_if<float>(&a.value)) return same(*x, std::get<float>(b.value));
    if (const auto* x = std::get_if<Lambda>(&a.value))
      return same_lambda(*x, std::get<Lambda>(b.value));
    if (const auto* x = std::get_if<TreesArg>(&a.value))
      return *x->trees == *std::get<TreesArg>(b.value).trees;
    return false;
  }

  const Renaming& other_;
};

// ---- facts about steps --------------------------------------------------------------------------

const LineBufferedGroup* group_of(const Step& step, const Program& program) {
  return step.group < 0 ? nullptr : &program.groups[static_cast<std::size_t>(step.group)];
}

bool runs_together(const Step& step, const Program& program) {
  const LineBufferedGroup* group = group_of(step, program);
  return group && group->layers > 1;
}

bool runs_backwards(const Step& step, const Program& program) {
  const LineBufferedGroup* group = group_of(step, program);
  return group && group->backwards;
}

// Steps that set sizes, or write outputs of the caller, need the variables of run(); layers that
// run together are one statement.
bool fits_a_function(const Step& step, const Program& program) {
  if (step.kind == Step::Kind::set || runs_together(step, program)) return false;
  bool fits = true;
  for (const Arg& arg : step.args)
    if (std::holds_alternative<ExtentsArg>(arg.value) ||
        std::holds_alternative<HeapArg>(arg.value) ||
        std::holds_alternative<DevicesArg>(arg.value) ||
        std::holds_alternative<ProbeArg>(arg.value))
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

void add_use(const Step& step, OutlinedFunction::Parameter& p) {
  p.as_block = p.as_block || step.buffer == p.buffer;
  p.written = p.written || step.counter == p.buffer;
  for (const Arg& arg : step.args) {
    const auto* b = std::get_if<BufferArg>(&arg.value);
    if (!b || b->buffer != p.buffer) continue;
    p.as_block = p.as_block || b->as_block;
    p.written = p.written || b->writes;
  }
}

void collect_new(const Dim& d, std::vector<std::string>& symbols) {
  std::vector<std::string> found;
  d.collect_symbols(found);
  for (std::string& s : found)
    if (std::find(symbols.begin(), symbols.end(), s) == symbols.end())
      symbols.push_back(std::move(s));
}

// The symbols in what is printed of a step.
void collect_sizes(const Program& p, const Step& step, std::vector<std::string>& list) {
  const auto add_all = [&](const std::vector<Dim>& dims) {
    for (const Dim& d : dims) collect_new(d, list);
  };
  for (const Param& param : step.params) {
    if (const auto* d = std::get_if<Dim>(&param.value)) collect_new(*d, list);
    if (const auto* ds = std::get_if<std::vector<Dim>>(&param.value)) add_all(*ds);
  }
  for (const Arg& arg : step.args)
    if (const auto* d = std::get_if<Dim>(&arg.value)) collect_new(*d, list);
  collect_new(step.chunks, list);
  for (const Arg& arg : step.args)
    if (const auto* b = std::get_if<BufferArg>(&arg.value); b && p.at(b->buffer).per_thread)
      add_all(p.at(b->buffer).shape);
  for (const Relation& r : step.relations) add_all({r.a, r.b});
  if (step.kind == Step::Kind::allocate) add_all(p.at(step.buffer).shape);
}

// ---- the plan -----------------------------------------------------------------------------------

class OutlineFunctions {
 public:
  OutlineFunctions(Program& program, const std::map<std::string, std::string>& calls)
      : p_(program), nesting_(program), names_(calls) {}

  void run() {
    for (const auto& [prefix, function] : names_) ++calls_[function];
    count(0, p_.steps.size(), 0);
    p_.calls = plan(0, p_.steps.size(), 0);
  }

 private:
  // A candidate and the number of ranges of the same steps.
  struct Candidate {
    OutlinedFunction function;
    int ranges;
    std::optional<std::size_t> index;  // in Program::functions
  };

  // The prefix of the call around a step: the outermost call for depth 0, then the one inside it.
  // Empty if there are fewer calls.
  std::string call_of(const Step& step, int depth) const {
    if (step.sources.empty()) return "";
    const std::string& source = step.sources[0];
    for (std::size_t at = source.find('/'); at != std::string::npos;
         at = source.find('/', at + 1)) {
      std::string prefix = source.substr(0, at + 1);
      if (names_.count(prefix) != 0 && depth-- == 0) return prefix;
    }
    return "";
  }

  // The steps from `begin` on that belong to one call, whole blocks only. Empty if the first step
  // does not belong to a call.
  StepRange range_at(std::size_t begin, std::size_t end, int depth) const {
    StepRange range{begin, begin, call_of(p_.steps[begin], depth)};
    if (range.prefix.empty()) return range;
    for (std::size_t i = begin; i < end; i = nesting_.statement_end(i)) {
      const Step& step = p_.steps[i];
      // Part of the call if more of its steps follow.
      if (is_size_step(step)) continue;
      const bool closes = step.kind == Step::Kind::close || step.kind == Step::Kind::open_else;
      if (closes || call_of(step, depth) != range.prefix) break;
      range.end = nesting_.statement_end(i);
    }
    return range;
  }

  bool is_shareable(const StepRange& range) const {
    if (calls_.at(names_.at(range.prefix)) < 2) return false;
    std::size_t calls = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (!fits_a_function(p_.steps[i], p_)) return false;
      calls += p_.steps[i].kind == Step::Kind::call;
    }
    return calls > 1;
  }

  OutlinedFunction function_of(const StepRange& range) const {
    OutlinedFunction f;
    f.name = names_.at(range.prefix);
    f.prefix = range.prefix;
    f.begin = range.begin;
    f.end = range.end;
    for (BufferId id : buffers_of(range)) f.parameters.push_back({id});
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Step& step = p_.steps[i];
      for (OutlinedFunction::Parameter& p : f.parameters) add_use(step, p);
      collect_sizes(p_, step, f.sizes);
      f.fallible = f.fallible || can_fail(step);
      f.divided = f.divided || !step.chunks.is(1);
    }
    return f;
  }

  // In the order of their first use.
  std::vector<BufferId> buffers_of(const StepRange& range) const {
    std::vector<BufferId> list;
    std::set<BufferId> seen;
    for (std::size_t i = range.begin; i < range.end; ++i)
      Program::each_buffer(p_.steps[i], [&](BufferId id) {
        if (seen.insert(id).second) list.push_back(id);
      });
    return list;
  }

  // Whether one buffer can stand for another one in a function: what is printed of it is equal.
  bool same_buffer(const OutlinedFunction::Parameter& p, BufferId id) const {
    const Buffer &a = p_.at(p.buffer), &b = p_.at(id);
    if (a.elem != b.elem || a.per_thread != b.per_thread) return false;
    if (a.per_thread && !(a.shape == b.shape)) return false;
    return !p.as_block || product(a.shape) == product(b.shape);
  }

  bool is_call_of(const OutlinedFunction& f, const StepRange& range) const {
    if (f.name != names_.at(range.prefix) || f.end - f.begin != range.end - range.begin)
      return false;
    const std::vector<BufferId> buffers = buffers_of(range);
    if (buffers.size() != f.parameters.size()) return false;
    Renaming renaming;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (!same_buffer(f.parameters[i], buffers[i])) return false;
      renaming.emplace(f.parameters[i].buffer, buffers[i]);
    }
    const auto step = [this](std::size_t i) {
      return p_.steps.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const SameSteps same(renaming);
    return std::equal(step(f.begin), step(f.end), step(range.begin),
                      [&](const Step& a, const Step& b) {
                        return same(a, b) && runs_backwards(a, p_) == runs_backwards(b, p_);
                      });
  }

  Candidate* find(const StepRange& range) {
    const auto found =
        std::find_if(candidates_.begin(), candidates_.end(),
                     [&](const Candidate& c) { return is_call_of(c.function, range); });
    return found == candidates_.end() ? nullptr : &*found;
  }

  void count(std::size_t begin, std::size_t end, int depth) {
    for (std::size_t i = begin; i < end;) {
      const StepRange range = range_at(i, end, depth);
      if (!range.empty() && is_shareable(range)) {
        if (Candidate* c = find(range))
          ++c->ranges;
        else
          candidates_.push_back({function_of(range), 1, std::nullopt});
      }
      if (!range.empty()) count(range.begin, range.end, depth + 1);
      i = std::max(range.end, i + 1);
    }
  }

  // The calls in place of steps [begin, end).
  std::vector<FunctionCall> plan(std::size_t begin, std::size_t end, int depth) {
    std::vector<FunctionCall> calls;
    for (std::size_t i = begin; i < end;) {
      const StepRange range = range_at(i, end, depth);
      i = std::max(range.end, i + 1);
      if (range.empty()) continue;
      Candidate* const c = is_shareable(range) ? find(range) : nullptr;
      if (c && c->ranges > 1) {
        calls.push_back({define(*c, depth), range.begin, range.end, buffers_of(range),
                         range.prefix.substr(0, range.prefix.size() - 1)});
      } else {
        const auto inner = plan(range.begin, range.end, depth + 1);
        calls.insert(calls.end(), inner.begin(), inner.end());
      }
    }
    return calls;
  }

  std::size_t define(Candidate& c, int depth) {
    if (c.index) return *c.index;
    c.index = p_.functions.size();
    p_.functions.push_back(c.function);
    auto calls = plan(c.function.begin, c.function.end, depth + 1);
    p_.functions[*c.index].calls = std::move(calls);
    return *c.index;
  }

  Program& p_;
  const Nesting nesting_;
  const std::map<std::string, std::string>& names_;  // of functions, by the prefix of a call
  std::map<std::string, int> calls_;                 // number of calls of each function
  std::vector<Candidate> candidates_;
};

}  // namespace

void outline_functions(Program& program, const std::map<std::string, std::string>& calls) {
  if (!calls.empty()) OutlineFunctions(program, calls).run();
}

}  // namespace onnxc
