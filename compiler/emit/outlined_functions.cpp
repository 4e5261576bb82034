// Prints functions with buffers and sizes as parameters, and calls of them.
#include "compiler/emit/outlined_functions.hpp"

#include "compiler/interface/names.hpp"

namespace onnxc {

void OutlinedFunctions::write_steps(CodeWriter& w, std::size_t begin, std::size_t end) {
  std::vector<FunctionCall> inside;
  for (const FunctionCall& call : p_.calls)
    if (begin <= call.begin && call.end <= end) inside.push_back(call);
  write_range(w, begin, end, inside);
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

void OutlinedFunctions::write_range(CodeWriter& w, std::size_t begin, std::size_t end,
                                    const std::vector<FunctionCall>& calls) {
  auto call = calls.begin();
  for (std::size_t i = begin; i < end;) {
    if (call == calls.end() || call->begin != i) {
      steps_.write(w, p_.steps[i++]);
      continue;
    }
    steps_.finish(w);
    if (identifiers_[call->function].empty()) define(call->function);
    write_call(w, *call);
    i = call->end;
    ++call;
  }
  steps_.finish(w);
}

// A buffer's name without the prefix of the call.
std::string OutlinedFunctions::inner_name(const OutlinedFunction& function, BufferId id) const {
  const std::string &name = p_.at(id).name, &prefix = function.prefix;
  for (std::size_t at = 0; at < prefix.size(); at = prefix.find('/', at) + 1)
    if (name.starts_with(prefix.substr(at))) return name.substr(prefix.size() - at);
  return name;
}

std::vector<std::string> OutlinedFunctions::declare_parameters(
    const OutlinedFunction& function, SourceNames::Parameters& parameters) const {
  NameScope scope;
  for (const std::string& name : c_.reserved) scope.reserve(name);
  for (const WeightPlan::Entry& e : c_.weights.entries) scope.reserve(e.identifier.text());
  for (const std::string& size : function.sizes) scope.reserve(names_.size(size));
  std::vector<std::string> declared;
  for (const OutlinedFunction::Parameter& p : function.parameters) {
    const Identifier name = scope.unique(identifier_from(inner_name(function, p.buffer)));
    parameters.emplace(p.buffer, SourceNames::Parameter{name, p.as_block});
    const std::string type = names_.cpp_type(p.buffer);
    declared.push_back(p.as_block ? fmt::format("Block<{}>& {}", type, name)
                                  : fmt::format("{}{}* {}", p.written ? "" : "const ", type, name));
  }
  for (const std::string& size : function.sizes)
    declared.push_back("const Extent " + names_.size(size));
  if (function.divided) declared.push_back("const RunThreads& threads");
  return declared;
}

void OutlinedFunctions::define(std::size_t index) {
  const OutlinedFunction& function = p_.functions[index];
  SourceNames::Parameters parameters;
  std::vector<std::string> declared = declare_parameters(function, parameters);
  identifiers_[index] = names_.new_global(identifier_from(function.name));
  const std::string head =
      fmt::format("{} {}(", function.fallible ? "Status" : "void", identifiers_[index]);
  declared.front() = head + declared.front();
  for (std::size_t i = 0; i + 1 < declared.size(); ++i) declared[i] += ",";
  declared.back() += ") {";
  CodeWriter w;
  w.wrapped(declared, head.size());
  const auto* const outer_names = names_.bind(&parameters);
  write_body(w, function);
  names_.bind(outer_names);
  definitions_.push_back(w.take());
}

void OutlinedFunctions::write_body(CodeWriter& w, const OutlinedFunction& function) {
  w.indent();
  const auto outer_place = steps_.enter({false, function.prefix});
  write_range(w, function.begin, function.end, function.calls);
  steps_.enter(outer_place);
  if (function.fallible) w.raw_line("return Status::ok;");
  w.close();
}

void OutlinedFunctions::write_call(CodeWriter& w, const FunctionCall& call) const {
  const OutlinedFunction& function = p_.functions[call.function];
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    pieces.push_back(function.parameters[i].as_block ? names_.of(call.arguments[i])
                                                     : names_.pointer(call.arguments[i]));
  for (const std::string& size : function.sizes) pieces.push_back(names_.size(size));
  if (function.divided) pieces.push_back("threads");
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) pieces[i] += ",";
  const std::string head = fmt::format("{}{}(", function.fallible ? "if (const Status s = " : "",
                                       identifiers_[call.function]);
  pieces.front() = head + pieces.front();
  pieces.back() += function.fallible ? ");" : ");  // ";
  const CommentText source = comment_text(steps_.inner_name(call.source));
  if (!function.fallible) {
    pieces.back() += source.text();
    return w.wrapped(pieces, 4);
  }
  w.wrapped(pieces, 4);
  w.line("    s != Status::ok)");
  w.line("  return {};  // {}", steps_.failure("s"), source);
}

}  // namespace onnxc
