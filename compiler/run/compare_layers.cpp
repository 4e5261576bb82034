// Runs models with all probes, and sets their tensors side by side.
#include "compiler/run/compare_layers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compiler/onnx/read/import.hpp"
#include "compiler/run/inner_tensors.hpp"
#include "compiler/run/recorded.hpp"
#include "compiler/run/test_case.hpp"
#include "compiler/session/session.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;
using Tensors = std::map<std::string, Tensor>;

// The inputs of the first data set in a folder, by the names of the model's inputs; none if there
// is no data set.
Tensors inputs_of_data(const std::string& folder, const CompileOptions& options) {
  std::string set = folder;
  const bool given = !folder.empty();
  if (!given) set = fs::path(options.model).parent_path().string();
  if (set.empty()) set = ".";
  if (!fs::is_directory(set))
    throw FatalError(exit_code::io, fmt::format("{}: no such folder", set));
  const std::vector<std::string> sets = find_data_sets(set);
  if (!sets.empty()) set = sets[0];
  if (count_inputs(set) == 0) {
    if (given) throw FatalError(exit_code::io, fmt::format("{} has no input_0.pb", set));
    return {};
  }
  Diagnostics ignored;
  const Model model = import_model(open_model(options, ignored), ignored);
  const std::vector<Port> ports = typed_inputs(model);
  const std::vector<DataValue> values = read_inputs(set, ports);
  Tensors tensors;
  for (std::size_t i = 0; i < ports.size() && i < values.size(); ++i)
    if (values[i].kind == Type::Kind::tensor) tensors.emplace(ports[i].name, values[i].tensor);
  return tensors;
}

// How far a tensor is from another of the same shape.
struct Error {
  double max_abs = 0, max_rel = 0;                                   // of the largest value
  double signal_to_noise = std::numeric_limits<double>::infinity();  // decibel
};

std::vector<double> numbers_of(const Tensor& t, const Quantization* q) {
  std::vector<double> list = numbers(t);
  if (q)
    for (double& x : list) x = (x - static_cast<double>(q->zero_point)) * q->scale;
  return list;
}

Error error_of(const std::vector<double>& got, const std::vector<double>& want) {
  Error e;
  double signal = 0, noise = 0, largest = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double d = got[i] == want[i] ? 0 : std::fabs(got[i] - want[i]);
    e.max_abs = std::max(e.max_abs, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
    largest = std::max(largest, std::fabs(want[i]));
    signal += want[i] * want[i];
    noise += d * d;
  }
  e.max_rel = largest > 0 ? e.max_abs / largest : e.max_abs;
  if (noise > 0) e.signal_to_noise = 10 * std::log10(signal / noise);
  return e;
}

bool has_numbers(const Tensor& t) {
  return t.elem() != ElemType::string && t.elem() != ElemType::complex64 &&
         t.elem() != ElemType::complex128;
}

std::string decibel(double db) { return std::isinf(db) ? "exact" : fmt::format("{:.1f} dB", db); }

struct LayerResult {
  const InnerTensor* tensor;
  Comparison comparison;
  Error error;
};

void print_layer(const LayerResult& r) {
  terminal::print(stdout, "first difference: {}\n", r.tensor->name);
  if (!r.tensor->nodes.empty()) terminal::print(stdout, "  made by  {}\n", r.tensor->nodes);
  if (!r.tensor->line.empty()) terminal::print(stdout, "  code     {}\n", r.tensor->line);
  terminal::print(stdout, "  values   {}\n  error    {:.3g}, {:.3g} of the largest value, {}\n",
                  r.comparison.message, r.error.max_abs, r.error.max_rel,
                  decibel(r.error.signal_to_noise));
}

void write_number(JsonWriter& j, const char* key, double value) {
  if (std::isfinite(value))
    j.field(key, value);
  else
    j.key(key).null();
}

void write_error(JsonWriter& j, const Error& e) {
  write_number(j, "max_abs", e.max_abs);
  write_number(j, "max_rel", e.max_rel);
  write_number(j, "snr_db", e.signal_to_noise);
}

