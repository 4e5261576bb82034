// Prints element-wise maps and epilogues as functions, equal ones once.
#include "compiler/emit/source_steps.hpp"

#include <algorithm>

#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

std::string literal(const ops::Literal& l) {
  switch (l.kind) {
    case ops::Literal::Kind::integer:
      return std::to_string(l.integer);
    case ops::Literal::Kind::real:
      return float_literal(l.real);
    case ops::Literal::Kind::boolean:
      return l.integer != 0 ? "true" : "false";
    case ops::Literal::Kind::type:
      return std::string(info(l.type).cpp_name);
  }
  return "";
}

// a + b is b + a, also with NaN and rounding: one order lets more calls share a function.
std::vector<int> ordered_operands(const LambdaCall& call) {
  std::vector<int> operands = call.operands;
  const std::string& name = call.fn.name;
  if (operands.size() == 2 && (name == "add" || name == "sum" || name == "mul"))
    std::sort(operands.begin(), operands.end());
  return operands;
}

// `/*scale=*/0.5f`: one number is clear without a name, several are not.
std::vector<std::string> numbers_of(const ops::ScalarFn& fn, std::size_t operands) {
  std::vector<std::string> numbers;
  for (const ops::Literal& l : fn.literals)
    if (l.kind != ops::Literal::Kind::type) numbers.push_back(literal(l));
  if (numbers.size() < 2) return numbers;
  const auto names = words_of(element_function(fn.name).parameters);
  if (names.size() != operands + numbers.size()) return numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = fmt::format("/*{}=*/{}", names[operands + i], numbers[i]);
  return numbers;
}

std::string expression(const Lambda& f, const std::vector<std::string>& params) {
  std::vector<std::string> results;
  for (const LambdaCall& call : f.calls) {
    std::string types, args;
    for (const ops::Literal& l : call.fn.literals)
      if (l.kind == ops::Literal::Kind::type) types += (types.empty() ? "" : ", ") + literal(l);
    const auto add = [&](const std::string& a) { args += (args.empty() ? "" : ", ") + a; };
    for (int o : ordered_operands(call))
      add(o >= 0 ? params[static_cast<std::size_t>(o)] : results[static_cast<std::size_t>(~o)]);
    for (const std::string& number : numbers_of(call.fn, call.operands.size())) add(number);
    results.push_back(
        fmt::format("fn::{}{}({})", call.fn.name, types.empty() ? "" : "<" + types + ">", args));
  }
  return results.empty() ? params[0] : results.back();
}

// The statements of a function. A result that is used twice gets a name; a short chain becomes one
// expression.
std::vector<std::string> body(const Lambda& f, const std::vector<std::string>& params) {
  std::vector<int> uses(f.calls.size(), 0);
  for (const LambdaCall& call : f.calls)
    for (int o : call.operands)
      if (o < 0) ++uses[static_cast<std::size_t>(~o)];
  const bool tree = std::all_of(uses.begin(), uses.end(), [](int n) { return n <= 1; });
  const std::string chain = "return " + expression(f, params) + ";";
  if (f.calls.size() <= 1 || (tree && f.calls.size() <= 6 && chain.size() <= 90)) return {chain};
  std::vector<std::string> statements, names;
  for (std::size_t i = 0; i < f.calls.size(); ++i) {
    Lambda one;
    one.calls = {f.calls[i]};
    std::vector<std::string> operands;
    for (int& o : one.calls[0].operands) {
      operands.push_back(o >= 0 ? params[static_cast<std::size_t>(o)]
                                : names[static_cast<std::size_t>(~o)]);
      o = static_cast<int>(operands.size()) - 1;
    }
    names.push_back(fmt::format("t{}", i + 1));
    const std::string value = expression(one, operands);
    statements.push_back(i + 1 == f.calls.size()
                             ? "return " + value + ";"
                             : fmt::format("const auto {} = {};", names.back(), value));
  }
  return statements;
}

// `head { statements }` on one line where it fits, else a line for each.
std::string braced(const std::string& head, const std::vector<std::string>& statements,
                   const std::string& indent = "") {
  if (statements.size() == 1 && head.size() + statements[0].size() + indent.size() < 86)
    return fmt::format("{}{} {{ {} }}", indent, head, statements[0]);
  std::string text = indent + head + " {\n";
  for (const std::string& s : statements) text += indent + "  " + s + "\n";
  return text + indent + "}";
}

