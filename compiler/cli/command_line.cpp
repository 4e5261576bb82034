// Declares the commands and their options, and reports mistyped ones.
#include "compiler/cli/commands.hpp"
#include "compiler/run/bench.hpp"
#include "compiler/run/compare_layers.hpp"
#include "compiler/run/verify.hpp"

#include <exception>
#include <new>

#include <filesystem>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "compiler/cli/arguments.hpp"
#include "compiler/cli/help.hpp"
#include "compiler/cli/option_table.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/limits.hpp"
#include "compiler/support/terminal.hpp"

namespace onnxc {
namespace {

constexpr const char* kAbout =
    "onnxc turns an ONNX model into standalone C++17 source code.\n\n"
    "  onnxc model.onnx -o out/model      writes out/model.h, out/model.cpp, ...\n"
    "  onnxc verify models/               compares with the recorded test data\n"
    "  onnxc COMMAND --help               tells more about one command";
constexpr const char* kFooter =
    "Exit codes: 0 ok, 1 bad or unsupported model, 2 usage, 3 over budget, 4 verification "
    "mismatch,\n"
    "5 input/output, 70 internal error.\n"
    "@FILE stands for the words of a file: options, with comments after #.";

// All options of the command line.
struct Parsed {
  CompileOptions compile;
  InspectOptions inspect;
  CheckOptions check;
  VerifyOptions verify;
  CompareOptions compare;
  BenchOptions bench;
  ReportDiffOptions report_diff;
  PrepareOptions prepare;
  ShardOptions shard;
  TokenizerOptions tokenizer;
  CompileOptions python;
  std::string rate;
  bool check_json = false, check_sarif = false, check_rules = false;
  bool ops_json = false, ops_markdown = false;
  std::string ops_filter;
  std::string shell;
};

// The file, or standard input by one of its names.
CLI::Option* add_model(CLI::App& command, std::string& model) {
  return command
      .add_option_function<std::string>(
          "MODEL", [&model](const std::string& path) { model = path == "/dev/stdin" ? "-" : path; },
          "The ONNX file; -: standard input")
      ->type_name("");
}

void add_compile(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("compile", "Generate C++ from a model (the default command)");
  add_model(*c, p.compile.model)->required();
  add_compile_options(*c, p.compile);
  group_options(*c);
  c->footer(
      "For example:\n"
      "  onnxc kws.onnx -o out/kws --target cortex-m4f --no-heap --ram-limit 64K\n"
      "  onnxc encoder.onnx -o out/encoder --dim batch=1..8 --dim length=1..128 --threads 4\n"
      "  onnxc camera.onnx -o out/camera --input image:u8,scale=0.00392,layout=nhwc --io int8\n"
      "  onnxc net.onnx -o out/net --probe conv1 --report out/net.html");
}

void add_python(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("python", "Make a Python package of a model");
  c->footer(
      "-o is the package's folder, whose name Python imports; its run() takes and gives numpy\n"
      "arrays. The code is compiled with $CXX $CXXFLAGS (default: g++ -O3) when it is imported\n"
      "first; a wheel holds it compiled: pip wheel FOLDER. It is for machines like this one, "
      "unless\n"
      "--target says otherwise.");
  p.python.target = "native";
  add_model(*c, p.python.model)->required();
  add_compile_options(*c, p.python);
  group_options(*c);
  hide_options(*c, options_refused_by_python());
}

void add_inspect(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("inspect", "Show inputs, outputs, operators, parameters, MACs");
  add_model(*c, p.inspect.compile.model)->required();
  auto* json = c->add_flag_callback(
      "--json", [&p] { p.inspect.form = InspectForm::json; }, "For programs");
  c->add_flag("--layers", p.inspect.layers, "Also a table of all nodes");
  auto* tradeoff =
      c->add_flag("--tradeoff", p.inspect.tradeoff,
                  "Memory, code and time of the programs that the model can become, instead");
  auto* nodes = c->add_flag_callback(
                     "--nodes", [&p] { p.inspect.form = InspectForm::nodes; },
                     "The graph in text form, instead")
                    ->excludes(json)
                    ->excludes(tradeoff);
  c->add_option_function<std::string>(
       "--graph",
       [&p](const std::string& kind) {
         p.inspect.form = kind == "dot" ? InspectForm::dot : InspectForm::svg;
       },
       "A picture of the graph, instead")
      ->type_name("dot|svg")
      ->check(one_of({"dot", "svg"}))
      ->excludes(json)
      ->excludes(nodes)
      ->excludes(tradeoff);
  add_model_options(*c, p.inspect.compile, Budgets::hidden);
}

void add_check(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("check", "List every problem of a model, one line each");
  CheckOptions& o = p.check;
  CLI::Option* model = add_model(*c, o.compile.model);
  auto* json = c->add_flag("--json", p.check_json, "For programs");
  c->add_flag("--sarif", p.check_sarif, "For code review tools")->excludes(json);
  c->add_flag("--rules", p.check_rules, "Explain every kind of problem, instead")->excludes(model);
  c->callback([&p] {
    if (!p.check_rules && p.check.compile.model.empty()) throw CLI::RequiredError("MODEL");
  });
  add_model_options(*c, o.compile, Budgets::shown);
}

void add_verify(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("verify", "Run models on recorded data and compare the results");
  VerifyOptions& v = p.verify;
  c->footer(
      "PATH is a folder with model.onnx and test_data_set_*/{input,output}_N.pb, a file of cases,\n"
      "FILE.case, one of them, FILE.case:NAME, or any folder above.\n"
      "The generated code is compiled with $CXX $CXXFLAGS (default: g++ -O1). A value is right "
      "when\n"
      "|got - want| <= ATOL + RTOL * |want|; a data.json next to the model may set rtol and atol.");
  c->add_option("PATH", v.paths, "Folders or files with test cases")->required()->type_name("");
  c->add_option("-j,--jobs", v.jobs, "Processes at a time (default: one per processor)")
      ->type_name("N")
      ->check(number_from(1, 1024));
  c->add_option("--report", v.report, "Write one row per case")->type_name("FILE.tsv");
  c->add_option("--junit", v.junit, "Write the results for a server of continuous integration")
      ->type_name("FILE.xml");
  c->add_flag("--json", v.json, "For programs");
  c->add_option("--rtol", v.rtol, "Relative tolerance")
      ->capture_default_str()
      ->type_name("R")
      ->check(number_from(0, 1e9));
  c->add_option("--atol", v.atol, "Absolute tolerance")
      ->capture_default_str()
      ->type_name("A")
      ->check(number_from(0, 1e9));
  c->add_option("--scaled", v.scaled, "Also accept max|got - want| <= S * max|want| of an output")
      ->type_name("S")
      ->check(number_from(0, 1e9));
  c->add_option("--model", v.model, "Use this model; then PATHs hold only data sets, or are some")
      ->type_name("FILE");
  c->add_option("--run-with", v.run_with, "Run the programs through this command: an emulator")
      ->type_name("COMMAND");
  c->add_option("--allocation-faults", v.allocation_faults,
                "Also let N allocations of each run fail, one at a time: a status, nothing lost")
      ->type_name("N")
      ->check(number_from(0, 1e9));
  c->add_option("--timeout", v.timeout, "Seconds one run may take")
      ->capture_default_str()
      ->type_name("SECONDS")
      ->check(number_above(0));
  c->add_flag("--record", v.record,
              "Write what the runs compute as expected outputs, compare nothing");
  c->add_option("--export", v.export_to,
                "Only write the cases of files below this folder, as folders")
      ->type_name("DIR");
  c->add_option("--keep", v.keep, "Leave the generated code, its program and inputs in this folder")
      ->type_name("DIR");
  c->add_option("--layers", v.layers,
                "Compare every inner tensor of the model PATH with those recorded here")
      ->type_name("FILE.npz|DIR");
  add_model_options(*c, v.compile, Budgets::hidden);
}

void add_compare(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("compare", "The error of each tensor between two models");
  c->footer(
      "Both models run on the same inputs: those of --data, of a test data set next to MODEL, or\n"
      "random ones. Tensors are compared by their names, integers as what they stand for; the "
      "worst\n"
      "comes first.");
  CompareOptions& o = p.compare;
  add_model(*c, o.compile.model)->required();
  c->add_option("OTHER", o.other, "Another version of it, such as a quantised one")
      ->required()
      ->type_name("");
  c->add_option("--data", o.data, "A test_data_set folder, or a folder that holds one")
      ->type_name("DIR");
  c->add_flag("--json", o.json, "For programs");
  add_model_options(*c, o.compile, Budgets::hidden);
}

// The model of `verify --layers`: a file, or the model.onnx of a folder.
int layers(const VerifyOptions& v) {
  LayersOptions o{v.layers,
                  "",
                  v.json,
                  {v.rtol, v.atol, v.scaled.value_or(1e-4), v.compile.selftest_quanta},
                  v.compile};
  if (v.paths.size() != 1)
    throw FatalError(exit_code::usage,
                     "--layers takes one PATH: a model, or with --model its data");
  const bool is_folder = std::filesystem::is_directory(v.paths[0]);
  o.compile.model = !v.model.empty() ? v.model
                    : is_folder      ? v.paths[0] + "/model.onnx"
                                     : v.paths[0];
  if (!v.model.empty()) o.data = v.paths[0];
  return verify_layers(o);
}

void add_bench(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("bench", "Measure the speed and size of the generated code");
  c->footer(
      "The generated code is compiled with $CXX -O3 for this machine, unless --target says\n"
      "otherwise. A size that the model leaves open is 1, unless --dim or --data say otherwise.\n"
      "With --train a step of the training is measured, on a state that it changes.");
  BenchOptions& b = p.bench;
  b.compile.target = "native";
  add_model(*c, b.compile.model)->required();
  CLI::Option* data =
      c->add_option("--data", b.data, "A test_data_set folder, or a folder that holds one")
          ->type_name("DIR");
  c->add_flag("--open-sizes", b.open_sizes,
              "The data do not fix the sizes that the model leaves open")
      ->needs(data);
  CLI::Option* profile =
      c->add_flag("--profile", b.profile, "Time, rate and traffic of every step too");
  CLI::Option* targets =
      c->add_option_function<std::string>(
           "--targets", [&b](const std::string& list) { b.targets = known_targets(list); },
           "Measure these targets in turn, and compare them: x86-64-v3,native")
          ->type_name("NAME,...")
          ->excludes(profile);
  c->add_option("--report", b.compile.reports, "Write a report with the time of every step")
      ->type_name("FILE.json|FILE.html")
      ->check(check_report)
      ->allow_extra_args(false)
      ->excludes(targets);
  c->add_flag("--json", b.json, "For programs");
  add_model_options(*c, b.compile, Budgets::hidden);
}

void add_report(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("report", "Compare the code of two versions of a model");
  c->require_subcommand(1);
  CLI::App* diff = c->add_subcommand("diff", "Work, memory, interface and steps that differ");
  diff->add_option("OLD", p.report_diff.before, "An ONNX file")->required()->type_name("");
  diff->add_option("NEW", p.report_diff.after, "Another one")->required()->type_name("");
  diff->add_flag("--json", p.report_diff.json, "For programs");
  add_model_options(*diff, p.report_diff.compile, Budgets::hidden);
}

void add_prepare(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("prepare", "Make a model trainable: add training_info");
  c->footer(
      "The new model has a loss, its gradient and an optimiser; `onnxc compile --train` generates\n"
      "code that trains it. Classes of softmax_cross_entropy are on axis 1, labels are int64.");
  PrepareOptions& o = p.prepare;
  const auto rate = [](const std::string& text) {
    std::string word = text;
    return text == "input" ? "" : number_above(0)(word);
  };
  add_model(*c, o.model)->required();
  c->add_option("--loss", o.loss, "What training makes small")
      ->required()
      ->type_name("mse|softmax_cross_entropy|l1|bce")
      ->check(one_of({"mse", "softmax_cross_entropy", "l1", "bce"}));
  c->add_option("--optimizer", o.optimizer, "How it does that")
      ->required()
      ->type_name("sgd|momentum|adam|adamw|adagrad")
      ->check(one_of({"sgd", "momentum", "adam", "adamw", "adagrad"}));
  c->add_option(
       "--lr", p.rate,
       "Learning rate (default: 0.01, for adam and adamw 0.001); input: the caller gives it")
      ->type_name("R|input")
      ->check(rate);
  c->add_option("--weight-decay", o.decay,
                "With adamw: the part of a weight that each step takes away, in learning rates "
                "(default: 0.01)")
      ->type_name("R")
      ->check(number_from(0, 1e9));
  c->add_option("--train", o.trains, "Initializers that change; may be repeated")
      ->required()
      ->type_name("GLOB")
      ->allow_extra_args(false);
  c->add_option("--output", o.result, "The output that the loss is about (default: the first)")
      ->type_name("NAME");
  c->add_option("-o", o.output, "The model to write")->required()->type_name("OUT.onnx");
}

void add_shard(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("shard", "Spread a model over several devices: annotate it");
  c->footer(
      "The new model has a configuration devices_N with ONNX's own annotations;\n"
      "`onnxc compile --devices devices_N` generates the programs.");
  ShardOptions& o = p.shard;
  add_model(*c, o.model)->required();
  c->add_option("--devices", o.devices, "How many there are")
      ->required()
      ->type_name("N")
      ->check(number_from(1, 1024));
  c->add_option("--by", o.by,
                "Each device has a part of every large product, or a sequence of nodes "
                "(default: tensors)")
      ->type_name("tensors|stages")
      ->check(one_of({"tensors", "stages"}));
  add_size_option(*c, "--memory-per-device", o.memory, "Refuse more weights than this on a device");
  c->add_option("-o", o.output, "The model to write")->required()->type_name("OUT.onnx");
}

void add_tokenizer(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("tokenizer", "Generate C++ from a tokenizer");
  c->footer(
      "Text to tokens and back, without a heap: BASE.h declares NAME_encode, NAME_decode and, a\n"
      "token at a time, NAME_decode_next.");
  TokenizerOptions& o = p.tokenizer;
  c->add_option("TOKENIZER", o.file, "A tokenizer.json of Hugging Face")->required()->type_name("");
  c->add_option("-o", o.output_base, "Writes BASE.h, BASE.cpp")->required()->type_name("BASE");
  c->add_option("--name", o.name, "Prefix of the functions (default: from BASE)")->type_name("ID");
  auto* genai = c->add_option("--genai", o.genai,
                              "Also BASE_generate.hpp: text by the decoder of genai_config.json");
  genai->type_name("FILE.json");
  c->add_option("--model", o.model, "Its compiled files (default: as FILE.json says)")
      ->type_name("BASE")
      ->needs(genai);
  c->add_flag("-q,--quiet", o.quiet, "No summary line");
}

void add_ops(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("ops", "List the operators that are supported");
  c->add_option("FILTER", p.ops_filter, "Only those with this text in their domain or name")
      ->type_name("");
  auto* json = c->add_flag("--json", p.ops_json, "For programs");
  c->add_flag("--markdown", p.ops_markdown, "For documentation")->excludes(json);
}

void add_documents(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("completion", "Print a script that completes command lines");
  c->add_option("SHELL", p.shell, "bash, zsh or fish")
      ->required()
      ->type_name("bash|zsh|fish")
      ->check(one_of({"bash", "zsh", "fish"}));
  app.add_subcommand("manual", "Print the man page");
}

void describe_program(CLI::App& app) {
  app.set_version_flag("--version", std::string("onnxc ") + ONNXC_VERSION, "Print the version");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.fallthrough(false);
}

std::vector<std::string> verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* c : app.get_subcommands({})) names.push_back(c->get_name());
  return names;
}

