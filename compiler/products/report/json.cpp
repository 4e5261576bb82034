// The report as JSON.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/emit/self_test.hpp"
#include "compiler/emit/step_info.hpp"
#include "compiler/emit/tensor_list.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/ir/kernel_declaration.hpp"
#include "compiler/ir/nesting.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/products/report/report.hpp"
#include "compiler/products/report/sections.hpp"
#include "compiler/schedule/instructions.hpp"

namespace onnxc {
namespace {

void ports(JsonWriter& j, const char* key, const std::vector<Port>& list) {
  j.key(key).begin_array();
  for (const Port& p : list) {
    j.begin_object().field("name", p.name).field("identifier", p.identifier.text());
    j.field("type", p.is_object() ? p.type.to_string() : std::string(info(p.elem).onnx_name));
    if (!p.is_object()) {
      j.key("shape").begin_array();
      for (const Dim& d : p.shape) write_size(j, d);
      j.end_array();
    }
    if (p.rows)
      j.key("rows")
          .begin_object()
          .field("count", p.rows->count)
          .field("elements", p.rows->elements())
          .end_object();
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

// The step that needs most memory besides those of the peak: what is there to win at the peak.
std::optional<std::size_t> next_peak(const Program& p, const std::vector<std::int64_t>& bytes,
                                     std::size_t peak) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Step& s = p.steps[i];
    const bool at_peak = i == peak || (s.group >= 0 && s.group == p.steps[peak].group);
    if (s.kind != Step::Kind::call || at_peak) continue;
    if (!best || bytes[i] > bytes[*best]) best = i;
  }
  return best;
}

void memory(JsonWriter& j, const Program& p, const std::vector<std::int64_t>& bytes) {
  j.key("memory").begin_object();
  j.field("arena_bytes", p.arena_bytes).field("lower_bound_bytes", p.lower_bound);
  j.field("ratio", ratio(p));
  j.field("alignment", p.alignment);
  if (!bytes.empty()) {
    const auto peak = std::max_element(bytes.begin(), bytes.end());
    const auto at = static_cast<std::size_t>(peak - bytes.begin());
    j.field("peak_step", at).field("peak_bytes", *peak);
    if (const auto next = next_peak(p, bytes, at))
      j.field("next_peak_step", *next).field("next_peak_bytes", bytes[*next]);
  }
  if (!p.regions.empty()) regions(j, p);
  if (const auto heap = heap_bytes(p)) write_amount(j, "heap_bytes", *heap, bytes_text);
  j.end_object();
}

const char* kind_of(const Buffer& b) {
  switch (b.kind) {
    case Buffer::Kind::input:
      return "input";
    case Buffer::Kind::output:
      return "output";
    case Buffer::Kind::constant:
      return "constant";
    case Buffer::Kind::arena:
      return b.value ? "arena" : "scratch";
    case Buffer::Kind::heap:
      return "heap";
    case Buffer::Kind::object:
      return "object";
    case Buffer::Kind::state:
      return "state";
  }
  return "";
}

void size_of(JsonWriter& j, const Program& p, BufferId id, const SizeValues& typical) {
  const Dim bytes = p.bytes(id);
  write_amount(j, "bytes", bytes, bytes_text);
  if (const auto most = p.capacity(id); most && !bytes.is_const()) j.field("most_bytes", *most);
  if (const auto now = at_sizes(bytes, typical); now && !bytes.is_const())
    j.field("typical_bytes", *now);
}

// Steps refer to tensors by their place in this list.
void tensors(JsonWriter& j, const Program& p, const TensorList& list) {
  const SizeValues typical = typical_sizes(p);
  j.key("tensors").begin_array();
  for (const TensorList::Entry& e : list.entries) {
    const Buffer& b = p.at(e.id);
    j.begin_object().field("name", b.name).field("kind", kind_of(b));
    if (b.kind == Buffer::Kind::object) {
      j.field("type", b.type.to_string());
    } else {
      j.field("type", info(b.elem).onnx_name).key("shape").begin_array();
      for (const Dim& d : b.shape) write_size(j, d);
      j.end_array();
      size_of(j, p, e.id, typical);
    }
    if (!p.regions.empty() && b.offset >= 0)
      j.field("region", p.regions[static_cast<std::size_t>(b.region)].name);
    if (b.offset >= 0 && b.kind != Buffer::Kind::state) j.field("offset", b.offset);
    j.field("first_step", e.life.first).field("last_step", e.life.last).end_object();
  }
  j.end_array();
}

const char* kind_of(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::call:
      return "call";
    case Step::Kind::open_if:
      return "if";
    case Step::Kind::open_else:
      return "else";
    case Step::Kind::open_loop:
      return "loop";
    case Step::Kind::close:
      return "end";
    case Step::Kind::set:
      return "set";
    case Step::Kind::check:
      return "check";
    case Step::Kind::allocate:
      return "allocate";
    case Step::Kind::release:
      return "release";
  }
  return "";
}

void numbers(JsonWriter& j, const char* key, const std::set<std::size_t>& list) {
  j.key(key).begin_array();
  for (std::size_t n : list) j.value(n);
  j.end_array();
}

// The fields `macs`, and where they are open `macs_about` and, with a bound, `most_macs`.
void work(JsonWriter& j, const Dim& macs, const std::optional<std::int64_t>& at_most) {
  write_amount(j, "macs", macs, macs_text);
  if (!macs.is_const() && at_most) j.field("most_macs", *at_most);
}

void call(JsonWriter& j, const Step& s, const StepInfo& about) {
  j.field("name", s.name).field("kernel", s.kernel).field("family", kernel_family(s.kernel));
  j.field("work", s.title);
  j.field("shape", readable_sizes(s.shape_note));
  work(j, s.macs, about.max_macs);
  if (about.on_int8) j.field("int8", true);
  j.field("weight_bytes", about.weight_bytes);
  write_amount(j, "moved_bytes", about.bytes, bytes_text);
  j.key("nodes").begin_array();
  for (const std::string& source : s.sources) j.value(source);
  j.end_array();
}

void loop(JsonWriter& j, const Step& s) {
  if (s.max_trips) write_size(j.key("most_rounds"), *s.max_trips);
  if (s.may_end_early) j.field("may_end_early", true);
}

// What a step with open sizes does at some of them.
void write_at_sizes(JsonWriter& j, const std::string& prefix, const StepInfo& about,
                    const SizeValues& sizes) {
  for (const auto& [key, amount] :
       {std::pair("macs", &about.macs), std::pair("moved_bytes", &about.bytes)})
    if (const auto now = at_sizes(*amount, sizes); now && !amount->is_const())
      j.field(prefix + key, *now);
}

void cycles(JsonWriter& j, const CycleEstimate& estimate) {
  j.field("cycles", static_cast<std::int64_t>(estimate.cycles));
  j.field("constant_loads", static_cast<std::int64_t>(estimate.constant_loads));
}

void steps(JsonWriter& j, const EmitContext& c, const TensorList& list,
           const std::vector<std::int64_t>& arena) {
  const Program& p = c.program;
  const std::vector<StepInfo> about = describe_steps(p);
  const std::vector<Dim> times = executions(p);
  const SizeValues typical = typical_sizes(p);
  std::map<std::size_t, const StepTime*> time_of;
  if (c.profile)
    for (const StepTime& t : c.profile->steps) time_of[t.step] = &t;
  const auto estimate = InstructionEstimate::of(c.target);
  j.key("steps").begin_array();
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const Step& s = p.steps[i];
    j.begin_object().field("kind", kind_of(s.kind));
    if (s.kind == Step::Kind::call) call(j, s, about[i]);
    if (estimate && estimate->knows(s)) {
      j.field("instructions", static_cast<std::int64_t>(estimate->step(s)));
      cycles(j, estimate->cycles(s));
    }
    if (s.kind == Step::Kind::open_loop) loop(j, s);
    if (!times[i].is(1)) write_size(j.key("times"), times[i]);
    if (s.group >= 0) j.field("group", s.group).field("rows", s.rows);
    const TensorList::Uses uses = list.uses(s);
    numbers(j, "reads", uses.reads);
    numbers(j, "writes", uses.writes);
    if (p.arena_bytes > 0) j.field("arena_bytes", arena[i]);
    write_at_sizes(j, "typical_", about[i], typical);
    if (const auto t = time_of.find(i); t != time_of.end()) {
      j.field("ms", t->second->seconds * 1e3).field("calls", t->second->calls);
      write_at_sizes(j, "run_", about[i], c.profile->sizes);
    }
    j.end_object();
  }
  j.end_array();
}

