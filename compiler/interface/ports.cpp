// Names of the interface: of ports, and those that a model's prefix takes.
#include <algorithm>

#include "compiler/interface/interface.hpp"
#include "compiler/interface/names.hpp"

namespace onnxc {

std::vector<Port> make_ports(const std::vector<Value*>& values,
                             const std::set<std::string>& reserved) {
  std::vector<Port> ports;
  NameScope names;
  for (const std::string& name : reserved) names.reserve(name);
  for (const std::string& member : resource_members()) names.reserve(member);
  names.reserve("unused_");
  for (const Value* value : values) {
    Port p;
    p.name = value->name;
    p.identifier = names.unique(identifier_from(p.name));
    p.elem = value->type.elem;
    p.type = value->type;
    if (p.is_object()) {
      for (const char* suffix : {"_memory", "_capacity", "_size"})
        names.reserve(p.identifier + suffix);
      ports.push_back(std::move(p));
      continue;
    }
    p.shape = *value->type.shape;
    for (const Dim& d : p.shape) p.dims.push_back(d.is_const() ? d.value() : -1);
    p.elements = product(p.shape).constant().value_or(-1);
    for (const char* suffix : {"_text", "_text_capacity", "_text_size"})
      if (p.elem == ElemType::string) names.reserve(p.identifier + suffix);
    for (const char* suffix : {"_dims", "_capacity"})
      if (p.is_dynamic()) names.reserve(p.identifier + suffix);
    ports.push_back(std::move(p));
  }
  return ports;
}

std::set<std::string> interface_names(const Identifier& prefix) {
  std::set<std::string> names;
  for (const char* lower :
       {"run", "info", "model_info", "port_info", "status_text", "status", "inputs", "outputs",
        "bool", "weights_data", "string", "value", "pool_start", "pool_stop", "run_steps",
        "selftest", "difference", "meet", "rows"})
    names.insert(prefix + "_" + lower);
  for (const std::string& member : resource_members())
    names.insert(prefix + "_" + member.substr(0, member.size() - 1));
  std::vector<std::string> macros = status_names();
  macros.insert(macros.end(), {"API_VERSION", "ARENA_BYTES", "ARENA_ALIGN", "WEIGHTS_BYTES",
                               "WEIGHTS_ALIGN", "WEIGHTS_SECTION", "THREADS", "POOL_BYTES", "STEPS",
                               "SELFTEST_BYTES", "CODE_BYTES", "STACK_BYTES", "DEVICE", "DEVICES"});
  for (const std::string& macro : macros) names.insert(upper_case(prefix) + "_" + macro);
  return names;
}

bool is_interface_word(const Identifier& prefix, const std::string& memory) {
  std::set<std::string> members = {"arena", "in", "out", "unused"};
  for (const std::string& member : resource_members())
    members.insert(member.substr(0, member.size() - 1));
  const Identifier macro = upper_case(prefix).with(upper_case(identifier_from(memory)));
  return members.count(memory) != 0 || interface_names(prefix).count(macro + "_BYTES") != 0;
}

Identifier interface_prefix(std::string_view wanted) {
  const Identifier prefix = identifier_from(wanted);
  const auto names = interface_names(prefix);
  const bool taken =
      is_reserved(prefix.text()) || std::any_of(names.begin(), names.end(), is_defined);
  return taken ? prefix.with("_model") : prefix;
}

std::string c_type(ElemType elem, const Identifier& prefix) {
  switch (elem) {
    case ElemType::float32:
    case ElemType::complex64:
      return "float";
    case ElemType::float64:
    case ElemType::complex128:
      return "double";
    case ElemType::boolean:
      return prefix + "_bool";
    case ElemType::string:
      return prefix + "_string";
    case ElemType::int4:
    case ElemType::int2:
    case ElemType::int8:
      return "int8_t";
    case ElemType::int16:
      return "int16_t";
    case ElemType::int32:
      return "int32_t";
    case ElemType::int64:
      return "int64_t";
    case ElemType::uint16:
    case ElemType::float16:
    case ElemType::bfloat16:
      return "uint16_t";
    case ElemType::uint32:
      return "uint32_t";
    case ElemType::uint64:
      return "uint64_t";
    default:
      return "uint8_t";
  }
}

}  // namespace onnxc
