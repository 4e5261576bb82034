// The results of verify in the forms that people and programs read.
#pragma once

#include <string>
#include <vector>

#include "compiler/run/test_case.hpp"
#include "compiler/run/verify_batch.hpp"

namespace onnxc {

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