void machine(JsonWriter& j, const Profile& profile) {
  j.key("machine").begin_object().field("gmacs", profile.peak_gmacs);
  if (profile.peak_int8_gmacs > 0) j.field("int8_gmacs", profile.peak_int8_gmacs);
  j.field("gbytes", profile.peak_gbytes).end_object();
}

void program(JsonWriter& j, const EmitContext& c) {
  const Program& p = c.program;
  const TensorList list(p);
  const std::vector<std::int64_t> arena = occupied(p);
  memory(j, p, arena);
  work(j, c.macs, p.at_most(c.macs));
  if (const auto estimate = InstructionEstimate::of(c.target))
    if (const auto instructions = estimate->program(p)) {
      j.field("instructions", static_cast<std::int64_t>(*instructions));
      cycles(j, *estimate->program_cycles(p));
    }
  write_examples(j, c);
  tensors(j, p, list);
  if (c.profile && c.profile->peak_gmacs > 0) machine(j, *c.profile);
  steps(j, c, list, arena);
}

// Figures without a compiler are estimates.
void costs(JsonWriter& j, const EmitContext& c) {
  j.key("costs").begin_object().field("measured", c.costs->measured());
  j.field("code_bytes_at_most", c.costs->code_bytes_at_most);
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
    program(j, c);
    j.end_object();
  }
  j.end_array().end_object();
}

}  // namespace

void write_size(JsonWriter& j, const Dim& d) {
  if (d.is_const())
    j.value(d.value());
  else
    j.value(std::string_view(exact_text(d)));
}

void write_amount(JsonWriter& j, const std::string& key, const Dim& amount,
                  std::string (*text)(const Dim&)) {
  write_size(j.key(key), amount);
  if (!amount.is_const()) j.field(key + "_about", std::string_view(text(amount)));
}

std::string json_report(const EmitContext& c) {
  JsonWriter j;
  j.begin_object().field("schema", 2).field("onnxc", ONNXC_VERSION);
  j.field("model_sha256", c.model.sha256)
      .field("title", title_of(c))
      .field("name", c.name.text())
      .field("target", c.target.name);
  ports(j, "inputs", c.inputs);
  ports(j, "outputs", c.outputs);
  j.field("weight_bytes", c.weights.data_bytes);
  write_weights(j, c);
  if (c.costs) costs(j, c);
  if (c.self_test) j.field("selftest_bytes", c.self_test->bytes());
  program(j, c);
  if (c.training) training(j, *c.training);
  j.end_object();
  return j.take();
}

}  // namespace onnxc
