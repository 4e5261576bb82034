// The report as JSON.
#include "compiler/emit/emit.hpp"
#include "compiler/emit/self_test.hpp"
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
    j.end_array().field("elements", p.elements);
    if (p.scale)
      j.field("scale", static_cast<double>(p.scale->scale))
          .field("zero_point", p.scale->zero_point);
    j.end_object();
  }
  j.end_array();
}

double ratio(const Program& p) {
  const auto arena = static_cast<double>(p.arena_bytes), bound = static_cast<double>(p.lower_bound);
  return bound > 0 ? arena / bound : 1.0;
}

void regions(JsonWriter& j, const Program& p) {
  j.key("regions").begin_array();
  for (const ArenaRegion& r : p.regions)
    j.begin_object()
        .field("name", r.name)
        .field("capacity_bytes", r.capacity)
        .field("cost", r.cost)
        .field("bytes", r.bytes)
        .field("traffic_bytes", r.traffic)
        .end_object();
  j.end_array();
}

void memory(JsonWriter& j, const Program& p) {
  j.key("memory").begin_object();
  j.field("arena_bytes", p.arena_bytes).field("lower_bound_bytes", p.lower_bound);
  j.field("ratio", ratio(p));
  j.field("alignment", p.alignment);
  if (!p.regions.empty()) regions(j, p);
  j.key("buffers").begin_array();
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer& b = p.buffers[i];
    if (b.kind != Buffer::Kind::arena || b.view_of >= 0 || b.offset < 0) continue;
    j.begin_object().field("name", b.name);
    if (!p.regions.empty()) j.field("region", p.regions[static_cast<std::size_t>(b.region)].name);
    j.field("offset", b.offset);
    j.field("bytes", *p.capacity(static_cast<BufferId>(i))).end_object();
  }
  j.end_array().end_object();
}

void steps(JsonWriter& j, const Program& p) {
  j.key("steps").begin_array();
  for (const Step& s : p.steps) {
    j.begin_object().field("name", s.name).field("kernel", s.kernel).field("work", s.title);
    j.field("shape", s.shape_note);
    write_dim(j.key("macs"), s.macs);
    j.key("nodes").begin_array();
    for (const std::string& source : s.sources) j.value(source);
    j.end_array().end_object();
  }
  j.end_array();
}

// Figures without a compiler are estimates.
void costs(JsonWriter& j, const EmitContext& c) {
  j.key("costs").begin_object().field("measured", c.costs->measured());
  if (c.costs->measured()) j.field("compiler", c.costs->compiler);
  j.field("code_bytes", c.costs->code_bytes);
  if (c.costs->stack_bytes) j.field("stack_bytes", *c.costs->stack_bytes);
  j.field("heap", c.program.uses_heap() ? "unbounded" : "none").end_object();
}

void training(JsonWriter& j, const TrainingContext& t) {
  j.key("training").begin_object().field("state_bytes", t.state.bytes);
  j.field("arena_bytes", t.arena_bytes).key("variables").begin_array();
  for (const StateVariable& v : t.state.variables)
    j.begin_object()
        .field("name", v.name)
        .field("type", Type::tensor(v.initial.elem(), to_shape(v.initial.dims())).to_string())
        .field("offset", v.offset)
        .end_object();
  j.end_array().key("functions").begin_array();
  for (const EmitContext& c : t.functions) {
    j.begin_object().field("name", c.function.text());
    ports(j, "inputs", c.inputs);
    ports(j, "outputs", c.outputs);
    memory(j, c.program);
    write_dim(j.key("macs"), c.macs);
    steps(j, c.program);
    j.end_object();
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
  if (c.costs) costs(j, c);
  if (c.self_test) j.field("selftest_bytes", c.self_test->bytes());
  write_dim(j.key("macs"), c.macs);
  steps(j, c.program);
  if (c.training) training(j, *c.training);
  j.end_object();
  return j.take();
}

}  // namespace onnxc
