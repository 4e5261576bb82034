// Formats the results of cases.
#include "compiler/run/verify_batch.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compiler/interface/sanitized_text.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

constexpr std::size_t kStatuses = 6;

std::array<std::size_t, kStatuses> count_statuses(const CaseResults& results) {
  std::array<std::size_t, kStatuses> counts{};
  for (const CaseResult& r : results) ++counts[static_cast<std::size_t>(r.status)];
  return counts;
}

std::string xml(std::string_view text) { return html_text(text).text(); }

// JUnit calls a wrong result a failure, and what prevents one an error.
std::string junit_case(const TestCase& test, const CaseResult& r) {
  std::string text =
      fmt::format("  <testcase classname=\"onnxc.verify\" name=\"{}\" time=\"{:.6f}\"",
                  xml(test.path), r.ms / 1e3);
  if (r.status == CaseStatus::pass) return text + "/>\n";
  const char* const element = r.status == CaseStatus::mismatch ? "failure" : "error";
  return text + fmt::format(">\n    <{0} type=\"{1}\" message=\"{2}\"/>\n  </testcase>\n", element,
                            status_name(r.status), xml(r.message));
}

}  // namespace

std::string totals(const CaseResults& results) {
  const auto counts = count_statuses(results);
  std::string text;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0 && s > 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[s],
                        status_name(static_cast<CaseStatus>(s)));
  }
  return text;
}

std::string failures(const std::vector<TestCase>& cases, const CaseResults& results) {
  constexpr std::size_t kWidest = 60;
  std::size_t count = 0, width = 4;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (results[i].status == CaseStatus::pass) continue;
    ++count;
    width = std::clamp(terminal::text(cases[i].path).size(), width, kWidest);
  }
  if (count < 2) return "";
  std::string text = fmt::format("{:<13}  {:<{}}  {:>9}  {:>9}  message\n", "status", "case", width,
                                 "max_abs", "max_rel");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseResult& r = results[i];
    if (r.status == CaseStatus::pass) continue;
    const bool ran = r.status == CaseStatus::mismatch;
    text += fmt::format("{:<13}  {:<{}}  {:>9}  {:>9}  {}\n", status_name(r.status),
                        terminal::text(cases[i].path), width,
                        ran ? fmt::format("{:.3g}", r.max_abs) : "",
                        ran ? fmt::format("{:.3g}", r.max_rel) : "", terminal::text(r.message));
  }
  return text;
}

std::string results_as_table(const std::vector<TestCase>& cases, const CaseResults& results) {
  std::string text = "path\tstatus\tmax_abs\tmax_rel\tms\tmessage\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseResult& r = results[i];
    text +=
        fmt::format("{}\t{}\t{:.6g}\t{:.6g}\t{:.4g}\t{}\n", terminal::text(cases[i].path),
                    status_name(r.status), r.max_abs, r.max_rel, r.ms, terminal::text(r.message));
  }
  return text;
}

std::string results_as_json(const std::vector<TestCase>& cases, const CaseResults& results) {
  JsonWriter json;
  const auto counts = count_statuses(results);
  json.begin_object().key("totals").begin_object().field("cases", cases.size());
  for (std::size_t s = 0; s < counts.size(); ++s)
    json.field(status_name(static_cast<CaseStatus>(s)), counts[s]);
  json.end_object().key("cases").begin_array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CaseResult& r = results[i];
    json.begin_object().field("path", std::string_view(cases[i].path));
    json.field("status", status_name(r.status)).field("max_abs", r.max_abs);
    json.field("max_rel", r.max_rel).field("ms", r.ms);
    json.field("message", std::string_view(r.message)).end_object();
  }
  json.end_array().end_object();
  return json.take();
}

std::string results_as_junit(const std::vector<TestCase>& cases, const CaseResults& results) {
  const auto counts = count_statuses(results);
  const std::size_t passed = counts[static_cast<std::size_t>(CaseStatus::pass)],
                    wrong = counts[static_cast<std::size_t>(CaseStatus::mismatch)];
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"onnxc verify\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
      cases.size(), wrong, cases.size() - passed - wrong);
  for (std::size_t i = 0; i < cases.size(); ++i) text += junit_case(cases[i], results[i]);
  return text + "</testsuite>\n";
}

}  // namespace onnxc
