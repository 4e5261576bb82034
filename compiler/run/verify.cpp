// The verify command: finds cases, distributes them among workers, reports.
#include "compiler/run/verify.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "compiler/run/verify_batch.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/platform/processes.hpp"
#include "compiler/support/platform/workers.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestBatch = 24;

std::string encode(const CaseResult& r) {
  return fmt::format("{} {} {} {} {}", static_cast<int>(r.status), r.max_abs, r.max_rel, r.ms,
                     r.message);
}

CaseResult decode(const std::string& line) {
  CaseResult r;
  char* at = nullptr;
  r.status = static_cast<CaseStatus>(std::strtol(line.c_str(), &at, 10));
  r.max_abs = std::strtod(at, &at);
  r.max_rel = std::strtod(at, &at);
  r.ms = std::strtod(at, &at);
  r.message = *at == ' ' ? at + 1 : at;
  return r;
}

// Prints failures as they come, and the progress on a terminal.
class Progress {
 public:
  // `prints`: failures, too.
  Progress(std::size_t total, bool prints) : total_(total), prints_(prints) {
    status_.show(fmt::format("[0/{}] generating and compiling", total_));
  }

  void add(const TestCase& test, const CaseResult& r) {
    ++done_;
    passed_ += r.status == CaseStatus::pass ? 1 : 0;
    if (r.status != CaseStatus::pass && prints_) print_failure(test, r);
    status_.show(fmt::format("[{}/{}] {} pass", done_, total_, passed_));
  }

 private:
  void print_failure(const TestCase& test, const CaseResult& r) const {
    status_.clear();
    terminal::set_tone(stdout, terminal::Tone::error);
    terminal::print(stdout, "{:<13}", status_name(r.status));
    terminal::set_tone(stdout, terminal::Tone::plain);
    terminal::print(stdout, " {}: {}\n", test.path, r.message);
    std::fflush(stdout);
  }

  std::size_t total_, done_ = 0, passed_ = 0;
  bool prints_;
  terminal::StatusLine status_;
};

void write_report(const std::string& path, const std::string& text) {
  write_file(path + ".part", text);
  fs::rename(path + ".part", path);
}

// Models that cannot be compiled have their own exit code.
int verdict(const std::vector<CaseResult>& results) {
  int code = exit_code::ok;
  for (const CaseResult& r : results) {
    if (r.status == CaseStatus::refused && code == exit_code::ok) code = exit_code::bad_model;
    if (r.status != CaseStatus::refused && r.status != CaseStatus::pass) code = exit_code::mismatch;
  }
  return code;
}

// "suite/node/test_abs" -> "suite_node_test_abs"
std::string folder_name(std::string path) {
  for (char& c : path) {
    if (c == '/' || c == ':') c = '_';
  }
  return path.substr(std::min(path.find_first_not_of("._"), path.size() - 1));
}

CaseResult died(int signal) {
  CaseResult r;
  const bool late = platform::is_alarm(signal);
  r.status = late ? CaseStatus::timeout : CaseStatus::crash;
  r.message = late ? "generating takes too long"
                   : "the generator crashed: " +
                         (signal != 0 ? platform::signal_text(signal) : "it ended early");
  return r;
}

std::vector<CaseResult> run_cases(const std::vector<TestCase>& cases, const VerifyOptions& options,
                                  const std::string& folder) {
  const Toolchain toolchain(compiler_flags(options.compile), "-O1");
  const bool keep = !options.keep.empty();
  const HarnessFolder harness(folder + "/harness", toolchain, keep);
  const std::string driver = harness.driver("verify_driver");
  std::vector<CaseResult> results(cases.size());
  Progress progress(cases.size(), !options.json);

  WorkerPool pool;
  pool.jobs = options.jobs > 0
                  ? options.jobs
                  : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::size_t share = cases.size() / (static_cast<std::size_t>(pool.jobs) * 4);
  pool.batch = keep ? 1 : std::clamp<std::size_t>(share, 1, kLargestBatch);
  pool.work = [&](const auto& tasks, std::size_t number, const WorkerChannel& channel) {
    const std::string batch = keep ? fmt::format("{}/{}", folder, folder_name(cases[tasks[0]].path))
                                   : fmt::format("{}/batch{}", folder, number);
    fs::create_directories(batch);
    verify_batch(
        cases, tasks, options, harness, driver, batch,
        {channel.begin, [&](std::size_t i, const CaseResult& r) { channel.end(i, encode(r)); }});
    if (!keep) fs::remove_all(batch);
  };
  const auto finish = [&](std::size_t i, const CaseResult& r) {
    results[i] = r;
    progress.add(cases[i], r);
  };
  pool.done = [&](std::size_t i, const std::string& line) { finish(i, decode(line)); };
  pool.died = [&](std::size_t i, int signal) { finish(i, died(signal)); };
  run_workers(pool, cases.size());
  return results;
}

std::vector<TestCase> cases_of(const VerifyOptions& options, const std::string& folder) {
  if (options.model == "-")
    throw FatalError(exit_code::usage, "verify reads a model several times: --model wants a file");
  std::vector<TestCase> cases = options.model.empty() ? find_test_cases(options.paths, folder)
                                                      : test_cases_of(options.model, options.paths);
  if (cases.empty()) {
    throw FatalError(exit_code::usage,
                     "no test case found: a folder with model.onnx and test_data_set_0, or a file "
                     "NAME.case");
  }
  return cases;
}

int verify_in(const VerifyOptions& options, const std::string& folder) {
  const std::vector<TestCase> cases = cases_of(options, folder + "/cases");
  const std::vector<CaseResult> results = run_cases(cases, options, folder);
  if (!options.report.empty()) write_report(options.report, results_as_table(cases, results));
  if (!options.junit.empty()) write_report(options.junit, results_as_junit(cases, results));
  if (options.json) terminal::print_document(stdout, results_as_json(cases, results));
  terminal::print_document(stderr, failures(cases, results));
  terminal::print(stderr, "{}: {}\n", terminal::counted(cases.size(), "case"), totals(results));
  return verdict(results);
}

}  // namespace

int run_verify(const VerifyOptions& options) {
  if (!options.export_to.empty()) {
    const std::size_t count = find_test_cases(options.paths, options.export_to).size();
    terminal::print(stderr, "{} -> {}\n", terminal::counted(count, "case"), options.export_to);
    return exit_code::ok;
  }
  if (options.keep.empty()) {
    const TemporaryFolder folder;
    return verify_in(options, folder.path());
  }
  fs::create_directories(options.keep);
  return verify_in(options, fs::canonical(options.keep).string());
}

}  // namespace onnxc
