// Compiles a model with all probes, runs it, and reads what the probes got.
#include "compiler/run/inner_tensors.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <sstream>

#include <fmt/format.h>

#include "compiler/ir/op.hpp"
#include "compiler/run/harness.hpp"
#include "compiler/run/harness_adapter.hpp"
#include "compiler/run/open_sizes.hpp"
#include "compiler/run/random_inputs.hpp"
#include "compiler/run/recorded.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/hash.hpp"
#include "compiler/support/read_file.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr double kLongest = 3600;  // seconds
constexpr std::string_view kDequantize = "DequantizeLinear";

Tensor tensor_of(ElemType elem, std::vector<std::int64_t> dims, std::string_view bytes) {
  const auto data = std::as_bytes(std::span<const char>(bytes.data(), bytes.size()));
  return {elem, std::move(dims), Blob::owned({data.begin(), data.end()})};
}

// The values of the inputs in the order of the model; numbers that follow from the name where none
// are given.
Recorded values_of(const Model& model, const SizeValues& sizes,
                   const std::map<std::string, Tensor>& given) {
  Recorded recorded;
  for (const Port& port : typed_inputs(model)) {
    DataValue v;
    v.kind = Type::Kind::tensor;
    v.name = port.name;
    if (const auto found = given.find(port.name); found != given.end()) {
      v.tensor = found->second;
    } else {
      if (!port.type.is_tensor() || !port.type.shape || port.type.elem == ElemType::string)
        throw FatalError(exit_code::usage, fmt::format("input '{}' is {}: give a value", port.name,
                                                       port.type.to_string()));
      Port fixed = port;
      fixed.elem = port.type.elem;
      fixed.elements = 1;
      for (const Dim& d : *port.type.shape) {
        fixed.dims.push_back(at_sizes(d, sizes).value_or(1));
        fixed.elements *= fixed.dims.back();
      }
      Hash seed;
      seed.add(port.name);
      Random random(seed.value());
      v.tensor = tensor_of(fixed.elem, fixed.dims, random_elements(fixed, random));
    }
    recorded.inputs.push_back(std::move(v));
  }
  return recorded;
}

// What the nodes of a graph and its bodies say about the tensors that they make.
class NodeFacts {
 public:
  explicit NodeFacts(const Graph& graph) { visit(graph); }

  std::map<std::string, std::string> nodes, ops;
  std::map<std::string, Quantization> quantized;

 private:
  void visit(const Graph& graph) {
    for (const auto& node : graph.nodes) {
      for (const Value* v : node->outputs)
        if (v && nodes.emplace(v->name, fmt::format("{} ({})", node->name, node->op_type)).second)
          ops.emplace(v->name, node->op_type);
      if (reads_scale(*node)) note_scale(*node);
      each_subgraph(*node, [this](const Graph& body) { visit(body); });
    }
  }

  static bool reads_scale(const Node& node) {
    return node.op && node.op->name == kDequantize && node.inputs.size() > 1 && node.inputs[1];
  }

  // Of a tensor as a whole; scales by channel are left out.
  void note_scale(const Node& node) {
    const Value* const scale = node.inputs[1];
    if (!scale->constant || scale->constant->size() != 1) return;
    Quantization q{scale->constant->number(0), 0};
    const Value* const zero = node.inputs.size() > 2 ? node.inputs[2] : nullptr;
    if (zero && zero->constant && zero->constant->size() == 1)
      q.zero_point = zero->constant->to_int64s().at(0);
    quantized.emplace(node.inputs[0]->name, q);
  }
};

// Where the generated code makes a tensor: the statement before its probe.
class SourceLines {
 public:
  explicit SourceLines(const CompileResult& generated) {
    for (const GeneratedFile& f : generated.files) {
      if (f.path != generated.base + ".cpp") continue;
      file_ = fs::path(f.path).filename().string();
      std::istringstream text(f.content);
      for (std::string line; std::getline(text, line);) lines_.push_back(line);
    }
  }

  std::string of(const std::string& tensor) const {
    const std::string probe = "in->probe_, " + string_literal(tensor).text() + ",";
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (lines_[i].find(probe) != std::string::npos) return statement_before(i);
    return "";
  }

 private:
  std::string statement_before(std::size_t i) const {
    while (i-- > 0) {
      const std::size_t start = lines_[i].find_first_not_of(' ');
      if (start == std::string::npos) return "";
      const std::string line = lines_[i].substr(start);
      if (line.starts_with("//") || line.find("in->probe_") != std::string::npos) continue;
      return fmt::format("{}:{}: {}", file_, i + 1, line);
    }
    return "";
  }

