// Writes training_info into a model.
#include "compiler/onnx/write/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/ir/graph.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/onnx/read/model_file.hpp"
#include "compiler/onnx/write/loss_writer.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/wildcards.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using namespace reader;

constexpr std::int64_t kFirstIr = 7;
constexpr std::int64_t kFirstOpset = 7;  // broadcasts without attributes

struct Optimizer {
  const char* name;
  const char* op;  // of ai.onnx.preview.training; null: plain arithmetic
  double rate;
  std::vector<const char*> states;
  bool decays = false;
};

const Optimizer* find_optimizer(const std::string& name) {
  static const Optimizer kOptimizers[] = {{"sgd", nullptr, 0.01, {}},
                                          {"momentum", "Momentum", 0.01, {"velocity"}},
                                          {"adam", "Adam", 0.001, {"mean", "variance"}},
                                          {"adamw", "Adam", 0.001, {"mean", "variance"}, true},
                                          {"adagrad", "Adagrad", 0.01, {"squares"}}};
  for (const Optimizer& o : kOptimizers)
    if (name == o.name) return &o;
  return nullptr;
}

bool is_trainable(const pb::TensorProto& t) {
  return t.data_type() == pb::TensorProto::FLOAT || t.data_type() == pb::TensorProto::DOUBLE;
}

// Whether input i of the node is a setting, see Op::settings.
bool is_setting(const pb::NodeProto& node, int i) {
  const ops::Op* op = ops::find(node.domain(), node.op_type());
  const ops::Formal* formal = op ? ops::signature(*op).input(static_cast<std::size_t>(i)) : nullptr;
  if (!formal) return false;
  const std::string all = fmt::format(" {} ", op->settings);
  return all.find(fmt::format(" {} ", formal->name)) != std::string::npos;
}

struct Uses {
  bool weight = false, setting = false;
};

void find_uses(const pb::GraphProto& graph, const std::string& name, Uses& uses) {
  for (const auto& node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i)
      if (node.input(i) == name) (is_setting(node, i) ? uses.setting : uses.weight) = true;
    for (const auto& a : node.attribute()) {
      if (a.has_g()) find_uses(a.g(), name, uses);
      for (const auto& g : a.graphs()) find_uses(g, name, uses);
    }
  }
}

bool is_pattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

class Preparation {
 public:
  Preparation(const PrepareOptions& options, pb::ModelProto& model, Diagnostics& diagnostics)
      : options_(options), model_(model), diagnostics_(diagnostics) {}

  Prepared run() {
    check_model();
    check_decay();
    choose_variables();
    choose_result();
    if (diagnostics_.has_errors()) return std::move(done_);
    model_.clear_training_info();
    pb::TrainingInfoProto& info = *model_.add_training_info();
    GraphWriter writer(model_.graph(), *info.mutable_algorithm());
    info.mutable_algorithm()->set_name("training_step");
    writer.set_type(variables_[0]->data_type());
    writer.set_opset(opset_);
    const std::string loss = write_loss(writer, options_.loss, *result_, diagnostics_);
    if (diagnostics_.has_errors()) return std::move(done_);
    write_step(writer, loss, *info.mutable_update_binding());
    finish_model();
    done_.bytes = model_.SerializeAsString();
    return std::move(done_);
  }

 private:
  using Bindings = google::protobuf::RepeatedPtrField<pb::StringStringEntryProto>;

  void error(const std::string& where, const std::string& message) {
    diagnostics_.error("cannot-prepare", where, message);
  }

  void check_model() {
    for (const auto& import : model_.opset_import())
      if (import.domain().empty() || import.domain() == "ai.onnx") opset_ = import.version();
    if (opset_ < kFirstOpset)
      error("opset_import",
            fmt::format("training needs opset {}, the model has {}", kFirstOpset, opset_));
    if (options_.moves && has_external_data(model_))
      error("-o", "the model has external data, so the new one must be in the same folder");
  }

  void check_decay() {
    if (options_.decay && !find_optimizer(options_.optimizer)->decays)
      error("--weight-decay", fmt::format("{} has none, adamw has", options_.optimizer));
  }

  // Whether only settings of operators are read from an initialiser, as the scales of a Resize.
  bool is_frozen(const std::string& name) const {
    Uses uses;
    find_uses(model_.graph(), name, uses);
    return uses.setting && !uses.weight;
  }

  // Patterns select among the weights of floats, names without wildcards among all initialisers of
  // floats; each must select one.
  void choose_variables() {
    std::set<std::string> chosen;
    for (const std::string& pattern : options_.trains) {
      bool found = false;
      for (const auto& t : model_.graph().initializer()) {
        if (!is_trainable(t) || !matches(pattern, t.name())) continue;
        if (is_pattern(pattern) && is_frozen(t.name())) continue;
        found = true;
        if (chosen.insert(t.name()).second) add_variable(t);
      }
      if (!found)
        error("--train " + quoted(pattern), "matches no initializer of type float or double");
    }
  }

  void add_variable(const pb::TensorProto& t) {
    if (!variables_.empty() && t.data_type() != variables_[0]->data_type())
      error("initializer " + quoted(t.name()), "all trained initializers must be of one type");
    variables_.push_back(&t);
    done_.variables.push_back(t.name());
    std::int64_t count = 1;
    for (const std::int64_t d : t.dims()) count = checked_mul(count, d);
    done_.parameters = checked_add(done_.parameters, count);
  }

  void choose_result() {
    for (const auto& output : model_.graph().output())
      if (!result_ && (options_.result.empty() || output.name() == options_.result))
        result_ = &output;
    if (!result_)
      error("--output", options_.result.empty() ? "the model has no output"
                                                : quoted(options_.result) + " is no graph output");
  }