void print_layers_json(const std::vector<LayerResult>& results, std::size_t missing) {
  JsonWriter j;
  j.begin_object().field("missing", missing).key("tensors").begin_array();
  for (const LayerResult& r : results) {
    j.begin_object().field("name", r.tensor->name).field("nodes", r.tensor->nodes);
    j.field("code", r.tensor->line).field("match", r.comparison.match);
    j.field("message", r.comparison.message);
    write_error(j, r.error);
    j.end_object();
  }
  terminal::print_document(stdout, j.end_array().end_object().take());
}

// Code of --fp fast computes floats of 16 bits in 32, and hands them out as such.
Tensor as_handed_out(const Tensor& want, const Tensor& got) {
  const bool half = want.elem() == ElemType::float16 || want.elem() == ElemType::bfloat16;
  if (!half || got.elem() != ElemType::float32) return want;
  const std::vector<double> wide = numbers(want);
  return Tensor::of<float>(ElemType::float32, want.dims(),
                           std::vector<float>(wide.begin(), wide.end()));
}

Error error_between(const Tensor& got, const Tensor& want) {
  if (got.dims() != want.dims() || !has_numbers(got) || !has_numbers(want)) return {};
  return error_of(numbers_of(got, nullptr), numbers_of(want, nullptr));
}

}  // namespace

int verify_layers(const LayersOptions& options) {
  const Tensors reference = read_named_tensors(options.reference);
  Tensors inputs = inputs_of_data(options.data, options.compile);
  for (const auto& [name, tensor] : reference) inputs.emplace(name, tensor);
  const InnerRun run = run_with_probes(options.compile, inputs);
  std::vector<LayerResult> results;
  std::size_t missing = 0;
  for (const InnerTensor& t : run.tensors) {
    const auto want = reference.find(t.name);
    if (want == reference.end() || t.round > 0) {
      missing += t.round == 0 ? 1 : 0;
      continue;
    }
    const Tensor expected = as_handed_out(want->second, t.value);
    results.push_back(
        {&t, compare(t.value, expected, options.tolerance), error_between(t.value, expected)});
  }
  const auto first = std::find_if(results.begin(), results.end(),
                                  [](const LayerResult& r) { return !r.comparison.match; });
  const auto equal = static_cast<std::size_t>(std::count_if(
      results.begin(), results.end(), [](const auto& r) { return r.comparison.match; }));
  if (options.json)
    print_layers_json(results, missing);
  else if (first != results.end())
    print_layer(*first);
  terminal::print(stderr, "{}: {} equal, {} differ; {} not in {}\n",
                  terminal::counted(run.tensors.size(), "tensor"), equal, results.size() - equal,
                  missing, options.reference);
  if (results.empty())
    throw FatalError(exit_code::usage,
                     fmt::format("{} has no tensor of the model", options.reference));
  return first == results.end() ? exit_code::ok : exit_code::mismatch;
}

