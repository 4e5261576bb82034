// Parses sizes and dimensions, and declares the options of a compilation.
#include "compiler/cli/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "compiler/support/target.hpp"
#include "compiler/support/terminal.hpp"
#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

std::int64_t parse_extent(const std::string& text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) {
    throw std::invalid_argument(
        fmt::format("'{}' is not NAME=N or NAME=LO..HI with whole numbers", whole));
  }
  return value;
}

bool is_identifier(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && !digit(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

std::string check_identifier(const std::string& text) {
  return is_identifier(text) ? "" : fmt::format("'{}' is not a C identifier", text);
}

std::string check_namespace(const std::string& text) {
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find("::", start);
    if (!is_identifier(text.substr(start, end - start))) {
      return fmt::format("'{}' is not a C++ namespace", text);
    }
    if (end == std::string::npos) return "";
    start = end + 2;
  }
}

// Options whose text is parsed by a function that throws std::invalid_argument.
template <class F>
auto guarded(F parse) {
  return [parse](const std::string& text) {
    try {
      parse(text);
    } catch (const std::invalid_argument& e) {
      throw CLI::ValidationError(e.what());
    }
  };
}

}  // namespace

void add_size_option(CLI::App& app, const std::string& name, std::optional<std::int64_t>& into,
                     const std::string& help) {
  app.add_option_function<std::string>(
         name, guarded([&into](const std::string& text) { into = parse_size(text); }), help)
      ->type_name("SIZE");
}

namespace {

// Whether the command has an option --NAME already. CLI11's own search must not run out of memory.
bool has_option(const CLI::App& app, std::string_view name) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& own : option->get_lnames())
      if (own == name) return true;
  return false;
}

void add_output_options(CLI::App& app, CompileOptions& o) {
  app.add_option("-o,--output", o.output_base,
                 "Write BASE.h, BASE.cpp and what they need; may contain folders")
      ->type_name("BASE");
  app.add_option("--name", o.name, "Prefix of the C functions and types (default: from BASE)")
      ->type_name("ID")
      ->check(check_identifier);
  app.add_option("--namespace", o.name_space, "C++ namespace of the typed interface")
      ->type_name("NS")
      ->check(check_namespace);
  app.add_option("--bundle", o.bundle,
                 "Write a package for CMake, Arduino, PlatformIO, ESP-IDF, Zephyr and CMSIS here")
      ->type_name("DIR");
  if (!has_option(app, "report"))  // verify has one of its own
    app.add_option("--report", o.reports, "Also write a size, memory and layer report")
        ->type_name("FILE.json|FILE.html")
        ->check(check_report)
        ->allow_extra_args(false);
  app.add_flag("--MD", o.write_depfile, "Also write a dependency file for make and ninja (-MD)");
  app.add_option_function<std::string>(
         "--MF",
         [&o](const std::string& path) {
           o.depfile = path;
           o.write_depfile = true;
         },
         "Where the dependency file goes (-MF, default: BASE.d)")
      ->type_name("FILE");
  app.add_option("--MT", o.depends, "What depends, in that file (-MT, default: BASE.cpp)")
      ->type_name("TARGET");
}

void add_budget_options(CLI::App& app, CompileOptions& o) {
  app.add_flag("--measure", o.measure,
               "Compile the code for its target ($CXX), to know its size and its stack");
  add_size_option(app, "--ram-limit", o.ram_limit,
                  "Fail (exit 3) when arena, stack and heap are larger: 96K");
  add_size_option(app, "--flash-limit", o.flash_limit,
                  "Fail (exit 3) when weights and code are larger: 512K");
}

template <class T>
void add_limit(CLI::App& app, const std::string& name, T& limit, T least, T most,
               const std::string& help) {
  app.add_option(name, limit, help)
      ->capture_default_str()
      ->check(number_from(static_cast<double>(least), static_cast<double>(most)))
      ->type_name("N");
}

void add_limit_of_bytes(CLI::App& app, const std::string& name, std::int64_t& limit,
                        const std::string& help) {
  app.add_option_function<std::string>(
         name, guarded([&limit](const std::string& text) { limit = parse_size(text); }), help)
      ->type_name("SIZE");
}

