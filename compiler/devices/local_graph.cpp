// Builds the graph of one device, action by action.
#include "compiler/devices/local_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/ir/clone.hpp"
#include "compiler/support/hash.hpp"

namespace onnxc::devices {
namespace {

using ops::Axes;

class LocalGraph {
 public:
  LocalGraph(const Graph& whole, const Plan& plan, OwnDevice& own, Graph& local)
      : whole_(whole), plan_(plan), own_(own), device_(own.number), local_(local), editor_(local) {}

  void run() {
    local_.name = whole_.name;
    local_.continue_names_of(whole_);
    local_.ranges = whole_.ranges;
    local_.definitions = whole_.definitions;
    local_.limits = whole_.limits;
    local_.foldable_bytes = whole_.foldable_bytes;
    for (const Value* v : whole_.inputs) {
      Value* copy = local_.add_value(name_of(*v), v->type);
      local_.inputs.push_back(copy);
      keep(v, whole_region_of(*v), copy);
    }
    for (const Action& action : plan_.actions) {
      if (const auto* t = std::get_if<Transfer>(&action)) transfer(*t);
      if (const auto* w = std::get_if<Work>(&action)) work(*w);
    }
    for (const Value* v : whole_.outputs) output(*v);
    drop_unread_inputs();
    own_.peers.assign(peers_.begin(), peers_.end());
  }

 private:
  struct Copy {
    Region region;
    Value* value = nullptr;
  };

  static Region whole_region_of(const Value& v) { return whole_region(shape_of(v)); }

  void keep(const Value* v, const Region& region, Value* copy) {
    copies_[v].push_back({region, copy});
  }

  const Copy* exact(const Value& v, const Region& region) {
    const std::string text = to_string(region);
    for (const Copy& c : copies_[&v])
      if (to_string(c.region) == text) return &c;
    return nullptr;
  }

  // The region of a value, which the device holds all of.
  Value* get(const Value& v, const Region& region) {
    if (v.constant && copies_.find(&v) == copies_.end()) {
      Value* copy = local_.add_constant(name_of(v), *v.constant);
      copy->quantized = v.quantized;
      keep(&v, whole_region_of(v), copy);
    }
    if (const Copy* c = exact(v, region)) return c->value;
    const Shape shape = shape_of(v);
    for (const Copy& c : copies_[&v])
      if (contains(c.region, region, shape)) {
        Value* part = section(editor_, c.value, c.region, region, shape);
        keep(&v, region, part);
        return part;
      }
    throw std::logic_error(
        fmt::format("device {} lacks {} {}", device_, v.name, to_string(region)));
  }

  // ---- transfers --------------------------------------------------------------------------------

  void transfer(const Transfer& t) {
    const Shape shape = shape_of(*t.value);
    std::map<std::vector<int>, Copy> pieces;  // by the part of the source
    for (const Message& m : messages_of(t, plan_.devices)) {
      if (m.from != device_ && m.to != device_) continue;
      if (m.from == device_) {
        Value* piece = get(*t.value, m.region);
        if (m.to == device_)
          pieces[m.part] = {m.region, piece};
        else
          send(*t.value, piece, m, t.tag);
        continue;
      }
      pieces[m.part] = {m.region, receive(*t.value, m, t.tag)};
    }
    const auto wanted = t.wanted.find(device_);
    if (wanted == t.wanted.end()) return;
    std::vector<int> part;
    Region cell;
    keep(t.value, wanted->second, assemble(t, wanted->second, pieces, part, cell));
  }

  void send(const Value& v, Value* piece, const Message& m, std::int64_t tag) {
    exchange(tag, m.to);
    message("Send", {piece}, {}, {{"device", std::int64_t{m.to}}, {"tag", tag}},
            fmt::format("{} to device {}", v.name, m.to));
    count(product(extents_of(m.region)), v.type.elem, 1);
  }

  void exchange(std::int64_t tag, int device) {
    peers_.insert(device);
    own_.exchanges.push_back({tag, device});
  }

  void count(const Dim& elements, ElemType elem, std::int64_t messages) {
    own_.bytes_sent = own_.bytes_sent + elements * Dim(storage_bytes(elem));
    own_.messages_sent += messages;
  }

  Value* receive(const Value& v, const Message& m, std::int64_t tag) {
    exchange(tag, m.from);
    Value* result =
        editor_.value(Type::tensor(v.type.elem, extents_of(m.region)), v.name + "_received");
    message("Receive", {}, {result},
            {{"device", std::int64_t{m.from}}, {"tag", tag}, {"type", result->type}},
            fmt::format("{} from device {}", v.name, m.from));
    return result;
  }

  void message(const char* op, const std::vector<Value*>& inputs, std::vector<Value*> results,
               Attributes attributes, std::string source) {
    editor_.emit_as(std::move(results), ops::get(op, "onnxc"), inputs, std::move(attributes))
        .sources = {std::move(source)};
  }