// CLI11 expects the words in reverse.
void parse_words(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  app.parse(std::move(words));
}

// The options of a compilation may also follow `--`, as they once had to.
void remove_dashes(std::vector<std::string>& words) {
  static constexpr std::string_view kCommands[] = {"inspect", "check", "verify", "bench"};
  if (std::find(std::begin(kCommands), std::end(kCommands), words[0]) == std::end(kCommands))
    return;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes != words.end()) words.erase(dashes);
}

int prepare(Parsed& p) {
  p.prepare.rate_is_input = p.rate == "input";
  if (!p.rate.empty() && !p.prepare.rate_is_input) p.prepare.rate = std::stod(p.rate);
  return run_prepare(p.prepare);
}

int check(Parsed& p) {
  if (p.check_rules) return print_rules();
  if (p.check_json) p.check.format = CheckFormat::json;
  if (p.check_sarif) p.check.format = CheckFormat::sarif;
  return run_check(p.check);
}

int print_completion(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandRow> commands = command_table(app);
  terminal::print_document(stdout, shell == "bash"  ? bash_completion(commands)
                                   : shell == "zsh" ? zsh_completion(commands)
                                                    : fish_completion(commands));
  return exit_code::ok;
}

int print_manual(const CLI::App& app) {
  terminal::print_document(stdout, man_page(command_table(app)));
  return exit_code::ok;
}