void add_limit_options(CLI::App& app, Limits& l) {
  add_limit_of_bytes(app, "--max-memory", l.memory,
                     "Memory that onnxc may take (default: 16G); 0: any");
  constexpr int kDeep = 1000;  // more would need more stack than there is
  constexpr int kMany = 1'000'000'000;
  add_limit(app, "--max-time", l.seconds, 0, kMany,
            "Processor time that onnxc may take, in seconds; 0: any");
  add_limit_of_bytes(app, "--max-tensor", l.tensor_bytes, "Size of a tensor (default: 64G)");
  add_limit_of_bytes(app, "--max-constants", l.constant_bytes,
                     "Size of all computed constants, beyond 64 times the model's (default: 1G)");
  add_limit(app, "--max-nodes", l.nodes, std::int64_t{1}, std::int64_t{kMany},
            "Nodes, with those of functions for each call");
  add_limit(app, "--max-rank", l.rank, 1, kMany, "Rank of a tensor");
  add_limit(app, "--max-depth", l.depth, 1, kDeep, "Nesting of subgraphs, and of types");
  add_limit(app, "--max-calls", l.calls, 1, kDeep, "Nesting of function calls");
}

void add_logging_options(CLI::App& app, CompileOptions& o) {
  app.add_option("--dump-ir", o.dump_ir,
                 "Write the graph or program after every pass into this folder")
      ->type_name("DIR");
  app.add_option("--passes-until", o.passes_until,
                 "Leave out the optional passes from this number on")
      ->check(number_from(0, 1e6))
      ->type_name("N");
  app.add_flag("-q,--quiet", o.quiet, "No summary line");
  app.add_flag("-v,--verbose", o.verbosity, "Print the time of every pass");
}

}  // namespace

std::int64_t parse_size(const std::string& text) {
  static constexpr const char* kUnits[] = {"", "K", "M", "G"};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  if (unit.ends_with("iB")) {
    unit.resize(unit.size() - 2);
  } else if (unit.ends_with("B")) {
    unit.resize(unit.size() - 1);
  }
  if (unit == "k") unit = "K";
  const auto* match = std::find(std::begin(kUnits), std::end(kUnits), unit);
  if (error != std::errc() || match == std::end(kUnits) || !(number >= 0) || number > 1e9) {
    throw std::invalid_argument(fmt::format("'{}' is not a size such as 4096, 96K or 1.5M", text));
  }
  return std::llround(std::ldexp(number, 10 * static_cast<int>(match - kUnits)));
}

std::vector<MemoryRegion> parse_memory(const std::string& text) {
  std::vector<MemoryRegion> memory;
  const auto fail = [&](const std::string& part) {
    throw std::invalid_argument(
        fmt::format("'{}' is not NAME=SIZE or NAME=SIZE:COST, with lower-case letters, digits and "
                    "_ in the name, each once",
                    part));
  };
  for (std::size_t at = 0; at <= text.size();) {
    const std::string part = text.substr(at, text.find(',', at) - at);
    at += part.size() + 1;
    const std::size_t equals = part.find('='), colon = part.find(':');
    MemoryRegion m;
    m.name = part.substr(0, equals);
    const bool lower =
        std::none_of(m.name.begin(), m.name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    const bool known = std::any_of(memory.begin(), memory.end(),
                                   [&](const MemoryRegion& o) { return o.name == m.name; });
    if (equals == std::string::npos || !is_identifier(m.name) || !lower || known) fail(part);
    m.bytes = parse_size(part.substr(equals + 1, colon - equals - 1));
    m.cost = memory.empty() ? 1 : memory.back().cost * 2;
    if (colon != std::string::npos) {
      const char *const first = part.data() + colon + 1, *const last = part.data() + part.size();
      const auto [end, error] = std::from_chars(first, last, m.cost);
      if (error != std::errc() || end != last || !(m.cost > 0) || m.cost > 1e9) fail(part);
    }
    memory.push_back(std::move(m));
  }
  return memory;
}

void parse_dim(const std::string& text, std::map<std::string, DimRange>& dims) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0) parse_extent("", text);
  const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
  const std::size_t dots = value.find("..");
  DimRange range;
  range.low = parse_extent(value.substr(0, dots), text);
  range.high = dots == std::string::npos ? range.low : parse_extent(value.substr(dots + 2), text);
  if (range.low > range.high) {
    throw std::invalid_argument(fmt::format("'{}': the lower bound is above the upper", text));
  }
  if (!dims.emplace(name, range).second) {
    throw std::invalid_argument(fmt::format("'{}' is given twice", name));
  }
}