  // Neighbours along an axis that come from the same part of the source.
  struct Run {
    std::vector<int> part;
    AxisRegion region;
  };
  static std::vector<Run> runs_of(const AxisRegion& wanted, const AxisCuts& cuts,
                                  const Dim& extent) {
    std::vector<std::pair<Interval, std::vector<int>>> cells;
    for (const Interval& w : wanted) {
      std::vector<std::pair<Interval, std::vector<int>>> inside;
      std::vector<int> number(cuts.size(), 0);
      do {
        for (const Interval& held : axis_region(extent, cuts, number.data()))
          if (const auto both = common(w, held, extent)) inside.emplace_back(*both, number);
      } while (next_part(number, cuts));
      const bool fixed = std::all_of(inside.begin(), inside.end(),
                                     [](const auto& c) { return c.first.low.is_const(); });
      // Parts of a dynamic dimension are in the order of their numbers already.
      if (fixed)
        std::sort(inside.begin(), inside.end(), [](const auto& a, const auto& b) {
          return a.first.low.value() < b.first.low.value();
        });
      cells.insert(cells.end(), inside.begin(), inside.end());
    }
    std::vector<Run> runs;
    for (const auto& [interval, number] : cells) {
      if (runs.empty() || runs.back().part != number) runs.push_back({number, {}});
      runs.back().region.push_back(interval);
    }
    return runs;
  }

  Value* assemble(const Transfer& t, const Region& wanted,
                  const std::map<std::vector<int>, Copy>& pieces, std::vector<int>& part,
                  Region& cell) {
    const Shape& shape = *t.value->type.shape;
    const std::size_t axis = cell.size();
    if (axis == shape.size()) {
      const Copy& piece = pieces.at(part);
      return section(editor_, piece.value, piece.region, cell, shape);
    }
    std::vector<Value*> along;
    for (const Run& run : runs_of(wanted[axis], t.from.axes[axis], shape[axis])) {
      const std::size_t count = part.size();
      part.insert(part.end(), run.part.begin(), run.part.end());
      cell.push_back(run.region);
      along.push_back(assemble(t, wanted, pieces, part, cell));
      cell.pop_back();
      part.resize(count);
    }
    return join(editor_, along, axis);
  }

  // ---- work -------------------------------------------------------------------------------------

  void work(const Work& w) {
    const NodePlan& plan = *w.plan;
    if (!plan.parts.count(device_)) return;
    const Node& node = *plan.node;
    ValueMap copies;
    for (Value* v : operands_of(node))
      if (std::find(node.inputs.begin(), node.inputs.end(), v) == node.inputs.end())
        copies[v] = get(*v, whole_region_of(*v));
    std::vector<Value*> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Value* const v = node.inputs[i];
      const auto region = [&] {
        return has_known_axes(*v) ? plan.input_region(i, device_) : whole_region_of(*v);
      };
      inputs.push_back(v ? get(*v, region()) : nullptr);
      if (v) copies[v] = inputs.back();
    }
    for (const Value* v : node.outputs)
      if (v) copies[v] = copy_value(*v, local_, name_of(*v));
    copy_node(node, local_, copies);
    Node& copy = *local_.nodes.back();
    // An operand that is read twice may be read in different parts.
    for (std::size_t i = 0; i < inputs.size(); ++i) copy.inputs.set(i, inputs[i]);
    if (!plan.is_cut()) return keep_outputs(node, copy, plan);
    for (Value* v : copy.outputs) {
      if (!v || !v->type.is_tensor()) continue;
      v->type = Type::tensor(v->type.elem);
      v->declared.reset();  // what the model says of the whole
    }
    share(plan, w.tag, copy, inputs);
  }

  void keep_outputs(const Node& node, const Node& copy, const NodePlan& plan) {
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const Value* v = node.outputs[i];
      if (!v) continue;
      keep(v,
           has_known_axes(*v) ? region_of(plan.output_placement(i), shape_of(*v), device_)
                              : Region{},
           copy.outputs[i]);
    }
  }

  // A node of which the device computes a part.
  void share(const NodePlan& plan, std::int64_t tag, Node& copy,
             const std::vector<Value*>& inputs) {
    Axes::Part part{copy, editor_, {}, {}, plan.axes, inputs};
    for (std::size_t l = 0; l < plan.cuts.size(); ++l) {
      const AxisRegion region = plan.loop_region(device_, static_cast<int>(l));
      part.extents.push_back(extent_of(region));
      part.ranges.emplace_back(region.front().low, region.back().high);
    }
    const auto place = static_cast<std::ptrdiff_t>(local_.nodes.size()) - 1;
    if (plan.axes.adapt) plan.axes.adapt(part);
    // After the nodes that make its new inputs.
    std::rotate(local_.nodes.begin() + place, local_.nodes.begin() + place + 1, local_.nodes.end());
    const Node& node = *plan.node;
    // The first output of a recurrent operator may be left out.
    Value* result = node.outputs[0] ? whole_result(plan, part, tag) : nullptr;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (const Value* v = node.outputs[i])
        keep(v, region_of(plan.output_placement(i), shape_of(*v), device_),
             i == 0 ? result : copy.outputs[i]);
  }

