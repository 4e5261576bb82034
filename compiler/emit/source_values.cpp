// Prints the conversion of sequences, optionals, maps and strings at the interface.
#include "compiler/emit/source_ports.hpp"

namespace onnxc {
namespace {

std::string value_type(const Type& type) {
  std::string layers;
  std::string keys;
  const Type* t = &type;
  for (; t->element; t = t->element.get()) {
    layers += t->kind == Type::Kind::optional ? "ValueType::optional, "
              : t->kind == Type::Kind::map    ? "ValueType::map, "
                                              : "ValueType::list, ";
    if (t->kind == Type::Kind::map)
      keys = fmt::format(", {}, {}", storage_bytes(t->elem), t->elem == ElemType::string);
  }
  return fmt::format("ValueType{{{{{}ValueType::tensor}}, {}, {}{}}}", layers,
                     storage_bytes(t->elem), t->elem == ElemType::string, keys);
}

// Only numbers bind the members of a sequence: the standard's own sequences of f32[N] hold members
// of different lengths.
void write_member_check(CodeWriter& w, const std::string& name, const Port& port) {
  if (port.type.kind != Type::Kind::sequence || !port.type.element->is_tensor()) return;
  const std::optional<Shape>& shape = port.type.element->shape;
  if (!shape || shape->empty()) return;
  std::string sizes;
  for (const Dim& d : *shape)
    sizes += (sizes.empty() ? "" : ", ") + (d.is_const() ? std::to_string(d.value()) : "kAnySize");
  w.open("{");
  w.line("const std::int64_t sizes[] = {{{}}};", sizes);
  w.line("if (!members_have_shape({}, {}, sizes)) return report(Status::bad_shape);", name,
         shape->size());
  w.close();
}

}  // namespace

void write_value_import(CodeWriter& w, const std::string& name, const Port& port) {
  w.line("Value {}(heap);", name);
  w.line("if (const Status s = import_value(in->{}, {}, 0, {}); s != Status::ok) return report(s);",
         port.identifier, value_type(port.type), name);
  write_member_check(w, name, port);
}

// Values without a fixed shape, and strings computed at run time, are passed to the caller at the
// end.
void write_value_exports(CodeWriter& w, const EmitContext& c, const SourceNames& names) {
  const Program& p = c.program;
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    const Port& port = c.outputs[i];
    if (port.is_object()) {
      w.open("{");
      w.line("ValueWriter writer(out->{0}_memory, out->{0}_capacity);", port.identifier);
      w.line("writer.write({}, {}, out->{});", names.of(p.outputs[i]), value_type(port.type),
             port.identifier);
      w.line(
          "if (out->{0}_size != nullptr) *out->{0}_size = "
          "static_cast<std::size_t>(writer.used());",
          port.identifier);
      w.line("if (!writer.fits()) return report(Status::too_small);");
      w.close();
    } else if (port.elem == ElemType::string && p.uses_heap()) {
      // Nothing is computed, nor declared, for an output that has no elements.
      const bool is_empty = product(port.shape).is(0);
      w.line(
          "if (const Status s = copy_strings({1}, {2}, out->{0}_text, out->{0}_text_capacity, "
          "out->{0}_text_size);",
          port.identifier, is_empty ? "nullptr" : names.of(p.outputs[i]),
          names.number(product(port.shape)));
      w.line("    s != Status::ok)");
      w.line("  return report(s);");
    }
  }
}

}  // namespace onnxc
