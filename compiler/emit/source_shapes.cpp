// Prints the shape structs of kernel calls.
#include "compiler/emit/source_steps.hpp"

#include <algorithm>

namespace onnxc {

// The parts of a struct of constants and members, in groups of one type.
struct SourceShapes::Members {
  std::string extents, integers, flags, numbers, texts;  // constants: "m = 1, n = 10"
  std::string variables;                                 // "Index batch; Index dims[2];"
  std::string values;                                    // of the variables

  static void add(std::string& list, const std::string& text) {
    list += (list.empty() ? "" : ", ") + text;
  }
  std::string text() const {
    std::string s;
    const auto constants = [&](const char* type, const std::string& list) {
      if (!list.empty()) s += fmt::format("  static constexpr {} {};\n", type, list);
    };
    constants("Index", extents);
    constants("std::int64_t", integers);
    constants("bool", flags);
    constants("float", numbers);
    constants("char", texts);
    return s + (variables.empty() ? "" : "  " + variables + "\n");
  }
};

namespace {

// Values that an Index may be too narrow for.
std::string integers(const std::vector<Dim>& list, const SourceNames& names) {
  std::string values;
  for (const Dim& d : list)
    values += (values.empty() ? "" : ", ") +
              (d.is_const() ? names.number(d) : fmt::format("Extent({}).value()", names.number(d)));
  return values;
}

}  // namespace

void SourceShapes::add_member(const Param& param, const SourceNames& names, bool fixed,
                              Members& m) {
  const auto member = [&](const std::string& declarator, const std::string& value) {
    if (fixed)
      return Members::add(param.integers ? m.integers : m.extents,
                          fmt::format("{} = {}", declarator, value));
    m.variables += fmt::format("{}{} {};", m.variables.empty() ? "" : " ",
                               param.integers ? "std::int64_t" : "Index", declarator);
    Members::add(m.values, value);
  };
  if (const auto* d = std::get_if<Dim>(&param.value)) {
    member(param.name, names.number(*d));
  } else if (const auto* list = std::get_if<std::vector<Dim>>(&param.value)) {
    member(fmt::format("{}[{}]", param.name, list->size()),
           "{" + (param.integers ? integers(*list, names) : names.numbers(*list)) + "}");
  } else if (const auto* b = std::get_if<bool>(&param.value)) {
    Members::add(m.flags, fmt::format("{} = {}", param.name, *b ? "true" : "false"));
  } else if (const auto* text = std::get_if<std::string>(&param.value)) {
    Members::add(m.texts, fmt::format("{}[] = {}", param.name, string_literal(*text).text()));
  } else if (const auto* numbers = std::get_if<std::vector<float>>(&param.value)) {
    std::string values;
    for (const float number : *numbers) Members::add(values, float_literal(number));
    Members::add(m.numbers, fmt::format("{}[] = {{{}}}", param.name, values));
  } else {
    const float number = std::get<float>(param.value);
    Members::add(m.numbers, fmt::format("{} = {}", param.name, float_literal(number)));
  }
}

namespace {

std::vector<Dim> dims_of(const Param& param) {
  if (const auto* d = std::get_if<Dim>(&param.value)) return {*d};
  if (const auto* list = std::get_if<std::vector<Dim>>(&param.value)) return *list;
  return {};
}

std::vector<Dim> dims_of(const Step& step) {
  std::vector<Dim> dims;
  for (const Param& param : step.params) {
    const std::vector<Dim> own = dims_of(param);
    dims.insert(dims.end(), own.begin(), own.end());
  }
  return dims;
}

// A function without its captures: the kernel has an instance for each.
std::string function_key(const Lambda& f) {
  std::string key;
  for (const Lambda::Capture& c : f.captures)
    key += static_cast<char>('0' + static_cast<int>(c.read));
  for (const LambdaCall& call : f.calls) {
    key += "|" + call.fn.name;
    for (const int operand : call.operands) key += fmt::format(" {}", operand);
    for (const ops::Literal& l : call.fn.literals)
      key += fmt::format(" {}:{}:{}", l.integer, l.real, static_cast<int>(l.type));
  }
  return key;
}

// What the steps of a group have in common.
std::string group_key(const Step& step) {
  std::string key = step.kernel;
  for (const std::string& argument : step.template_args) key += "," + argument;
  for (const Arg& arg : step.args)
    if (const auto* f = std::get_if<Lambda>(&arg.value)) key += ";" + function_key(*f);
  for (const Param& param : step.params) {
    key += ";";
    for (const Dim& d : dims_of(param)) {
      if (param.constant && d.is_const())
        key += std::to_string(d.value());
      else
        key += d.is(1) ? '1' : 'n';
    }
  }
  return key;
}

}  // namespace

void SourceShapes::gather(const std::vector<Step>& steps) {
  if (!small_) return;
  for (const Step& step : steps) {
    if (step.params.empty()) continue;
    const std::vector<Dim> dims = dims_of(step);
    const auto [it, fresh] = groups_.try_emplace(group_key(step));
    Group& group = it->second;
    if (fresh) group = {dims, Fixed(dims.size(), true)};
    for (std::size_t i = 0; i < dims.size(); ++i)
      group.same[i] = group.same[i] && dims[i] == group.first[i];
  }
}

SourceShapes::Fixed SourceShapes::fixed_of(const Step& step) const {
  const std::vector<Dim> dims = dims_of(step);
  const auto group = groups_.find(group_key(step));
  Fixed fixed(dims.size(), !small_);
  if (group != groups_.end()) fixed = group->second.same;
  for (std::size_t i = 0; i < dims.size(); ++i) fixed[i] = fixed[i] && dims[i].is_const();
  return fixed;
}

std::string SourceShapes::object(const Step& step, SourceNames& names) {
  Members members;
  const Fixed fixed = fixed_of(step);
  auto at = fixed.begin();
  for (const Param& param : step.params) {
    const auto end = at + static_cast<std::ptrdiff_t>(dims_of(param).size());
    add_member(param, names, std::all_of(at, end, [](bool one) { return one; }), members);
    at = end;
  }
  const auto [it, fresh] = structs_.emplace(members.text(), "");
  if (fresh) {
    const std::string& stem = small_ ? step.kernel : step.name;
    it->second = names.new_global(pascal_case(identifier_from(stem)).with("Shape"));
    order_.push_back(&*it);
  }
  return it->second + "{" + members.values + "}";
}

// A struct on one line if it fits.
void SourceShapes::write_struct(CodeWriter& w, const std::string& name,
                                const std::string& body) const {
  const bool single = std::count(body.begin(), body.end(), '\n') == 1;
  const std::string line =
      fmt::format("struct {} {{ {} }};", name, single ? body.substr(2, body.size() - 3) : "");
  if (single && line.size() <= 100) return w.raw_line(line);
  w.raw_line("struct " + name + " {");
  std::size_t at = 0;
  for (std::size_t end; (end = body.find('\n', at)) != std::string::npos; at = end + 1)
    w.raw_line(body.substr(at, end - at));
  w.raw_line("};");
}

std::string SourceShapes::text() const {
  CodeWriter w;
  w.raw_line("// ---- shapes ----");
  w.raw_line("");
  for (const auto* entry : order_) write_struct(w, entry->second, entry->first);
  w.raw_line("");
  return w.take();
}

}  // namespace onnxc