int run(const CLI::App& app, Parsed& p) {
  if (app.got_subcommand("completion")) return print_completion(app, p.shell);
  if (app.got_subcommand("manual")) return print_manual(app);
  if (app.got_subcommand("inspect")) return run_inspect(p.inspect);
  if (app.got_subcommand("check")) return check(p);
  if (app.got_subcommand("python")) return run_python(p.python);
  if (app.got_subcommand("verify"))
    return p.verify.layers.empty() ? run_verify(p.verify) : layers(p.verify);
  if (app.got_subcommand("compare")) return compare_models(p.compare);
  if (app.got_subcommand("bench")) return run_bench(p.bench);
  if (app.got_subcommand("report")) return run_report_diff(p.report_diff);
  if (app.got_subcommand("prepare")) return prepare(p);
  if (app.got_subcommand("shard")) return run_shard(p.shard);
  if (app.got_subcommand("tokenizer")) return run_tokenizer(p.tokenizer);
  if (app.got_subcommand("ops")) {
    return run_ops(p.ops_json       ? OpsFormat::json
                   : p.ops_markdown ? OpsFormat::markdown
                                    : OpsFormat::text,
                   p.ops_filter);
  }
  return run_compile(p.compile);
}

int usage_error(const std::string& message, const std::string& command = "") {
  terminal::print(stderr, "onnxc: ");
  terminal::set_tone(stderr, terminal::Tone::error);
  terminal::print(stderr, "{}\n", message);
  terminal::set_tone(stderr, terminal::Tone::plain);
  terminal::print(stderr, "onnxc: see `onnxc {}--help`\n", command.empty() ? "" : command + " ");
  return exit_code::usage;
}

