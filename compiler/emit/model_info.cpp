// Prints the statuses of a model, and the functions that describe them and the model.
#include "compiler/emit/model_info.hpp"

#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

// "static const int64_t in_0[] = {1, 4};" for each port that has dimensions, then the ports.
void port_table(CodeWriter& w, const EmitContext& c, const std::vector<Port>& ports,
                const char* name) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].dims.empty()) continue;
    std::string dims;
    for (const std::int64_t d : ports[i].dims)
      dims += fmt::format("{}{}", dims.empty() ? "" : ", ", d);
    w.line("static constexpr int64_t {}_{}[] = {{{}}};", name, i, dims);
  }
  if (ports.empty()) return;
  w.open(fmt::format("static constexpr {}_port_info {}[] = {{", c.name, name));
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Port& p = ports[i];
    w.line("{{{}, {}, {}, {}}},", string_literal(p.name),
           string_literal(shape_comment(p.type.to_string()).text()),
           p.dims.empty() ? "nullptr" : fmt::format("{}_{}", name, i),
           p.is_object() ? -1 : static_cast<int>(p.dims.size()));
  }
  w.close("};");
}

}  // namespace

void status_type(CodeWriter& w, const EmitContext& c) {
  const Identifier prefix = upper_case(c.name);
  const std::vector<StatusValue> list = statuses(facts_of(c));
  w.open("typedef enum {");
  for (const StatusValue& s : list) {
    const char* const comma = &s == &list.back() ? "" : ",";
    if (s.value == 0)
      w.line("{}_OK = 0,", prefix);
    else
      w.line("{}_{:<18} /* {} */", prefix, fmt::format("{} = {}{}", s.name, s.value, comma),
             s.meaning);
  }
  w.close(fmt::format("}} {}_status;", c.name));
  w.raw_line("");
}

void info_interface(CodeWriter& w, const EmitContext& c) {
  w.raw_line(
      "/* An input or output, for programs that do not know the model: ONNX's name; element type "
      "and");
  w.raw_line(
      "   shape as text; -1 for an open dimension, and for the rank of what is no tensor. */");
  w.open("typedef struct {");
  w.raw_line("const char* name;");
  w.raw_line("const char* type;");
  w.raw_line("const int64_t* dims;");
  w.raw_line("int32_t rank;");
  w.close(fmt::format("}} {}_port_info;", c.name));
  w.raw_line("");
  w.open("typedef struct {");
  w.raw_line("const char* name;");
  w.raw_line("const char* model_sha256;");
  w.raw_line("const char* onnxc_version;");
  w.line("const {}_port_info* inputs;", c.name);
  w.line("const {}_port_info* outputs;", c.name);
  w.raw_line("uint32_t input_count, output_count;");
  w.raw_line("size_t arena_bytes, arena_align, weights_bytes;");
  w.raw_line("uint32_t api_version;");
  w.close(fmt::format("}} {}_model_info;", c.name));
  w.raw_line("");
  w.raw_line("/* Constants; a linker that drops unused sections drops what is not referenced. */");
  w.line("ONNXC_API const {0}_model_info* {0}_info(void);", c.name);
  w.line("ONNXC_API const char* {0}_status_text({0}_status status);", c.name);
  w.raw_line("");
}

void info_functions(CodeWriter& w, const EmitContext& c) {
  const Identifier prefix = upper_case(c.name);
  w.raw_line("");
  w.open(fmt::format("extern \"C\" const {0}_model_info* {0}_info(void) {{", c.name));
  port_table(w, c, c.inputs, "in");
  port_table(w, c, c.outputs, "out");
  w.open(fmt::format("static constexpr {}_model_info info = {{", c.name));
  w.line("{},", string_literal(c.name.text()));
  w.line("{},", string_literal(c.model.sha256));
  w.line("{},", string_literal(ONNXC_VERSION));
  w.line("{}, {}, {}, {},", c.inputs.empty() ? "nullptr" : "in",
         c.outputs.empty() ? "nullptr" : "out", c.inputs.size(), c.outputs.size());
  w.line("{}, {}, {},", c.program.arena_bytes, c.program.alignment, c.weights.data_bytes);
  w.line("{0}_API_VERSION", prefix);
  w.close("};");
  w.raw_line("return &info;");
  w.close();
  w.raw_line("");
  w.open(fmt::format("extern \"C\" const char* {0}_status_text({0}_status status) {{", c.name));
  w.raw_line("switch (status) {");
  for (const StatusValue& s : statuses(facts_of(c)))
    w.line("  case {}_{}: return {};", prefix, s.name, string_literal(s.meaning));
  w.raw_line("}");
  w.raw_line("return \"unknown status\";");
  w.close();
}

}  // namespace onnxc
