// Prints kernel calls, control flow, and the management of sizes and heap memory.
#include "compiler/emit/source_steps.hpp"

#include <algorithm>

#include "compiler/emit/kernels.hpp"
#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {

namespace {

// x if `d` is the min or max of x and `other`.
std::optional<Dim> limit_of(DimAtomKind kind, const Dim& d, const Dim& other) {
  const std::vector<Dim> operands = d.operands_of(kind);
  if (operands.size() != 2) return std::nullopt;
  if (operands[0] == other) return operands[1];
  return operands[1] == other ? std::optional(operands[0]) : std::nullopt;
}

}  // namespace

std::string broken(const Relation& r, const SourceNames& names) {
  if (!r.may_broadcast) {
    if (const auto most = limit_of(DimAtomKind::min, r.b, r.a))
      return fmt::format("{} > {}", names.number(r.a), names.number(*most));
    if (const auto least = limit_of(DimAtomKind::max, r.b, r.a))
      return fmt::format("{} < {}", names.number(r.a), names.number(*least));
  }
  const std::string a = names.number(r.a), b = names.number(r.b);
  std::string text = fmt::format("{} != {}", a, b);
  if (!r.may_broadcast) return text;
  if (!r.a.is_const()) text += fmt::format(" && {} != 1", a);
  if (!r.b.is_const()) text += fmt::format(" && {} != 1", b);
  return text;
}

void SourceSteps::write(CodeWriter& w, const Step& step) {
  if (!layers_.empty() && layers_.back()->group != step.group) finish_group(w);
  const bool takes =
      step.kind == Step::Kind::allocate && p_.at(step.buffer).kind == Buffer::Kind::heap;
  const bool frees = step.kind == Step::Kind::release;
  if (!frees) finish_frees(w);
  if (!takes) finish_takes(w);
  if (takes) return taken_.push_back(step.buffer);
  if (frees) return freed_.push_back(step.buffer);
  if (is_size_step(step)) return size_step(w, step);
  if (step.kind != Step::Kind::call) return block(w, step);
  if (step.group >= 0) return layers_.push_back(&step);
  call(w, step);
}

std::string SourceSteps::inner_name(const std::string& source) const {
  const bool inside = source.rfind(place_.prefix, 0) == 0;
  return inside ? source.substr(place_.prefix.size()) : source;
}

// "conv1, relu1"; a long list is cut.
CommentText SourceSteps::source_comment(const Step& step) const {
  CommentText text;
  if (step.sources.empty()) return comment_text(step.title);
  for (const std::string& source : step.sources) {
    if (text.size() + 5 >= 160) break;
    if (!text.empty()) text += comment_text(", ");
    text += comment_text(inner_name(source));
  }
  return text;
}

std::string SourceSteps::argument(const Arg& arg) {
  if (const auto* b = std::get_if<BufferArg>(&arg.value))
    return b->as_block ? names_.of(b->buffer) : names_.pointer(b->buffer);
  if (std::holds_alternative<HeapArg>(arg.value)) return "heap";
  if (std::holds_alternative<DevicesArg>(arg.value)) return "in->devices_";
  if (const auto* f = std::get_if<UserFunctionArg>(&arg.value))
    return fmt::format("[](auto... a) {{ ::{}(a...); }}", identifier_from(f->name).text());
  if (const auto* p = std::get_if<ProbeArg>(&arg.value))
    return fmt::format("Probed<{}_probe>{{in->probe_, {}, {}}}", c_.name,
                       string_literal(p->name).text(), static_cast<int>(p->elem));
  if (const auto* d = std::get_if<Dim>(&arg.value))
    return fmt::format("Index{{{}}}", names_.number(*d));
  if (const auto* f = std::get_if<float>(&arg.value)) return float_literal(*f);
  if (const auto* t = std::get_if<TreesArg>(&arg.value))
    return definitions_.functions.trees(*t->trees, names_);
  if (const auto* l = std::get_if<Lambda>(&arg.value)) {
    if (l->form == Lambda::Form::map) return definitions_.functions.map(*l, names_);
    return definitions_.functions.epilogue(
        *l, [this](BufferId id) { return names_.pointer(id); }, names_);
  }
  if (const auto* n = std::get_if<NullArg>(&arg.value); n && n->elem != ElemType::undefined)
    return fmt::format("none<{}{}>", n->writes ? "" : "const ", info(n->elem).cpp_name);
  return "nullptr";
}

// The opening line of an If or a Loop around the steps that follow.
void SourceSteps::block(CodeWriter& w, const Step& step) {
  if (step.kind == Step::Kind::close) {
    w.close();
  } else if (step.kind == Step::Kind::open_else) {
    w.close("} else {");
    w.indent();
  } else if (step.kind == Step::Kind::open_if) {
    w.open(fmt::format("if (*{}) {{{}", names_.pointer(step.condition),
                       source_comment(step).trailing()));
  } else {
    // The counter is in memory: kernels of the body read it.
    const Identifier counter = names_.new_local(identifier_from("i"));
    std::string limit;
    if (step.trips >= 0) limit = fmt::format("{} < *{}", counter, names_.pointer(step.trips));
    if (step.condition >= 0)
      limit += fmt::format("{}*{}", limit.empty() ? "" : " && ", names_.pointer(step.condition));
    w.open(fmt::format("for (auto& {0} = *{1} = 0; {2}; ++{0}) {{{3}", counter,
                       names_.pointer(step.counter), limit, source_comment(step).trailing()));
  }
}

