// Finds the values that make a program need a heap, and what would give them a bound.
#include "compiler/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "compiler/ir/size_names.hpp"

namespace onnxc {
namespace {

// A value, and what makes it.
struct Place {
  const Value* value = nullptr;
  std::string text;
};

// The inputs, and then the results of every node before those in its bodies.
void each_value(const Graph& graph, const std::function<void(const Place&)>& f) {
  for (const Value* v : graph.inputs)
    f({v, fmt::format("{} {}", graph.parent ? "input of a body," : "input", quoted(v->name))});
  for (const auto& node : graph.nodes) {
    for (std::size_t i = 0; i < node->outputs.size(); ++i)
      if (const Value* v = node->outputs[i])
        f({v, describe(*node) + fmt::format(", output {} {}", i, quoted(v->name))});
    each_subgraph(*node, [&](const Graph& body) { each_value(body, f); });
  }
}

// Passes mark the names that they make; --dim knows those of the model.
bool is_of_model(const Value& v) { return v.name.find('#') == std::string::npos; }

std::optional<std::size_t> axis_of(const Value& v, const std::string& symbol) {
  for (std::size_t k = 0; v.type.shape && k < v.type.rank(); ++k)
    if ((*v.type.shape)[k].as_symbol() == symbol) return k;
  return std::nullopt;
}

class Refusal {
 public:
  Refusal(const Program& program, const Graph& graph, Diagnostics& diagnostics)
      : program_(program), graph_(graph), diagnostics_(diagnostics) {}

  void run() {
    name_sizes();
    name_growing();
    name_reserves();
    name_objects();
    name_strings();
    constexpr std::size_t kShown = 4;
    const std::size_t shown = std::max(of_inputs_, std::min(reasons_.size(), kShown));
    for (std::size_t i = 0; i < shown; ++i) error(reasons_[i]);
    if (reasons_.size() > shown)
      error(fmt::format("and {} more values without a bound", reasons_.size() - shown));
    if (reasons_.empty()) error("the model needs a heap");
  }

 private:
  void error(const std::string& reason) { diagnostics_.error("no-heap", "--no-heap", reason); }

  static bool on_heap(const Buffer& b) {
    return b.kind == Buffer::Kind::heap || b.absent == Buffer::Absent::heap;
  }

  // The symbols without a bound that an expression is made of. One that has a bound in terms of
  // others is as large as these.
  void collect(const Dim& d, std::set<std::string>& found) const {
    if (program_.at_most(d)) return;
    std::vector<std::string> names;
    d.collect_symbols(names);
    for (const std::string& name : names) {
      const SizeSymbol* const s = program_.symbol(name);
      if (s && s->range.at_most)
        collect(*s->range.at_most, found);
      else if (!program_.at_most(Dim::symbol(name)))
        found.insert(name);
    }
  }

  void name_sizes() {
    std::set<std::string> found;
    for (const Buffer& b : program_.buffers)
      if (on_heap(b) && !b.allocated_by_steps)
        for (const Dim& d : b.shape) collect(d, found);
    for (const Value* v : graph_.inputs) {
      for (std::size_t k = 0; v->type.shape && k < v->type.rank(); ++k)
        if (const auto s = (*v->type.shape)[k].as_symbol(); s && found.erase(*s) > 0)
          reasons_.push_back(size_of(*v, fmt::format("input {}", quoted(v->name)), k, *s));
    }
    of_inputs_ = reasons_.size();
    for (const bool of_model : {true, false})
      each_value(graph_, [&](const Place& p) {
        if (is_of_model(*p.value) == of_model) name_size(p, found);
      });
    for (const std::string& s : found)
      reasons_.push_back(fmt::format("a size, {}, has no bound", name_of_symbol(s)));
  }

  // The first value that has one of these sizes along an axis.
  void name_size(const Place& place, std::set<std::string>& found) {
    const Value& v = *place.value;
    for (std::size_t k = 0; v.type.shape && k < v.type.rank(); ++k)
      if (const auto s = (*v.type.shape)[k].as_symbol(); s && found.erase(*s) > 0)
        reasons_.push_back(size_of(v, place.text, k, *s));
  }

  // The name that the model gives the size along an axis of one of its values, unless it is one of
  // an input: that is another size.
  std::string declared_name(const Value& v, std::size_t axis) const {
    if (!v.producer || !v.declared || !v.declared->shape || axis >= v.declared->rank()) return "";
    const auto symbol = (*v.declared->shape)[axis].as_symbol();
    if (!symbol || !has_name(*symbol)) return "";
    for (const Value* input : graph_.inputs)
      if (axis_of(*input, *symbol)) return "";
    return name_of_symbol(*symbol);
  }

  // The same for any value with that size.
  std::string declared_name(const std::string& symbol) const {
    for (const auto& v : graph_.values)
      if (const auto axis = axis_of(*v, symbol))
        if (const std::string name = declared_name(*v, *axis); !name.empty()) return name;
    return "";
  }

