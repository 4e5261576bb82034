// Compiles and links generated code to know its size and its stack.
#include "compiler/run/measure.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/run/harness.hpp"
#include "compiler/run/process.hpp"
#include "compiler/run/toolchain.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/read_file.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr double kTimeout = 1800;  // seconds

// Compilers of bare cores, whose programs are linked without an operating system.
struct CrossCompiler {
  const char *target, *command;
};
constexpr CrossCompiler kCross[] = {{"cortex-", "arm-none-eabi-g++"},
                                    {"avr", "clang++-19 --target=avr"},
                                    {"xtensa-lx106", "xtensa-lx106-elf-g++"},
                                    {"rv", "riscv64-unknown-elf-g++"},
                                    {"riscv", "riscv64-unknown-elf-g++"}};

const CrossCompiler* cross_compiler(const std::string& target) {
  for (const CrossCompiler& c : kCross)
    if (target.starts_with(c.target)) return &c;
  return nullptr;
}

bool is_there(const std::string& command) {
  try {
    return run_process({command, "--version"}, kTimeout).ok();
  } catch (const FatalError&) {
    return false;
  }
}

class Measurement {
 public:
  Measurement(const CompileResult& generated, const CompileOptions& options)
      : generated_(generated), options_(options), target_(make_target(options.target)) {
    const char* const chosen = std::getenv("CXX");
    const CrossCompiler* const cross = cross_compiler(target_.name);
    bare_ = cross != nullptr;
    command_ = split_words(chosen != nullptr ? chosen : bare_ ? cross->command : "g++");
    if (command_.empty()) command_ = {"g++"};
  }

  std::optional<Costs> run() {
    if (!is_there(command_.front())) return std::nullopt;
    add_flags();
    write_sources();
    Costs costs;
    costs.compiler = label_;
    std::string graph;
    for (const std::string& source : sources_) graph += compile_one(source);
    costs.code_bytes = costs.code_bytes_at_most = linked_bytes() - weights();
    // The other threads have stacks of their own.
    if (options_.threads == 1)
      costs.stack_bytes =
          stack_bound(graph, generated_.name.text() + (generated_.training ? "_" : "_run"));
    return costs;
  }

 private:
  void add_flags() {
    const std::string level = options_.optimize_size ? "-Os" : "-O2";
    const char* const more = std::getenv("CXXFLAGS");
    label_ = command_.front() + " " + (more != nullptr ? std::string(more) : level);
    Words flags = split_words(
        "-std=c++17 -fno-exceptions -fno-rtti -fno-unwind-tables -fno-asynchronous-unwind-tables "
        "-fno-threadsafe-statics -fno-math-errno -ffunction-sections -fdata-sections");
    flags.push_back(level);
    for (const std::string& text : {compiler_flags(options_), std::string(more ? more : "")})
      for (const std::string& word : split_words(text)) flags.push_back(word);
    command_.insert(command_.end(), flags.begin(), flags.end());
  }

  void write_sources() {
    for (const GeneratedFile& file : generated_.files) {
      const std::string path = folder_.path() + "/" + fs::path(file.path).filename().string();
      write_file(path, file.content);
      if (path.ends_with(".cpp")) sources_.push_back(path);
    }
  }

  // Returns the call graph, empty if the compiler writes none.
  std::string compile_one(const std::string& source) {
    const std::string stem = source.substr(0, source.size() - 4);
    Words plain = command_;
    for (const std::string& word :
         {"-I" + folder_.path(), std::string("-c"), source, std::string("-o"), stem + ".o"})
      plain.push_back(word);
    Words with_graph = plain;
    with_graph.push_back("-fcallgraph-info=su");
    objects_.push_back(stem + ".o");
    if (run_process(with_graph, kTimeout).ok() && fs::exists(stem + ".ci"))
      return read_file(stem + ".ci");
    const ProcessResult r = run_process(plain, kTimeout);
    if (!r.ok())
      throw FatalError(
          exit_code::io,
          fmt::format("--measure: {} does not compile the code; set CXX and CXXFLAGS: {}",
                      command_.front(), first_error_line(r.output)));
    return "";
  }

  // What a program may call and that is not for people alone, as NAME_info() is.
  Words functions() const {
    Words names = {"run", "run_steps", "selftest"};
    if (generated_.training) {
      names.insert(names.end(), {"reset", "init", "train"});
      for (const auto& algorithm : generated_.training->algorithms)
        names.push_back(algorithm.function);
    }
    return names;
  }

  // A program of a bare core is linked, so that arithmetic from libraries counts, and unreferenced
  // functions do not. On other systems such functions are there anyway.
  std::int64_t linked_bytes() {
    std::int64_t sum = 0;
    for (const std::string& object : objects_) sum += flash_bytes_of(object);
    if (!bare_) return sum;
    const std::string program = folder_.path() + "/linked.elf";
    Words link = command_;
    link.insert(link.end(), objects_.begin(), objects_.end());
    for (const std::string& word :
         {std::string("-nostartfiles"), "-Wl,-e," + generated_.name.text() + "_run",
          std::string("-Wl,--gc-sections"), std::string("-o"), program})
      link.push_back(word);
    for (const std::string& name : functions())
      link.push_back("-Wl,-u," + generated_.name.text() + "_" + name);
    return run_process(link, kTimeout).ok() ? flash_bytes_of(program) : sum;
  }

  std::int64_t weights() const {
    const bool outside = !external_weights(generated_).empty();
    return outside ? 0 : generated_.weight_bytes + generated_.selftest_bytes;
  }

  const CompileResult& generated_;
  const CompileOptions& options_;
  const Target target_;
  const TemporaryFolder folder_;
  Words command_, sources_, objects_;
  std::string label_;
  bool bare_ = false;
};

}  // namespace

std::optional<Costs> measure_costs(const CompileResult& generated, const CompileOptions& options) {
  return Measurement(generated, options).run();
}

}  // namespace onnxc