// The call of one chunk: scratch that each thread has is [threads, floats].
std::string SourceSteps::chunk_argument(const Arg& arg) {
  const auto* const b = std::get_if<BufferArg>(&arg.value);
  if (!b || !p_.at(b->buffer).per_thread) return argument(arg);
  const Dim& size = p_.at(b->buffer).shape[1];
  const std::string number = names_.number(size);
  return fmt::format("{} + chunk.thread * {}", argument(arg),
                     size.is_const() ? number : "(" + number + ")");
}

// A condition before a step whose result the caller may not want.
std::string SourceSteps::unless_absent(const Step& step) const {
  for (const Arg& arg : step.args)
    if (const auto* b = std::get_if<BufferArg>(&arg.value);
        b && b->writes && p_.at(b->buffer).absent == Buffer::Absent::skipped)
      return fmt::format("if ({} != nullptr) ", names_.pointer(b->buffer));
  return "";
}

// The call as an expression. reported: gets the name of the variable for what it reports.
std::string SourceSteps::call_text(CodeWriter& w, const Step& step, std::string& reported) {
  const bool divided = !step.chunks.is(1);
  std::string templates;
  for (const std::string& t : step.template_args) templates += (templates.empty() ? "" : ", ") + t;
  std::string args = step.params.empty() ? "" : definitions_.shapes.object(step, names_);
  if (divided) args = "with_chunk(" + args + ", chunk)";
  for (std::size_t i = 0; i < step.args.size(); ++i) {
    const Arg& arg = step.args[i];
    if (!args.empty()) args += ", ";
    for (const Step::ArgStruct& group : step.arg_structs)
      if (group.begin == i) args += group.type + "{";
    if (const auto* e = std::get_if<ExtentsArg>(&arg.value)) {
      reported = names_.new_local(identifier_from(step.name).with("_extents"));
      w.line("Index {}[{}] = {{}};", reported, std::max<std::size_t>(e->extents.size(), 1));
      args += reported;
    } else {
      args += divided ? chunk_argument(arg) : argument(arg);
    }
    for (const Step::ArgStruct& group : step.arg_structs)
      if (group.end == i + 1) args += "}";
  }
  return fmt::format("{}{}({})", step.kernel, templates.empty() ? "" : "<" + templates + ">", args);
}

void SourceSteps::call(CodeWriter& w, const Step& step) {
  std::string reported;
  std::string text = call_text(w, step, reported);
  const bool fallible = is_fallible(step);
  if (!step.chunks.is(1))
    text = fmt::format("threads.{}({}, [&](Chunk chunk) {{ {}{}; }})", fallible ? "check" : "run",
                       names_.number(step.chunks), fallible ? "return " : "", text);
  text = unless_absent(step) + text;
  if (fallible)
    w.line("if (const Status s = {}; s != Status::ok) return {};{}", text, failure("s"),
           source_comment(step).trailing());
  else
    w.line("{};{}", text, source_comment(step).trailing());
  for (const Arg& arg : step.args)
    if (const auto* e = std::get_if<ExtentsArg>(&arg.value)) take_extents(w, e->extents, reported);
}

void SourceSteps::run_layer(CodeWriter& w, const Step& step) {
  const bool backwards = p_.groups[static_cast<std::size_t>(step.group)].backwards;
  std::string reported;
  const std::string text = call_text(w, step, reported);
  w.line("run_layer{}({});{}", backwards ? "_backwards" : "", text,
         source_comment(step).trailing());
}

// One statement for all layers.
void SourceSteps::finish_group(CodeWriter& w) {
  if (layers_.empty()) return;
  const Step& last = *layers_.back();
  const Step& first = *layers_.front();
  if (layers_.size() == 1) {
    layers_.clear();
    return run_layer(w, first);
  }
  w.line("// {} to {}, row by row", comment_text(first.name), comment_text(last.name));
  const auto source = row_input(p_);
  const bool streamed = source && is_grouped_row_source(first);
  const std::string more = streamed ? names_.of(source->input) + ".more" : "";
  w.open(streamed ? fmt::format("run_line_buffered_while({},", more) : "run_line_buffered(");
  for (const Step* step : layers_) {
    std::string reported;
    const std::string text = call_text(w, *step, reported);
    w.line("[&] {{ return {}; }}{}{}", text, step == &last ? ");" : ",",
           source_comment(*step).trailing());
  }
  layers_.clear();
  w.outdent();
  if (streamed) w.line("if (!{}) return {}_CANCELLED;", more, upper_case(c_.name));
}

