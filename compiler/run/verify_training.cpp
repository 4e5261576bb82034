// Compares training steps with recorded ones.
#include "compiler/run/verify_batch.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/run/recorded.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/read_file.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;
using Algorithm = TrainingInterface::Algorithm;

// The units after run(): see unit_names.
constexpr std::size_t kInit = 1, kTrain = 2, kFirstAlgorithm = 3;

class TrainingRun {
 public:
  TrainingRun(const std::string& folder, const CompileResult& generated, const Tolerance& tolerance,
              std::endian order, const RunUnit& run, CaseResult& result)
      : folder_(folder),
        training_(*generated.training),
        tolerance_(tolerance),
        order_(order),
        run_(run),
        result_(result) {}

  void run() {
    const auto state = run_(kInit, "");
    if (!state) return;
    take_results(*state, {});
    bool compared = compare_state("init");
    for (std::size_t k = 0;; ++k) {
      const std::string step = fmt::format("step_{}", k);
      if (!fs::is_directory(folder_ + "/" + step)) break;
      if (!run_step(step)) return;
      compared = true;
    }
    if (!compared) record(result_, CaseStatus::mismatch, "no recorded training steps");
  }

 private:
  // The index in the file `algorithm`; nullopt for all of them.
  std::optional<std::size_t> algorithm_of(const std::string& step) const {
    const std::string path = fmt::format("{}/{}/algorithm", folder_, step);
    if (!fs::exists(path)) return std::nullopt;
    const std::string text = read_file(path);
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc{} || index >= training_.algorithms.size())
      throw FatalError(exit_code::io, fmt::format("{}: no algorithm of the model", path));
    return index;
  }

  bool run_step(const std::string& step) {
    const auto index = algorithm_of(step);
    const Algorithm& algorithm = index ? training_.algorithms[*index] : training_.all;
    const Recorded data = read_data_set(folder_ + "/" + step, algorithm.inputs, algorithm.outputs);
    const auto size = static_cast<std::int64_t>(state_.size());
    const auto written =
        run_(index ? kFirstAlgorithm + *index : kTrain,
             pack_inputs(data, algorithm.inputs, order_) + pack_tensor({size}, state_, order_));
    if (!written) return false;
    const auto outputs = take_results(*written, algorithm.outputs);
    if (data.outputs.size() > outputs.size()) {
      record(result_, CaseStatus::mismatch,
             fmt::format("{}: {} outputs, want {}", step, outputs.size(), data.outputs.size()));
      return false;
    }
    for (std::size_t i = 0; i < data.outputs.size(); ++i)
      compare_one(outputs[i], data.outputs[i],
                  fmt::format("{}, output {} '{}'", step, i, algorithm.outputs[i].name));
    compare_state(step);
    return true;
  }

  // Returns the outputs, and keeps the state that follows them.
  std::vector<DataValue> take_results(const std::string& bytes, std::vector<Port> ports) {
    Port block;
    block.type = Type::tensor(ElemType::uint8, Shape{training_.state_bytes});
    block.elem = ElemType::uint8;
    ports.push_back(block);
    std::vector<DataValue> values = unpack_outputs(bytes, ports, order_);
    const auto data = values.back().tensor.bytes();
    state_.assign(reinterpret_cast<const char*>(data.data()), data.size());
    values.pop_back();
    return values;
  }

  // Whether there is anything to compare with.
  bool compare_state(const std::string& step) {
    const std::vector<DataValue> wanted = read_states(folder_ + "/" + step);
    const std::vector<DataValue> values = unpack_state(state_, training_, order_);
    for (const DataValue& want : wanted) {
      const auto got = std::find_if(values.begin(), values.end(),
                                    [&](const DataValue& v) { return v.name == want.name; });
      if (got == values.end())
        record(result_, CaseStatus::mismatch,
               fmt::format("{}: the model has no state variable '{}'", step, want.name));
      else
        compare_one(*got, want, fmt::format("{}, state '{}'", step, want.name));
    }
    return !wanted.empty();
  }

  void compare_one(const DataValue& got, const DataValue& want, const std::string& what) {
    const Comparison c = compare(got, want, tolerance_);
    result_.max_abs = std::max(result_.max_abs, c.max_abs);
    result_.max_rel = std::max(result_.max_rel, c.max_rel);
    if (!c.match) record(result_, CaseStatus::mismatch, what + ": " + c.message);
  }

  const std::string& folder_;
  const TrainingInterface& training_;
  const Tolerance tolerance_;
  const std::endian order_;
  const RunUnit& run_;
  CaseResult& result_;
  std::string state_;
};

}  // namespace

void verify_training(const std::string& folder, const CompileResult& generated,
                     const Tolerance& tolerance, std::endian order, const RunUnit& run,
                     CaseResult& result) {
  TrainingRun(folder, generated, tolerance, order, run, result).run();
}

}  // namespace onnxc