void parse_fixed_input(const std::string& text, std::map<std::string, std::string>& inputs) {
  const std::size_t equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw std::invalid_argument(fmt::format("'{}' is not NAME=NUMBERS", text));
  if (!inputs.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
    throw std::invalid_argument(fmt::format("'{}' is given twice", text));
}

std::vector<float> parse_floats(const std::string& text) {
  std::vector<float> numbers;
  for (const std::string_view word : words_of(text, ',')) {
    float number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(number))
      throw std::invalid_argument(fmt::format("'{}' is no number", word));
    numbers.push_back(number);
  }
  return numbers;
}

// "NAME:ELEM,mean=N[,N...],scale=N[,N...],layout=nchw|nhwc"; a name may have colons.
void parse_input_format(const std::string& text, std::map<std::string, InputFormat>& formats) {
  const auto fail = [&](std::string_view why) {
    throw std::invalid_argument(fmt::format("'{}': {}", text, why));
  };
  std::map<std::string, std::string> fields;  // key -> the words up to the next key
  std::string key;
  for (const std::string_view word : words_of(text, ',')) {
    const std::size_t equals = fields.empty() ? std::string_view::npos : word.find('=');
    const bool has_key = fields.empty() || equals != std::string_view::npos;
    if (has_key) key = fields.empty() ? "" : std::string(word.substr(0, equals));
    if (has_key && fields.count(key) > 0) fail(key + " is given twice");
    std::string& value = fields[key];
    if (!has_key) value += ',';
    value += equals == std::string_view::npos ? word : word.substr(equals + 1);
  }
  const std::string head = fields[""];
  const std::size_t colon = head.rfind(':');
  if (colon == std::string::npos || colon == 0 || head.find(',') != std::string::npos)
    fail("is not NAME:TYPE,mean=N,scale=N,layout=nhwc");
  InputFormat format{.elem = head.substr(colon + 1)};
  for (const auto& [name, value] : fields) {
    if (name == "mean")
      format.mean = parse_floats(value);
    else if (name == "scale")
      format.scale = parse_floats(value);
    else if (name == "layout" && (value == "nhwc" || value == "nchw"))
      format.channels_last = value == "nhwc";
    else if (!name.empty())
      fail(fmt::format("'{}={}' is none of mean=N, scale=N, layout=nchw|nhwc", name, value));
  }
  if (format.mean.empty() || format.scale.empty()) fail("has no number");
  if (!formats.emplace(head.substr(0, colon), format).second) fail("is given twice");
}

// "DOMAIN::NAME=HEADER"; a name without a domain is one of ai.onnx.
void parse_operator(const std::string& text, std::map<std::string, std::string>& operators) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw std::invalid_argument(fmt::format("'{}' is not DOMAIN::NAME=HEADER", text));
  std::string name = text.substr(0, equals);
  if (name.find("::") == std::string::npos) name = "::" + name;
  if (name.starts_with("ai.onnx::")) name.erase(0, name.find("::"));
  if (!operators.emplace(name, text.substr(equals + 1)).second)
    throw std::invalid_argument(fmt::format("'{}' is given twice", text));
}

void add_training_options(CLI::App& app, CompileOptions& o) {
  app.add_flag("--train", o.train, "Also generate the functions that train, from training_info");
  app.add_flag("--recompute", o.recompute,
               "Training computes cheap results twice where that takes less memory");
}