// Frees the blocks whose last reader was the step before.
void SourceSteps::finish_frees(CodeWriter& w) {
  std::vector<std::string> pieces;
  for (BufferId id : freed_) pieces.push_back(names_.of(id) + ".free();");
  freed_.clear();
  if (!pieces.empty()) w.wrapped(pieces, 0);
}

// Allocates memory for the outputs of the next step.
void SourceSteps::finish_takes(CodeWriter& w) {
  std::vector<std::string> pieces;
  std::vector<BufferId> declared;
  for (BufferId id : taken_)
    if (declared_here_[static_cast<std::size_t>(id)]) declared.push_back(id);
  for (BufferId id : taken_)
    pieces.push_back(
        fmt::format("!{}.resize({}) ||", names_.of(id), names_.number(product(p_.at(id).shape))));
  taken_.clear();
  if (pieces.empty()) return;
  w.raw_line("");
  for (BufferId id : declared)
    w.line("Block<{}> {}(heap);  // {}", names_.cpp_type(id), names_.of(id),
           shape_comment(to_string(p_.at(id).shape)));
  pieces.front() = "if (" + pieces.front();
  pieces.back().resize(pieces.back().size() - 3);
  pieces.back() += ")";
  w.wrapped(pieces, 4);
  w.line("  return {};", failure("Status::out_of_memory"));
}

void SourceSteps::finish(CodeWriter& w) {
  finish_group(w);
  finish_frees(w);
  finish_takes(w);
}

// Bounds that the user gave hold for sizes that steps compute, too.
void SourceSteps::set_size(CodeWriter& w, const std::string& name, const std::string& value) const {
  const std::string size = names_.size(name);
  w.line("{} = {};", size, value);
  const SizeSymbol* symbol = p_.symbol(name);
  if (!symbol || !symbol->range.high) return;
  const std::string below =
      symbol->range.low > 0 ? fmt::format("{} < {} || ", size, symbol->range.low) : "";
  w.line("if ({}{} > {}) return {};", below, size, *symbol->range.high,
         failure("Status::bad_shape"));
}

// A dimension that a kernel reports becomes the value of a symbol, or must equal the known one.
void SourceSteps::take_extents(CodeWriter& w, const Shape& extents,
                               const std::string& reported) const {
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto name = extents[i].as_symbol();
    const SizeSymbol* symbol = name ? p_.symbol(*name) : nullptr;
    if (symbol && symbol->input < 0 && !symbol->definition)
      set_size(w, *name, fmt::format("{}[{}]", reported, i));
    else
      w.line("if ({}[{}] != {}) return {};", reported, i, names_.number(extents[i]),
             failure("Status::bad_shape"));
  }
}

void SourceSteps::size_step(CodeWriter& w, const Step& step) const {
  if (step.kind == Step::Kind::check) {
    for (const Relation& r : step.relations)
      w.line("if ({}) return {};", broken(r, names_), failure("Status::bad_shape"));
  } else if (step.kind == Step::Kind::allocate) {
    allocate(w, step.buffer);
  } else if (step.sets.size() == 1) {
    set_size(w, step.sets[0].first, names_.number(step.sets[0].second));
  } else {
    std::string values;
    for (const auto& [name, value] : step.sets)
      values += (values.empty() ? "" : ", ") + names_.number(value);
    w.open("{");
    w.line("const Extent next[] = {{{}}};", values);
    for (std::size_t i = 0; i < step.sets.size(); ++i)
      set_size(w, step.sets[i].first, fmt::format("next[{}]", i));
    w.close();
  }
}

void SourceSteps::allocate(CodeWriter& w, BufferId id) const {
  for (std::size_t i = 0; i < p_.outputs.size(); ++i)
    if (p_.outputs[i] == id && c_.outputs[i].is_dynamic()) open_output(w, c_.outputs[i]);
}

bool SourceSteps::is_optional(const Port& port) const {
  for (std::size_t i = 0; i < p_.outputs.size(); ++i)
    if (c_.outputs[i].identifier.text() == port.identifier.text())
      return p_.at(p_.outputs[i]).absent != Buffer::Absent::error;
  return false;
}

void SourceSteps::open_output(CodeWriter& w, const Port& port) const {
  // The dimensions of an output that is left out are of no use.
  const std::string given =
      is_optional(port) ? fmt::format("out->{} != nullptr && ", port.identifier) : "";
  const std::string opened =
      fmt::format("open_output(out->{0}, out->{0}_capacity, out->{0}_dims, {{{1}}})",
                  port.identifier, names_.numbers(port.shape));
  if (!has_open_sizes(c_)) {
    w.line("if ({}!{})", given, opened);
    w.line("  return report(Status::too_small);");
    return;
  }
  w.open(fmt::format("if ({}!{}) {{", given, opened));
  w.line("note_size(in->bad_size_, {}, -1, static_cast<Extent>(out->{}_capacity), {});",
         string_literal(port.name), port.identifier, names_.number(product(port.shape)));
  w.raw_line("return report(Status::too_small);");
  w.close();
}

}  // namespace onnxc
