// Prints a Program as text.
#include "compiler/ir/print_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace onnxc {
namespace {

const char* kind_name(Buffer::Kind kind) {
  static constexpr const char* kNames[] = {"input", "output", "constant", "arena",
                                           "heap",  "object", "state"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* absent_name(Buffer::Absent absent) {
  static constexpr const char* kNames[] = {"", "or arena", "or heap", "or skipped"};
  return kNames[static_cast<std::size_t>(absent)];
}

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const Program& program) : p_(program), names_(buffer_names(program)) {}

  std::string run() {
    line(fmt::format("program arena {} align {} {{", p_.arena_bytes, p_.alignment));
    ++depth_;
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) print_buffer(static_cast<BufferId>(i));
    for (const SizeSymbol& s : p_.symbols) print_size(s);
    for (const Relation& r : p_.input_relations) line("check " + relation(r));
    for (const LineBufferedGroup& group : p_.groups) print_group(group);
    out_ += '\n';
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      print_calls_at(i);
      print_step(p_.steps[i]);
    }
    --depth_;
    line("}");
    return std::move(out_);
  }

 private:
  // Names of the model may hold any bytes.
  void line(const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(2 * depth_), ' ');
    for (const char c : text)
      out_ += c >= ' ' && c <= '~' ? std::string(1, c)
                                   : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    out_ += '\n';
  }
  const std::string& name(BufferId id) const { return names_[static_cast<std::size_t>(id)]; }

  void print_buffer(BufferId id) {
    const Buffer& b = p_.at(id);
    std::string text = fmt::format("{}: ", name(id));
    text += b.kind == Buffer::Kind::object ? b.type.to_string()
                                           : Type::tensor(b.elem, b.shape).to_string();
    text += fmt::format(" {}", kind_name(b.kind));
    if (b.absent != Buffer::Absent::error) text += fmt::format(" {}", absent_name(b.absent));
    if (b.view_of >= 0)
      text += fmt::format(" view of {} at {}", name(b.view_of), b.view_offset.to_string());
    else if (b.offset >= 0 && p_.capacity(id))
      text += fmt::format(" {}..{}", b.offset, b.offset + *p_.capacity(id));
    if (b.region > 0)
      text += fmt::format(" in {}", p_.regions[static_cast<std::size_t>(b.region)].name);
    line(text);
  }

  void print_size(const SizeSymbol& s) {
    std::string text = "size " + s.name;
    if (s.input >= 0)
      text +=
          fmt::format(" = {} axis {}", name(p_.inputs[static_cast<std::size_t>(s.input)]), s.axis);
    else if (s.definition)
      text += " = " + s.definition->to_string();
    else
      text += s.is_draw ? " of this random draw" : " set by a step";
    if (s.range.high || s.range.low != 0)
      text +=
          fmt::format(" in {}..{}", s.range.low, s.range.high ? std::to_string(*s.range.high) : "");
    line(text);
  }

  void print_group(const LineBufferedGroup& group) {
    std::vector<std::string> names;
    for (BufferId id : group.buffers) names.push_back(name(id));
    line(fmt::format("line-buffered group of {} in {} bytes{}", fmt::join(names, ", "), group.most,
                     group.backwards ? ", backwards" : ""));
  }

  // The calls of outlined functions that begin with this step.
  void print_calls_at(std::size_t step) {
    const auto print = [&](const FunctionCall& call) {
      if (call.begin != step) return;
      line(fmt::format("# the next {} steps: function {}", call.end - call.begin,
                       p_.functions[call.function].name));
    };
    for (const FunctionCall& call : p_.calls) print(call);
    for (const OutlinedFunction& f : p_.functions)
      for (const FunctionCall& call : f.calls) print(call);
  }

  static std::string relation(const Relation& r) {
    return fmt::format("{} {} {}", r.a.to_string(),
                       r.may_broadcast ? "broadcasts with" : "==", r.b.to_string());
  }

  static std::string value(const Param& p) {
    if (const auto* d = std::get_if<Dim>(&p.value)) return d->to_string();
    if (const auto* b = std::get_if<bool>(&p.value)) return *b ? "true" : "false";
    if (const auto* f = std::get_if<float>(&p.value)) return fmt::format("{}", *f);
    if (const auto* s = std::get_if<std::string>(&p.value)) return fmt::format("\"{}\"", *s);
    if (const auto* list = std::get_if<std::vector<float>>(&p.value))
      return fmt::format("[{}]", fmt::join(*list, ","));
    return to_string(std::get<std::vector<Dim>>(p.value));
  }

  std::string lambda(const Lambda& l) const {
    std::vector<std::string> calls, captures;
    for (const LambdaCall& c : l.calls) calls.push_back(c.fn.name);
    for (const Lambda::Capture& c : l.captures) captures.push_back(name(c.buffer));
    std::string text = l.form == Lambda::Form::map ? "map" : "epilogue";
    text +=
        fmt::format("({})", calls.empty() ? "identity" : fmt::format("{}", fmt::join(calls, " ")));
    return captures.empty() ? text : fmt::format("{} of {}", text, fmt::join(captures, " "));
  }

  std::string argument(const Arg& arg) const {
    struct Visitor {
      const ProgramPrinter& p;
      std::string operator()(const BufferArg& b) const {
        return fmt::format("{} {}{}", b.writes ? "write" : "read", p.name(b.buffer),
                           b.as_block ? " as block" : "");
      }
      std::string operator()(const NullArg&) const { return "null"; }
      std::string operator()(const Dim& d) const { return d.to_string(); }
      std::string operator()(float f) const { return fmt::format("{}", f); }
      std::string operator()(const Lambda& l) const { return p.lambda(l); }
      std::string operator()(const ExtentsArg& e) const { return "sizes " + to_string(e.extents); }
      std::string operator()(const HeapArg&) const { return "heap"; }
      std::string operator()(const TreesArg&) const { return "trees"; }
      std::string operator()(const DevicesArg&) const { return "devices"; }
      std::string operator()(const UserFunctionArg& f) const { return "function " + f.name; }
      std::string operator()(const ProbeArg& a) const { return "probe " + a.name; }
    };
    return std::visit(Visitor{*this}, arg.value);
  }

  void print_call(const Step& step) {
    std::string text = "call " + step.kernel;
    if (!step.template_args.empty())
      text += fmt::format("<{}>", fmt::join(step.template_args, ","));
    std::vector<std::string> params, args;
    for (const Param& p : step.params) params.push_back(fmt::format("{}={}", p.name, value(p)));
    for (const Arg& arg : step.args) args.push_back(argument(arg));
    text += fmt::format("{{{}}} {}", fmt::join(params, ", "), fmt::join(args, ", "));
    if (step.divisible && !step.chunks.is(1))
      text += fmt::format(" in {} chunks", step.chunks.to_string());
    if (step.group >= 0) text += fmt::format(" by {} rows in group {}", step.rows, step.group);
    if (!step.sources.empty())
      text += fmt::format("  # {}: {}", fmt::join(step.sources, ", "), step.title);
    line(text);
  }

  void print_loop(const Step& step) {
    std::string text = "loop " + name(step.counter);
    if (step.trips >= 0) text += " below " + name(step.trips);
    if (step.condition >= 0) text += " while " + name(step.condition);
    if (step.max_trips)
      text += fmt::format(" {}{} times", step.may_end_early ? "at most " : "",
                          step.max_trips->to_string());
    line(text + " {");
    ++depth_;
  }

  void print_step(const Step& step) {
    using Kind = Step::Kind;
    switch (step.kind) {
      case Kind::call:
        return print_call(step);
      case Kind::open_if:
        line(fmt::format("if {} {{", name(step.condition)));
        ++depth_;
        return;
      case Kind::open_else:
        --depth_;
        line("} else {");
        ++depth_;
        return;
      case Kind::open_loop:
        return print_loop(step);
      case Kind::close:
        depth_ = std::max(0, depth_ - 1);
        return line("}");
      case Kind::set:
        for (const auto& [symbol, d] : step.sets)
          line(fmt::format("set {} = {}", symbol, d.to_string()));
        return;
      case Kind::check:
        for (const Relation& r : step.relations) line("check " + relation(r));
        return;
      case Kind::allocate:
        return line(
            fmt::format("allocate {} {}", name(step.buffer), to_string(p_.at(step.buffer).shape)));
      case Kind::release:
        return line("release " + name(step.buffer));
    }
  }

  const Program& p_;
  const std::vector<std::string> names_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::vector<std::string> buffer_names(const Program& program) {
  std::map<std::string_view, int> count;
  for (const Buffer& b : program.buffers) ++count[b.name];
  std::vector<std::string> names;
  for (const Buffer& b : program.buffers)
    names.push_back(count[b.name] > 1 || b.name.empty()
                        ? fmt::format("%{}.{}", b.name, names.size())
                        : "%" + b.name);
  return names;
}

std::string print(const Program& program) { return ProgramPrinter(program).run(); }

}  // namespace onnxc
