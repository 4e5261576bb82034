// Generates, compiles, runs and compares a batch of test cases inside one worker process.
#pragma once

#include <bit>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/harness.hpp"
#include "compiler/run/test_case.hpp"
#include "compiler/run/verify.hpp"

namespace onnxc {

enum class CaseStatus { pass, mismatch, refused, compile_error, crash, timeout };
const char* status_name(CaseStatus status);

struct CaseResult {
  CaseStatus status = CaseStatus::pass;
  double max_abs = 0, max_rel = 0;
  double ms = 0;  // the generated function's own time, over all data sets
  std::string message;
};

// Keeps the first failure.
void record(CaseResult& result, CaseStatus status, const std::string& message);

// Callbacks of a worker for its progress.
struct BatchEvents {
  std::function<void(std::size_t)> begin;  // starts the part of a case that runs in this process
  std::function<void(std::size_t, const CaseResult&)> end;
};

// `indices` select from `cases`; generated code goes below `folder`.
void verify_batch(const std::vector<TestCase>& cases, const std::vector<std::size_t>& indices,
                  const VerifyOptions& options, const HarnessFolder& harness,
                  const std::string& driver, const std::string& folder, const BatchEvents& events);

// Recorded training steps: train/init/state_N.pb, and {input,output,state}_N.pb in train/step_K.

// Runs a unit of the model, counted from run(), on inputs in the format of the drivers. Returns
// what it wrote; nullopt if it failed, which is then recorded.
using RunUnit =
    std::function<std::optional<std::string>(std::size_t unit, const std::string& inputs)>;

// Initialises the state and trains step by step with the results of the steps before; compares
// outputs and states with those in `folder`. `order`: of the program's bytes. Throws FatalError(io)
// for files that do not fit.
void verify_training(const std::string& folder, const CompileResult& generated,
                     const Tolerance& tolerance, std::endian order, const RunUnit& run,
                     CaseResult& result);

// The results in the forms that people and programs read.

using CaseResults = std::vector<CaseResult>;

// "4860 pass, 3 refused"
std::string totals(const CaseResults& results);

// A line for each case that does not pass, below each other; "" when there are less than two.
std::string failures(const std::vector<TestCase>& cases, const CaseResults& results);

std::string results_as_table(const std::vector<TestCase>& cases,
                             const CaseResults& results);  // TSV
std::string results_as_json(const std::vector<TestCase>& cases, const CaseResults& results);
// The XML of JUnit, which servers of continuous integration show.
std::string results_as_junit(const std::vector<TestCase>& cases, const CaseResults& results);

}  // namespace onnxc
