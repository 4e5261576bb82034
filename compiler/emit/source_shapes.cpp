// Prints the shape structs of kernel calls.
#include "compiler/emit/source_steps.hpp"

#include <algorithm>

namespace onnxc {

// The parts of a struct of constants and members, in groups of one type.
struct SourceShapes::Members {
  std::string extents, flags, numbers;  // constants: "m = 1, n = 10"
  std::string variables;                // "Index batch; Index dims[2];"
  std::string values;                   // of the variables

  static void add(std::string& list, const std::string& text) {
    list += (list.empty() ? "" : ", ") + text;
  }
  std::string text() const {
    std::string s;
    const auto constants = [&](const char* type, const std::string& list) {
      if (!list.empty()) s += fmt::format("  static constexpr {} {};\n", type, list);
    };
    constants("Index", extents);
    constants("bool", flags);
    constants("float", numbers);
    return s + (variables.empty() ? "" : "  " + variables + "\n");
  }
};

void SourceShapes::add_member(const Param& param, const SourceNames& names, Members& m) const {
  const auto variable = [&](const std::string& declarator, const std::string& value) {
    m.variables += fmt::format("{}Index {};", m.variables.empty() ? "" : " ", declarator);
    Members::add(m.values, value);
  };
  if (const auto* d = std::get_if<Dim>(&param.value)) {
    if (is_fixed(*d))
      Members::add(m.extents, fmt::format("{} = {}", param.name, names.number(*d)));
    else
      variable(param.name, names.number(*d));
  } else if (const auto* list = std::get_if<std::vector<Dim>>(&param.value)) {
    const std::string array = fmt::format("{}[{}]", param.name, list->size());
    const std::string values = "{" + names.numbers(*list) + "}";
    if (std::all_of(list->begin(), list->end(), [this](const Dim& one) { return is_fixed(one); }))
      Members::add(m.extents, array + " = " + values);
    else
      variable(array, values);
  } else if (const auto* b = std::get_if<bool>(&param.value)) {
    Members::add(m.flags, fmt::format("{} = {}", param.name, *b ? "true" : "false"));
  } else {
    const float number = std::get<float>(param.value);
    Members::add(m.numbers, fmt::format("{} = {}", param.name, float_literal(number)));
  }
}

std::string SourceShapes::object(const Step& step, SourceNames& names) {
  Members members;
  for (const Param& param : step.params) add_member(param, names, members);
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