  // ---- the step ---------------------------------------------------------------------------------

  void bind(Bindings& bindings, const std::string& key, const std::string& value) {
    pb::StringStringEntryProto& pair = *bindings.Add();
    pair.set_key(key);
    pair.set_value(value);
  }

  std::string rate(GraphWriter& writer) {
    const Optimizer& o = *find_optimizer(options_.optimizer);
    done_.rate = options_.rate.value_or(o.rate);
    if (options_.rate_is_input) return writer.scalar_input("learning_rate");
    return writer.scalar("learning_rate", done_.rate);
  }

  void write_step(GraphWriter& writer, const std::string& loss, Bindings& bindings) {
    std::vector<std::string> names, gradients;
    for (const auto* v : variables_) {
      names.push_back(v->name());
      gradients.push_back(writer.fresh(v->name() + ".gradient"));
    }
    pb::NodeProto& gradient = writer.training_node("Gradient", names, gradients);
    GraphWriter::set_strings(gradient, "xs", names);
    GraphWriter::set_string(gradient, "y", loss);
    const std::string learning_rate = rate(writer);
    const Optimizer& o = *find_optimizer(options_.optimizer);
    if (o.op)
      write_optimizer(writer, o, learning_rate, gradients, bindings);
    else
      write_descent(writer, learning_rate, gradients, bindings);
  }

  void write_descent(GraphWriter& writer, const std::string& learning_rate,
                     const std::vector<std::string>& gradients, Bindings& bindings) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const std::string step = writer.node("Mul", {gradients[i], learning_rate});
      const std::string result = writer.fresh(variables_[i]->name() + ".new");
      writer.node("Sub", {variables_[i]->name(), step}, result);
      writer.output_like(result, *variables_[i]);
      bind(bindings, variables_[i]->name(), result);
    }
  }

  // The steps are counted from 1: Adam corrects the bias of its averages by that.
  std::string counter(GraphWriter& writer, Bindings& bindings) {
    const std::string count = writer.integer("steps", 0), one = writer.integer("one", 1);
    const std::string next = writer.fresh("steps.new");
    writer.node("Add", {count, one}, next);
    writer.integer_output(next);
    bind(bindings, count, next);
    return next;
  }

  // What is left of a weight in each step.
  std::string decay_factor(GraphWriter& writer, const std::string& learning_rate) {
    const double decay = options_.decay.value_or(0.01);
    if (!options_.rate_is_input) return writer.scalar("weight_decay", 1 - done_.rate * decay);
    const std::string lost = writer.node("Mul", {learning_rate, writer.scalar("decay", decay)});
    return writer.node("Sub", {writer.scalar("whole", 1), lost});
  }

  // The weights that the optimiser starts from.
  std::vector<std::string> decayed(GraphWriter& writer, const std::string& learning_rate) {
    std::vector<std::string> names;
    std::string factor;
    for (const auto* v : variables_) {
      names.push_back(v->name());
      if (v->dims_size() < 2) continue;
      if (factor.empty()) factor = decay_factor(writer, learning_rate);
      names.back() = writer.node("Mul", {v->name(), factor});
    }
    return names;
  }

  void write_optimizer(GraphWriter& writer, const Optimizer& o, const std::string& learning_rate,
                       const std::vector<std::string>& gradients, Bindings& bindings) {
    std::vector<std::string> inputs = {learning_rate, counter(writer, bindings)}, outputs;
    const auto add = [&](const std::string& key, const pb::TensorProto& like) {
      outputs.push_back(writer.fresh(key + ".new"));
      writer.output_like(outputs.back(), like);
      bind(bindings, key, outputs.back());
    };
    if (o.decays)
      for (std::string& name : decayed(writer, learning_rate)) inputs.push_back(std::move(name));
    else
      for (const auto* v : variables_) inputs.push_back(v->name());
    inputs.insert(inputs.end(), gradients.begin(), gradients.end());
    for (const auto* v : variables_) add(v->name(), *v);
    for (const char* state : o.states)
      for (const auto* v : variables_) {
        inputs.push_back(writer.zeros_like(v->name() + "." + state, *v));
        add(inputs.back(), *v);
      }
    pb::NodeProto& node = writer.training_node(o.op, inputs, outputs);
    if (o.name == std::string_view("momentum")) {
      GraphWriter::set_float(node, "alpha", 0.9f);
      GraphWriter::set_float(node, "beta", 1.0f);
      GraphWriter::set_float(node, "norm_coefficient", 0.0f);
      GraphWriter::set_string(node, "mode", "standard");
    }
  }

  void finish_model() {
    model_.set_ir_version(std::max(model_.ir_version(), kFirstIr));
    const auto& imports = model_.opset_import();
    if (std::any_of(imports.begin(), imports.end(), [](const auto& import) {
          return import.domain() == GraphWriter::training_domain;
        }))
      return;
    auto& import = *model_.add_opset_import();
    import.set_domain(GraphWriter::training_domain);
    import.set_version(1);
  }

  const PrepareOptions& options_;
  pb::ModelProto& model_;
  Diagnostics& diagnostics_;
  std::vector<const pb::TensorProto*> variables_;
  const pb::ValueInfoProto* result_ = nullptr;
  std::int64_t opset_ = kFirstOpset;
  Prepared done_;
};

}  // namespace

Prepared prepare_training(const PrepareOptions& options, Diagnostics& diagnostics) {
  const ModelFile file = read_model_file(options.model, diagnostics);
  if (!file.proto) return {};
  pb::ModelProto model = *file.proto;
  return Preparation(options, model, diagnostics).run();
}

}  // namespace onnxc