// Up to three of the operators: conversions between integers and reals are left out first, then
// those before the last one.
Identifier function_stem(const Lambda& f, const char* prefix) {
  constexpr std::size_t kMaxNamed = 3;
  std::vector<std::string_view> names;
  for (const auto& call : f.calls) names.push_back(call.fn.name);
  const auto converts = [](std::string_view name) {
    return name == "fake_quantize" || name == "dequantize";
  };
  if (names.size() > kMaxNamed) std::erase_if(names, converts);
  if (names.size() > kMaxNamed) names.erase(names.begin() + kMaxNamed - 1, names.end() - 1);
  std::string stem = prefix;
  for (const std::string_view name : names) stem += fmt::format("_{}", name);
  return identifier_from(stem, stem.size());
}

std::string letter(int i) {
  return i < 8 ? std::string(1, static_cast<char>('a' + i)) : fmt::format("a{}", i);
}

}  // namespace

std::string SourceFunctions::named(const std::string& text, const Identifier& stem,
                                   SourceNames& names) {
  const auto [it, fresh] = functions_.emplace(text, "");
  if (fresh) {
    it->second = names.new_global(stem);
    order_.push_back(&*it);
  }
  return it->second;
}

std::string SourceFunctions::trees(const DecisionTrees& trees, SourceNames& names) {
  return named(emit_trees(trees), identifier_from("Trees"), names) + "{}";
}

std::string SourceFunctions::map(const Lambda& f, SourceNames& names) {
  std::string head;
  std::vector<std::string> params;
  for (int i = 0; i < f.parameters; ++i) {
    params.push_back(letter(i));
    head += (i ? ", auto " : "auto ") + params.back();
  }
  return named(braced("constexpr auto @ = [](" + head + ")", body(f, params)) + ";",
               // Unqualified names are those of the C library: exp, div, less.
               function_stem(f, "apply"), names);
}

std::string SourceFunctions::epilogue(const Lambda& f, const Pointer& pointer, SourceNames& names) {
  if (f.calls.empty())
    return named("constexpr auto @ = [](auto v, Index, Index) { return v; };",
                 identifier_from("keep"), names);
  std::vector<std::string> params = {"v"};
  std::string members, args;
  bool at = false, channel = false;
  // What takes no vectors takes the sums of products of bytes: integers, though floats scale them.
  const bool of_sums = !f.vectorises;
  const char* const loaded = of_sums ? "float" : "V";
  for (std::size_t i = 0; i < f.captures.size(); ++i) {
    const std::string name = letter(static_cast<int>(i));
    const std::string type = names.cpp_type(f.captures[i].buffer);
    const char* const load = names.in_flash(f.captures[i].buffer) ? "load_constant" : "load";
    members += fmt::format("  const {}* {};\n", type, name);
    args += (i ? ", " : "") + pointer(f.captures[i].buffer);
    switch (f.captures[i].read) {
      case Lambda::Read::element:
        params.push_back(fmt::format("{}<{}>({} + at)", load, loaded, name));
        at = true;
        break;
      case Lambda::Read::channel:
        params.push_back(fmt::format("{}<{}>({} + channel)", load, loaded, name));
        channel = true;
        break;
      case Lambda::Read::scalar:
        params.push_back(type == "float"
                             ? fmt::format("broadcast<{}>(*{})", loaded, name)
                             : fmt::format("broadcast<V>(static_cast<float>(*{}))", name));
        break;
    }
  }
  const std::string signature =
      fmt::format("V v, Index{}, Index{}", at ? " at" : "", channel ? " channel" : "");
  // What `quantize` returns for floats is no vector: it is stored without the way over one.
  const std::string call =
      fmt::format("{} operator()({}) const", of_sums ? "V" : "auto", signature);
  const char* const type = of_sums ? "using V = std::int32_t;" : "template <class V>";
  const std::string text = fmt::format("struct @ {{\n{}  {}\n{}\n}};", members, type,
                                       braced(call, body(f, params), "  "));
  return named(text, pascal_case(function_stem(f, "then")), names) + "{" + args + "}";
}

void SourceFunctions::write(CodeWriter& w) const {
  if (order_.empty()) return;
  w.raw_line("// ---- fused element-wise functions ----");
  w.raw_line("");
  for (const auto* entry : order_) {
    std::string text = entry->first;
    text.replace(text.find('@'), 1, entry->second);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      w.raw_line(std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
  }
  w.raw_line("");
}

}  // namespace onnxc