namespace {

// The name, or an error with the nearest one. `list` ends the program after the table of all.
std::string known_target(const std::string& name) {
  if (name == "list") {
    terminal::print_document(stdout, describe_targets());
    throw CLI::Success();
  }
  const std::vector<std::string> names = target_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  const std::string near = target_meant_by(name);
  throw CLI::ValidationError(
      "--target", fmt::format("unknown target '{}'{}; `--target list` shows all", name,
                              near.empty() ? "" : fmt::format(", did you mean {}?", near)));
}

void add_target_option(CLI::App& app, CompileOptions& o) {
  app.add_option_function<std::string>(
         "--target", [&o](const std::string& name) { o.target = known_target(name); },
         "native, x86-64-v3, cortex-m4f, ...; list: explains all")
      ->default_str(o.target)
      ->type_name("NAME");
}

// What firmware wants of the generated code.
void add_firmware_options(CLI::App& app, CompileOptions& o) {
  app.add_option("--probe", o.probes,
                 "Hand an inner tensor of this name to a user callback; '*': all")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_flag("--hook", o.hook, "Call a user callback between steps; it may cancel");
  app.add_option("--input-rows", o.input_rows,
                 "Take this image row by row from a user callback, while they are needed")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--io", [&o](const std::string& text) { o.quantized_io = text == "int8"; },
         "int8: inputs and outputs that the model quantises at once are integers")
      ->default_str("model")
      ->type_name("model|int8")
      ->check(one_of({"model", "int8"}));
  app.add_option_function<std::string>(
         "--zipmap", [&o](const std::string& text) { o.zipmap_tensors = text == "tensor"; },
         "tensor: scores of a classifier that ends in ZipMap are a tensor, not maps")
      ->default_str("map")
      ->type_name("map|tensor")
      ->check(one_of({"map", "tensor"}));
  app.add_option("--selftest", o.selftest,
                 "Build in this test data set, and NAME_selftest, which compares with it")
      ->type_name("DIR");
  app.add_option("--quanta", o.selftest_quanta,
                 "In verify and self tests: outputs of quantised values may be N quanta away")
      ->type_name("N")
      ->check(number_from(0, 65535));
  app.add_flag("--steps", o.steps, "Also generate NAME_run_steps, which runs some of the steps");
  app.add_option_function<std::string>(
         "--memory", guarded([&o](const std::string& text) { o.memory = parse_memory(text); }),
         "Divide the arena among these memories, fastest first: dtcm=64K,sram=1M")
      ->type_name("NAME=SIZE[:COST],...");
}

void add_weights_option(CLI::App& app, CompileOptions& o) {
  const std::map<std::string, WeightsMode> modes = {{"auto", WeightsMode::automatic},
                                                    {"inline", WeightsMode::inline_arrays},
                                                    {"incbin", WeightsMode::incbin},
                                                    {"string", WeightsMode::string_literals},
                                                    {"extern", WeightsMode::external}};
  app.add_option_function<std::string>(
         "--weights", [&o, modes](const std::string& name) { o.weights = modes.at(name); },
         "How the weights are stored")
      ->default_str("auto")
      ->type_name("auto|inline|incbin|string|extern")
      ->check(one_of({"auto", "inline", "incbin", "string", "extern"}));
}

