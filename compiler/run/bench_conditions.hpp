// What a measurement was made with, for reports.
#pragma once

#include <string>

#include "compiler/products/report/report.hpp"
#include "compiler/run/bench.hpp"
#include "compiler/run/bench_result.hpp"

namespace onnxc {

// `compiled`: the options of the code that was measured. `flags`: of its compiler, besides those of
// the environment.
MeasuredRun conditions_of(const BenchOptions& given, const CompileOptions& compiled,
                          const std::string& flags, const BenchResult& result);

// What reports say about the code that was measured.
Costs costs_of(const MeasuredRun& run, const BenchResult& result);

}  // namespace onnxc