  std::string size_of(const Value& v, const std::string& where, std::size_t axis,
                      const std::string& symbol) const {
    const bool given = is_input(v);
    const std::string name = !given             ? declared_name(symbol)
                             : has_name(symbol) ? name_of_symbol(symbol)
                                                : "";
    const std::string size = name.empty() ? fmt::format("along axis {}", axis) : name;
    const std::string reason = fmt::format("{}: its size {} has no bound", where, size);
    if (!name.empty()) return fmt::format("{}; give one with --dim {}=LO..HI", reason, name);
    if (!is_of_model(v) || (!v.producer && !given)) return reason + ", and no option gives one";
    return fmt::format("{}; give one with --dim {}:{}=LO..HI", reason, v.name, axis);
  }

  bool is_input(const Value& v) const {
    return std::find(graph_.inputs.begin(), graph_.inputs.end(), &v) != graph_.inputs.end();
  }

  std::string place_of(const Buffer& buffer) const {
    std::string text = quoted(buffer.name);
    each_value(graph_, [&](const Place& p) {
      if (p.value == buffer.value) text = p.text;
    });
    return text;
  }

  // The first input of a Loop, which says how often it runs, if the caller gives it.
  std::string trip_option(const Buffer& buffer) const {
    const Node* const loop = buffer.value ? buffer.value->producer : nullptr;
    const Value* const trips = ops::is_a(loop, "Loop") ? loop->inputs[0] : nullptr;
    return trips && is_input(*trips) ? fmt::format(", as with --fix-input {}=N", trips->name) : "";
  }

  // --dim bounds a size, but not how often a loop runs.
  void name_growing() {
    for (const Buffer& b : program_.buffers)
      if (on_heap(b) && b.allocated_by_steps)
        reasons_.push_back(
            fmt::format("{}: grows by a slice in every iteration; it needs no heap "
                        "where the trip count{} and the sizes of the slices are "
                        "known before the loop",
                        place_of(b), trip_option(b)));
  }

  // A bound that is too large to be reserved.
  void name_reserves() {
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const Buffer& b = program_.buffers[i];
      const auto most = on_heap(b) ? program_.capacity(static_cast<BufferId>(i)) : std::nullopt;
      if (!most || *most <= kLargestBound) continue;
      reasons_.push_back(
          fmt::format("{}: takes up to {} bytes, of which at most {} are reserved; "
                      "give its sizes smaller bounds with --dim NAME=LO..HI",
                      place_of(b), *most, kLargestBound));
    }
  }

  std::string advice(const Buffer& buffer) const {
    const Type& type = buffer.type;
    const bool is_sequence = type.kind == Type::Kind::sequence;
    if (is_sequence && type.element && type.element->kind == Type::Kind::map)
      return "--zipmap tensor makes it a tensor";
    if (type.is_tensor()) return "its rank has to be known: declare its shape";
    const auto of_caller = [&](const std::vector<BufferId>& ports) {
      return std::any_of(ports.begin(), ports.end(),
                         [&](BufferId id) { return &program_.at(id) == &buffer; });
    };
    if (of_caller(program_.inputs) || of_caller(program_.outputs))
      return "inputs and outputs that are tensors need none";
    if (is_sequence)
      return "a sequence needs none where its length and the positions are known, and it does not "
             "go through an If or a Loop";
    return "tensors need none";
  }

  void name_objects() {
    for (const Buffer& b : program_.buffers)
      if (b.kind == Buffer::Kind::object && b.value)
        reasons_.push_back(
            fmt::format("{}: {} needs a heap; {}", place_of(b), b.type.to_string(), advice(b)));
    if (!reasons_.empty()) return;
    for (const Buffer& b : program_.buffers)
      if (b.kind == Buffer::Kind::object)
        reasons_.push_back(fmt::format("{}: {} needs a heap", quoted(b.name), b.type.to_string()));
  }

  void name_strings() {
    for (const Step& step : program_.steps) {
      const bool takes = std::any_of(step.args.begin(), step.args.end(), [](const Arg& arg) {
        return std::holds_alternative<HeapArg>(arg.value);
      });
      if (!takes) continue;
      const auto made = std::find_if(step.args.begin(), step.args.end(), [&](const Arg& arg) {
        const auto* const b = std::get_if<BufferArg>(&arg.value);
        return b && b->writes && program_.at(b->buffer).value;
      });
      const std::string where =
          made == step.args.end() ? quoted(step.name)
                                  : place_of(program_.at(std::get<BufferArg>(made->value).buffer));
      reasons_.push_back(fmt::format("{}: what {} makes has no bound, and no option gives one",
                                     where, step.title.empty() ? "it" : step.title));
    }
  }

  const Program& program_;
  const Graph& graph_;
  Diagnostics& diagnostics_;
  std::vector<std::string> reasons_;
  std::size_t of_inputs_ = 0;  // of the reasons, those in front
};

}  // namespace

void refuse_heap(const Program& program, const Graph& graph, Diagnostics& diagnostics) {
  if (program.uses_heap()) Refusal(program, graph, diagnostics).run();
}

}  // namespace onnxc
