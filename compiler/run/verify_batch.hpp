// Generates, compiles, runs and compares a batch of test cases inside one worker process.
#pragma once

#include <functional>
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

}  // namespace onnxc