namespace {

// The tensor of the other model that stands for the one of this name: of the same name, or with
// what quantisers add to names.
const InnerTensor* counterpart(const std::string& name,
                               const std::map<std::string, const InnerTensor*>& others) {
  // What the next layer reads comes first: quantisers leave a Relu to the limits of the integers.
  static constexpr const char* kEndings[] = {"_DequantizeLinear_Output", "_dequantized", "",
                                             "_quantized", "_QuantizeLinear_Output"};
  for (const char* ending : kEndings)
    if (const auto found = others.find(name + ending); found != others.end()) return found->second;
  return nullptr;
}

using ByOperator = std::map<std::string, std::vector<const InnerTensor*>>;

ByOperator by_operator(const InnerRun& run) {
  ByOperator lists;
  for (const InnerTensor& t : run.tensors)
    if (t.round == 0 && has_numbers(t.value)) lists[t.op].push_back(&t);
  return lists;
}

// Exporters number names in their own ways: where both models have as many nodes of an operator,
// the nodes stand for each other in their order.
std::map<const InnerTensor*, const InnerTensor*> by_order(const InnerRun& first,
                                                          const InnerRun& second) {
  const ByOperator a = by_operator(first), b = by_operator(second);
  std::map<const InnerTensor*, const InnerTensor*> pairs;
  for (const auto& [op, list] : a) {
    const auto others = b.find(op);
    if (others == b.end() || others->second.size() != list.size()) continue;
    for (std::size_t i = 0; i < list.size(); ++i) pairs.emplace(list[i], others->second[i]);
  }
  return pairs;
}

struct Pair {
  const InnerTensor *first, *second;
  Error error;
};

const Quantization* quantization_of(const InnerRun& run, const InnerTensor& t) {
  const bool integer = is_integer(t.value.elem());
  const auto found = run.quantized.find(t.name);
  return integer && found != run.quantized.end() ? &found->second : nullptr;
}

std::vector<Pair> pairs_of(const InnerRun& first, const InnerRun& second) {
  std::map<std::string, const InnerTensor*> others;
  for (const InnerTensor& t : second.tensors)
    if (t.round == 0 && has_numbers(t.value)) others.emplace(t.name, &t);
  const auto ordered = by_order(first, second);
  std::vector<Pair> pairs;
  for (const InnerTensor& t : first.tensors) {
    if (t.round > 0 || !has_numbers(t.value)) continue;
    const InnerTensor* other = counterpart(t.name, others);
    if (const auto found = ordered.find(&t); !other && found != ordered.end())
      other = found->second;
    if (!other || other->value.dims() != t.value.dims()) continue;
    pairs.push_back({&t, other,
                     error_of(numbers_of(other->value, quantization_of(second, *other)),
                              numbers_of(t.value, quantization_of(first, t)))});
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
    return a.error.signal_to_noise < b.error.signal_to_noise;
  });
  return pairs;
}

void print_pairs(const std::vector<Pair>& pairs) {
  std::size_t width = 6;
  for (const Pair& p : pairs)
    width = std::max(width, std::min<std::size_t>(p.first->name.size(), 40));
  terminal::print(stdout, "{:>10} {:>10} {:>10}  {:{}}  nodes\n", "signal", "max error",
                  "of largest", "tensor", width);
  for (const Pair& p : pairs) {
    const bool renamed = p.first->name != p.second->name;
    terminal::print(stdout, "{:>10} {:10.3g} {:10.3g}  {:{}}  {}{}\n",
                    decibel(p.error.signal_to_noise), p.error.max_abs, p.error.max_rel,
                    p.first->name.substr(0, 40), width, p.first->nodes,
                    renamed ? ", there " + p.second->name : "");
  }
}

void print_pairs_json(const std::vector<Pair>& pairs) {
  JsonWriter j;
  j.begin_object().key("tensors").begin_array();
  for (const Pair& p : pairs) {
    j.begin_object().field("name", p.first->name).field("other", p.second->name);
    j.field("nodes", p.first->nodes);
    write_error(j, p.error);
    j.end_object();
  }
  terminal::print_document(stdout, j.end_array().end_object().take());
}

}  // namespace

int compare_models(const CompareOptions& options) {
  const Tensors inputs = inputs_of_data(options.data, options.compile);
  CompileOptions other = options.compile;
  other.model = options.other;
  const InnerRun first = run_with_probes(options.compile, inputs);
  const InnerRun second = run_with_probes(other, inputs);
  const std::vector<Pair> pairs = pairs_of(first, second);
  if (pairs.empty())
    throw FatalError(exit_code::usage, fmt::format("{} and {} have no tensors of equal names and "
                                                   "shapes",
                                                   options.compile.model, options.other));
  if (options.json)
    print_pairs_json(pairs);
  else
    print_pairs(pairs);
  terminal::print(stderr, "{} of {} and {} tensors compared; inputs {}\n", pairs.size(),
                  first.tensors.size(), second.tensors.size(),
                  inputs.empty() ? "are random numbers" : "are recorded");
  return exit_code::ok;
}

}  // namespace onnxc