  std::string file_;
  std::vector<std::string> lines_;
};

// The file that probe_driver writes.
std::vector<InnerTensor> parse_tensors(std::string_view bytes) {
  const auto take = [&](std::size_t n) {
    if (n > bytes.size()) throw FatalError(exit_code::internal, "the tensors are too short");
    const std::string_view part = bytes.substr(0, n);
    bytes.remove_prefix(n);
    return part;
  };
  const auto number = [&] {
    std::uint64_t n = 0;
    std::memcpy(&n, take(sizeof n).data(), sizeof n);
    return n;
  };
  std::vector<InnerTensor> list;
  std::map<std::string, std::size_t> rounds;
  while (!bytes.empty()) {
    InnerTensor t;
    t.name = std::string(take(number()));
    t.round = rounds[t.name]++;
    const auto elem = static_cast<ElemType>(number());
    std::vector<std::int64_t> dims(number());
    std::size_t count = 1;
    for (std::int64_t& d : dims) {
      d = static_cast<std::int64_t>(number());
      count *= static_cast<std::size_t>(d);
    }
    t.value = tensor_of(elem, std::move(dims), take(count * storage_bytes(elem)));
    list.push_back(std::move(t));
  }
  return list;
}

std::string run_probes(const CompileResult& generated, const CompileOptions& options,
                       const Recorded& recorded) {
  const TemporaryFolder folder;
  const Toolchain toolchain(compiler_flags(options), "-O1");
  const HarnessFolder harness(folder.path() + "/harness", toolchain, false);
  const std::string driver = harness.driver("probe_driver"), unit = folder.path() + "/unit",
                    program = folder.path() + "/program";
  const auto require = [](const ProcessResult& r, const char* what) {
    if (!r.ok())
      throw FatalError(exit_code::io, fmt::format("{}: {}", what, first_error_line(r.output)));
  };
  require(harness.compile_unit(generated, "0", unit), "the compiler refuses the generated code");
  std::vector<std::string> objects = {unit + "/unit.o"};
  if (fs::exists(unit + "/weights.o")) objects.push_back(unit + "/weights.o");
  require(harness.link(driver, unit_names(generated, "0"), objects, program), "linking fails");
  write_file(folder.path() + "/inputs",
             pack_inputs(recorded, generated.inputs) + std::string(external_weights(generated)));
  const ProcessResult r =
      run_process({program, folder.path() + "/inputs", folder.path() + "/tensors"}, kLongest);
  constexpr int kModelStatus = 98;  // of the drivers
  if (r.exit_code == kModelStatus)
    throw FatalError(exit_code::bad_model,
                     fmt::format("the run ends with {}", status_name(std::atoi(r.output.c_str()))));
  require(r, "the program fails");
  return read_file(folder.path() + "/tensors");
}

void require_accepted(const Diagnostics& diagnostics, const std::string& model) {
  if (!diagnostics.has_errors()) return;
  diagnostics.print(model, stderr);
  throw FatalError(exit_code::bad_model, fmt::format("{} is refused", model));
}

}  // namespace

InnerRun run_with_probes(CompileOptions options, const std::map<std::string, Tensor>& values) {
  options.name = options.name_space = options.output_base = "model";
  options.reports.clear();
  Diagnostics diagnostics;
  const ModelFile file = open_model(options, diagnostics);
  {
    const auto plain = load(file, options, diagnostics);
    require_accepted(diagnostics, options.model);
    const SizeValues sizes = example_sizes(file, *plain, open_sizes(*plain, options), options);
    options.input_shapes = input_shapes(values_of(*plain, sizes, values));
  }
  options.probes = {"*"};
  auto model = load(file, options, diagnostics);
  require_accepted(diagnostics, options.model);
  const Recorded recorded = values_of(*model, {}, values);
  const NodeFacts facts(model->graph);
  const auto compilation = lower(std::move(model), options, diagnostics);
  require_accepted(diagnostics, options.model);
  const CompileResult generated = emit(*compilation, diagnostics);
  require_accepted(diagnostics, options.model);

  InnerRun run{parse_tensors(run_probes(generated, options, recorded)), facts.quantized};
  const SourceLines lines(generated);
  for (InnerTensor& t : run.tensors) {
    const auto nodes = facts.nodes.find(t.name);
    if (nodes != facts.nodes.end()) {
      t.nodes = nodes->second;
      t.op = facts.ops.at(t.name);
    }
    t.line = lines.of(t.name);
  }
  return run;
}

}  // namespace onnxc