  // Output 0 of the part, with what other devices have of its sums.
  Value* whole_result(const NodePlan& plan, Axes::Part& part, std::int64_t tag) {
    Value* result = part.node.outputs[0];
    if (plan.axes.partial && plan.reduces()) result = plan.axes.partial(part, result);
    const Value& v = *plan.node->outputs[0];
    const Shape shape = extents_of(region_of(plan.output_placement(0), shape_of(v), device_));
    for (const std::vector<int>& group : plan.reduce_groups())
      if (std::find(group.begin(), group.end(), device_) != group.end())
        result = all_reduce(result, v.name, shape, group, plan.reduction(), tag);
    return plan.axes.finish ? plan.axes.finish(part, result) : result;
  }

  // Each device sends the others their chunks, and then its own chunk of the result.
  void count_all_reduce(const Dim& elements, ElemType elem, std::int64_t n, std::int64_t i) {
    Dim own = Dim::ceil_div(elements, n);
    if (elements.is_const()) {
      const std::int64_t all = elements.value(), each = all / n, rest = all % n;
      own = each + rest * (i + 1) / n - rest * i / n;
    }
    count(elements - own + own * Dim(n - 1), elem, 2 * (n - 1));
  }

  Value* all_reduce(Value* v, const std::string& name, const Shape& shape,
                    const std::vector<int>& group, Axes::Kind kind, std::int64_t tag) {
    const std::int64_t place = std::find(group.begin(), group.end(), device_) - group.begin();
    count_all_reduce(product(shape), v->type.elem, static_cast<std::int64_t>(group.size()), place);
    std::vector<std::int64_t> list(group.begin(), group.end());
    for (const int d : group)
      if (d != device_) peers_.insert(d);
    own_.exchanges.push_back({tag, Exchange::kGroup});
    const std::int64_t operation = static_cast<std::int64_t>(kind) - 1;
    Value* result = editor_.value(Type::tensor(v->type.elem), name + "_of_all");
    message("AllReduce", {v}, {result},
            {{"group", list}, {"place", place}, {"operation", operation}, {"tag", tag}},
            name + " of all devices");
    return result;
  }

  // ---- ports ------------------------------------------------------------------------------------

  void output(const Value& v) {
    const auto it = plan_.placements.find(&v);
    if (it != plan_.placements.end() && !it->second.holds(device_)) return;
    Value* result = get(v, whole_region_of(v));
    // A port has the name of the model.
    if (result->name != v.name) result = named(result, v.name);
    local_.outputs.push_back(result);
  }

  Value* named(Value* v, const std::string& name) {
    for (const auto& other : local_.values)
      if (other->name == name && other.get() != v) other->name = local_.fresh_name(name + "_here");
    Value* copy = local_.add_value(name, Type::tensor(v->type.elem));
    if (!v->type.is_tensor()) copy->type = v->type;
    editor_.emit_as(copy, "Identity", {v});
    return copy;
  }

  // Symbols need the input that gives their value.
  void drop_unread_inputs() {
    std::erase_if(local_.inputs, [](const Value* v) {
      return v->users().empty() && (!v->type.is_tensor() || v->type.is_static());
    });
  }

  // The first value made from one of the model has its name, for those who read the code.
  std::string name_of(const Value& v) {
    return names_.insert(v.name).second ? v.name : local_.fresh_name(v.name);
  }

  const Graph& whole_;
  const Plan& plan_;
  OwnDevice& own_;
  int device_;
  Graph& local_;
  GraphEditor editor_;
  std::map<const Value*, std::vector<Copy>> copies_;
  std::set<int> peers_;
  std::set<std::string> names_;  // of the model, given to a value
};

}  // namespace

void make_local_graph(const Graph& whole, const Plan& plan, OwnDevice& device, Graph& local) {
  LocalGraph(whole, plan, device, local).run();
}

std::uint64_t hash_of(const Plan& plan) {
  Hash hash;
  hash.add(plan.devices);
  for (const Action& action : plan.actions) {
    if (const auto* t = std::get_if<Transfer>(&action)) {
      hash.add(t->tag);
      hash.add(t->value->name);
      hash.add(t->value->type.to_string());
      for (const Message& m : messages_of(*t, plan.devices)) {
        hash.add(m.from);
        hash.add(m.to);
        hash.add(to_string(m.region));
      }
    } else if (const auto* w = std::get_if<Work>(&action)) {
      hash.add(w->tag);
      hash.add(w->plan->node->op->name);
      for (const auto& group : w->plan->reduce_groups())
        for (const int d : group) hash.add(d);
    }
  }
  return hash.value();
}

}  // namespace onnxc::devices
