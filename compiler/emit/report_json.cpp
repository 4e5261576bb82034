// The report as JSON.
#include "compiler/emit/report.hpp"
#include "compiler/emit/step_info.hpp"
#include "compiler/support/json.hpp"

namespace onnxc {
namespace {

void ports(JsonWriter& j, const char* key, const std::vector<Port>& list) {
  j.key(key).begin_array();
  for (const Port& p : list) {
    j.begin_object().field("name", p.name).field("identifier", p.identifier.text());
    j.field("type", p.is_object() ? p.type.to_string() : std::string(info(p.elem).onnx_name))
        .key("shape")
        .begin_array();
    for (std::int64_t d : p.dims) j.value(d);
    j.end_array().field("elements", p.elements).end_object();
  }
  j.end_array();
}

void memory(JsonWriter& j, const Program& p) {
  j.key("memory").begin_object();
  j.field("arena_bytes", p.arena_bytes).field("lower_bound_bytes", p.lower_bound);
  j.field("ratio", p.lower_bound > 0
                       ? static_cast<double>(p.arena_bytes) / static_cast<double>(p.lower_bound)
                       : 1.0);
  j.field("alignment", p.alignment).key("buffers").begin_array();
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer& b = p.buffers[i];
    if (b.kind != Buffer::Kind::arena || b.view_of >= 0 || b.offset < 0) continue;
    j.begin_object().field("name", b.name).field("offset", b.offset);
    j.field("bytes", *p.capacity(static_cast<BufferId>(i))).end_object();
  }
  j.end_array().end_object();
}

}  // namespace

std::string json_report(const EmitContext& c) {
  JsonWriter j;
  j.begin_object().field("schema", 1).field("onnxc", ONNXC_VERSION);
  j.field("model_sha256", c.model.sha256)
      .field("name", c.name.text())
      .field("target", c.target.name);
  ports(j, "inputs", c.inputs);
  ports(j, "outputs", c.outputs);
  memory(j, c.program);
  j.field("weight_bytes", c.weights.data_bytes);
  write_dim(j.key("macs"), c.macs);
  j.key("steps").begin_array();
  for (const Step& s : c.program.steps) {
    j.begin_object().field("name", s.name).field("kernel", s.kernel).field("work", s.title);
    j.field("shape", s.shape_note);
    write_dim(j.key("macs"), s.macs);
    j.key("nodes").begin_array();
    for (const std::string& source : s.sources) j.value(source);
    j.end_array().end_object();
  }
  j.end_array().end_object();
  return j.take();
}

}  // namespace onnxc