int parse_and_run(int argc, char** argv) {
  Parsed p;
  CLI::App app(kAbout, "onnxc");
  app.allow_windows_style_options(false);  // /model.onnx is a path on every system
  app.formatter(std::static_pointer_cast<CLI::FormatterBase>(help_formatter()));
  add_compile(app, p);
  add_inspect(app, p);
  add_python(app, p);
  add_check(app, p);
  add_verify(app, p);
  add_compare(app, p);
  add_bench(app, p);
  add_report(app, p);
  add_ops(app, p);
  add_prepare(app, p);
  add_shard(app, p);
  add_tokenizer(app, p);
  add_documents(app, p);
  describe_program(app);

  const std::vector<std::string> names = verbs(app);
  const std::vector<std::string> given =
      with_help_option(with_option_files({argv + (argc > 0 ? 1 : 0), argv + argc}));
  if (given.empty()) {
    terminal::print_document(stderr, app.help());
    return exit_code::usage;
  }
  const std::string mistyped = mistyped_command(given, names);
  if (!mistyped.empty()) return usage_error(mistyped);
  std::vector<std::string> words = with_verb(with_long_options(given), names);
  remove_dashes(words);
  try {
    parse_words(app, std::move(words));
  } catch (const CLI::Success& e) {
    return app.exit(e);  // --help, --version
  } catch (const CLI::Error& e) {
    const auto used = app.get_subcommands();
    return usage_error(explain(app, e), used.empty() ? "" : used[0]->get_name());
  }
  return run(app, p);
}

int internal_error(const char* what) {
  terminal::print(stderr, "onnxc: internal error: {}\nonnxc: this is a bug, please report it\n",
                  what);
  return exit_code::internal;
}

// The exit code, after the report of what ended the command. Throws only std::bad_alloc.
int reported(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const FatalError& e) {
    terminal::print(stderr, "onnxc: {}\n", e.what());
    return e.exit_code;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    return internal_error(e.what());
  } catch (...) {
    return internal_error("unknown exception");
  }
}

// Results on stdout count as written only now.
int checked_output(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fputs("onnxc: cannot write to stdout\n", stderr);
  return exit_code::io;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    watch_mapped_files();
    return checked_output(reported(argc, argv));
  } catch (const std::bad_alloc&) {
    return report_out_of_memory();
  }
}

}  // namespace onnxc
