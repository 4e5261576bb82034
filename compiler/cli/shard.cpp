// The `shard` command: annotates a model for several devices and says what each of them gets.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "compiler/cli/commands.hpp"
#include "compiler/devices/sharding.hpp"
#include "compiler/interface/figures.hpp"
#include "compiler/ir/clone.hpp"
#include "compiler/onnx/write/annotated_file.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/write_files.hpp"

namespace onnxc {
namespace {

// The model with annotations, and their costs.
struct Sharding {
  std::unique_ptr<Model> model;
  Diagnostics diagnostics;
  devices::Forecast costs;
  bool fits = true;

  bool works() const { return fits && !diagnostics.has_errors(); }
  bool annotates(const std::string& configuration) const {
    const auto names = [&](const NodeDevices& d) { return d.configuration == configuration; };
    const auto& nodes = model->graph.nodes;
    return std::any_of(nodes.begin(), nodes.end(), [&](const auto& n) {
      return n->devices && std::any_of(n->devices->begin(), n->devices->end(), names);
    });
  }
  std::int64_t max_weights() const {
    const std::vector<std::int64_t>& bytes = costs.weight_bytes;
    return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
  }
};

class Sharder {
 public:
  Sharder(const ShardOptions& options, const Model& model, const AnnotatedFile& file)
      : options_(options),
        model_(model),
        configuration_{fmt::format("devices_{}", options.devices), options.devices, {}},
        can_name_([&file](const Node& node, const Value& v) { return file.can_name(node, v); }) {}

  const DeviceConfiguration& configuration() const { return configuration_; }

  // Of what works, what sends least; tables are cut only if the weights do not fit otherwise.
  std::unique_ptr<Sharding> run() const {
    if (options_.by == "stages") return attempt(std::nullopt);
    auto best = attempt(devices::TensorCuts{});
    for (const devices::TensorCuts cuts :
         {devices::TensorCuts{true, false}, {false, true}, {true, true}}) {
      if (cuts.tables && best->works()) break;
      auto other = attempt(cuts);
      const bool fewer =
          devices::number(other->costs.bytes_sent) < devices::number(best->costs.bytes_sent);
      if (other->works() && (fewer || !best->works())) best = std::move(other);
    }
    return best;
  }

 private:
  // Without a way to cut tensors: by stages.
  std::unique_ptr<Sharding> attempt(std::optional<devices::TensorCuts> cuts) const {
    auto made = std::make_unique<Sharding>(Sharding{copy_model(model_), {}, {}});
    try {
      annotate(*made, cuts);
    } catch (const devices::PlacementError& e) {
      made->diagnostics.error("cannot-shard", "--devices", e.what());
    } catch (const SymbolicExtent& e) {
      made->diagnostics.error("cannot-shard", "--devices", e.what());
    }
    return made;
  }

  void annotate(Sharding& made, std::optional<devices::TensorCuts> cuts) const {
    Graph& graph = made.model->graph;
    if (cuts)
      devices::shard_tensors(graph, configuration_, *cuts, can_name_);
    else
      made.fits = devices::shard_stages(graph, configuration_, options_.memory, can_name_);
    if (!made.fits) return;
    made.costs = costs_of(*made.model, made.diagnostics);
    if (options_.memory && made.max_weights() > *options_.memory) made.fits = false;
  }

  // Of the programs; errors are added to `diagnostics`.
  devices::Forecast costs_of(const Model& annotated, Diagnostics& diagnostics) const {
    Diagnostics planning;  // with notes on what moves
    const auto model = copy_model(annotated);
    expand_gradients(*model, {}, planning);
    const auto costs =
        devices::forecast(devices::plan_devices(model->graph, configuration_, planning));
    if (planning.has_errors()) diagnostics.append(planning);
    return costs;
  }

  const ShardOptions& options_;
  const Model& model_;
  DeviceConfiguration configuration_;
  devices::CanName can_name_;
};

// "1.2 MiB, 1.3 MiB", or of many devices the least and the most.
std::string weights_text(const std::vector<std::int64_t>& bytes) {
  constexpr std::size_t kMaxListed = 8;
  std::string text;
  if (bytes.size() > kMaxListed) {
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    return fmt::format("{} to {} each", bytes_text(Dim(*least)), bytes_text(Dim(*most)));
  }
  for (const std::int64_t b : bytes) text += (text.empty() ? "" : ", ") + bytes_text(Dim(b));
  return text;
}

void print_result(const ShardOptions& options, const Sharding& sharding, std::size_t nodes) {
  terminal::print(stderr, "{} -> {} | devices_{}: {} | weights {} | a run sends {}\n",
                  options.model, options.output, options.devices,
                  terminal::counted(nodes, "annotated node"),
                  weights_text(sharding.costs.weight_bytes), bytes_text(sharding.costs.bytes_sent));
}

// Reports why the annotations are of no use.
void judge(const ShardOptions& options, const std::string& configuration, Sharding& sharding) {
  Diagnostics& diagnostics = sharding.diagnostics;
  if (diagnostics.has_errors()) return;
  const std::int64_t most = sharding.max_weights();
  if (!sharding.fits)
    diagnostics.error("cannot-shard", "--memory-per-device",
                      most == 0 ? "the weights do not fit in as many sequences of nodes"
                                : fmt::format("a device has weights of {}", bytes_text(Dim(most))));
  else if (options.devices > 1 && !sharding.annotates(configuration))
    diagnostics.error("cannot-shard", "--devices",
                      fmt::format("nothing can be cut into {} parts", options.devices));
}

}  // namespace

int run_shard(const ShardOptions& options) {
  std::optional<ProcessLimits> limits(std::in_place, Limits());
  CompileOptions compile;
  compile.model = options.model;
  Diagnostics reading;
  const ModelFile source = open_model(compile, reading);
  AnnotatedFile file(source, !in_same_folder(options.model, options.output), reading);
  const auto model = load(source, compile, reading);
  reading.print(options.model, stderr);
  if (reading.has_errors()) return exit_code::bad_model;
  const Sharder sharder(options, *model, file);
  const auto sharding = sharder.run();
  judge(options, sharder.configuration().name, *sharding);
  sharding->diagnostics.print(options.model, stderr);
  if (sharding->diagnostics.has_errors()) return exit_code::bad_model;
  std::size_t nodes = 0;
  const std::string bytes = file.bytes_with(sharding->model->graph, sharder.configuration(), nodes);
  limits.reset();  // what is written is written whole
  if (options.output == "-")
    terminal::print_document(stdout, bytes);
  else
    write_files({{options.output, bytes}});
  print_result(options, *sharding, nodes);
  return exit_code::ok;
}

}  // namespace onnxc