// Inputs that are constants, and constants that are inputs.
void add_input_options(CLI::App& app, CompileOptions& o) {
  app.add_option_function<std::vector<std::string>>(
         "--fix-input",
         [&o](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             guarded([&o](const std::string& t) { parse_fixed_input(t, o.fixed_inputs); })(text);
           }
         },
         "Make this input a constant: one number for all elements, or one for each")
      ->type_name("NAME=V[,V...]")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--input",
         [&o](const std::vector<std::string>& texts) {
           for (const std::string& text : texts)
             guarded([&o](const std::string& t) { parse_input_format(t, o.input_formats); })(text);
         },
         "What the caller's input holds, as a camera's bytes: the model reads (x - mean) * scale")
      ->type_name("NAME:TYPE[,mean=N,...][,scale=N,...][,layout=nhwc]")
      ->allow_extra_args(false);
  app.add_option("--keep-output", o.outputs,
                 "Make this tensor an output, and no other than those named")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--operator",
         [&o](const std::vector<std::string>& texts) {
           for (const std::string& text : texts)
             guarded([&o](const std::string& t) { parse_operator(t, o.operators); })(text);
         },
         "Compute this operator with a function template of yours")
      ->type_name("DOMAIN::NAME=HEADER")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--override-initializer,--give-input",
         [&o](const std::vector<std::string>& names) {
           o.overridden_initializers.insert(names.begin(), names.end());
         },
         "Make an input of this initializer, its default value; * for all")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void add_code_options(CLI::App& app, CompileOptions& o) {
  app.add_option_function<std::vector<std::string>>(
         "--dim",
         [&o](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             guarded([&o](const std::string& t) { parse_dim(t, o.dims); })(text);
           }
         },
         "Fix a named size, or bound it; NAME may be input:axis")
      ->type_name("NAME=N|LO..HI")
      ->allow_extra_args(false);
  add_input_options(app, o);
  CLI::Option* devices =
      app.add_option("--devices", o.devices,
                     "A program for each device of this configuration of the model")
          ->type_name("CONFIGURATION");
  app.add_option("--device", o.device, "Only the program of this one of the devices")
      ->check(number_from(0, 1023))
      ->type_name("N")
      ->needs(devices);
  add_training_options(app, o);
  add_firmware_options(app, o);
  add_target_option(app, o);
  CLI::Option* threads =
      app.add_option("--threads", o.threads, "Threads the generated code may use")
          ->capture_default_str()
          ->check(number_from(1, 1024))
          ->type_name("N");
  app.add_flag("--openmp", o.openmp, "Threads of OpenMP instead of the caller's thread pool")
      ->needs(threads);
  app.add_option_function<std::string>(
         "--optimize", [&o](const std::string& text) { o.optimize_size = text == "size"; },
         "What matters more: speed or size")
      ->default_str("speed")
      ->type_name("speed|size")
      ->check(one_of({"speed", "size"}));
  app.add_option_function<std::string>(
         "--trees", [&o](const std::string& text) { o.trees_as_code = text == "ifelse"; },
         "Decision trees as tables, or as code of their own")
      ->default_str("table")
      ->type_name("table|ifelse")
      ->check(one_of({"table", "ifelse"}));
  app.add_option_function<std::string>(
         "--fp", [&o](const std::string& text) { o.strict_fp = text == "strict"; },
         "strict: only rewrites that keep every rounding")
      ->default_str("fast")
      ->type_name("fast|strict")
      ->check(one_of({"fast", "strict"}));
  add_weights_option(app, o);
  add_limit_options(app, o.limits);
  app.add_flag("--plain", o.plain, "No rewrite that can be left out: slow code, to compare with");
  app.add_flag("--no-heap", o.no_heap, "Refuse a model whose sizes have no bound");
}

}  // namespace

std::vector<std::string> known_targets(const std::string& list) {
  std::vector<std::string> targets;
  const std::vector<std::string> names = target_names();
  for (const std::string_view word : words_of(list, ',')) {
    const std::string level = "x86-64-" + std::string(word);
    const bool is_level = std::find(names.begin(), names.end(), level) != names.end();
    targets.push_back(known_target(is_level ? level : std::string(word)));
  }
  return targets;
}

std::string check_report(const std::string& path) {
  return path.ends_with(".json") || path.ends_with(".html")
             ? ""
             : fmt::format("'{}' must end in .json or .html", path);
}

void add_compile_options(CLI::App& app, CompileOptions& options) {
  add_output_options(app, options);
  add_code_options(app, options);
  add_budget_options(app, options);
  add_logging_options(app, options);
}

void add_model_options(CLI::App& app, CompileOptions& options, Budgets budgets) {
  app.option_defaults()->group(kSharedGroup);
  add_code_options(app, options);
  if (budgets == Budgets::shown) add_budget_options(app, options);
  app.option_defaults()->group("");
  if (budgets == Budgets::hidden) add_budget_options(app, options);
  add_output_options(app, options);
  add_logging_options(app, options);
}

std::string as_written(const std::string& option) {
  return option == "--MD" || option == "--MF" || option == "--MT" ? option.substr(1) : option;
}

std::vector<std::string> with_long_options(std::span<const std::string> words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    const bool gcc_style = word == "-MD" || word == "-MF" || word == "-MT";
    out.push_back(gcc_style ? '-' + word : word);
  }
  return out;
}

std::vector<std::string> with_verb(std::vector<std::string> words,
                                   std::span<const std::string> verbs) {
  static constexpr std::string_view kGlobal[] = {"--help", "-h", "--version"};
  const auto among = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), words[0]) != std::end(list);
  };
  if (words.empty() || among(verbs) || among(kGlobal)) return words;
  const auto word = std::find_if(words.begin(), words.end(),
                                 [](const std::string& w) { return !w.starts_with("-"); });
  const bool late =
      word != words.end() && std::find(verbs.begin(), verbs.end(), *word) != verbs.end();
  if (late)
    std::rotate(words.begin(), word, word + 1);
  else
    words.insert(words.begin(), "compile");
  return words;
}

}  // namespace onnxc
