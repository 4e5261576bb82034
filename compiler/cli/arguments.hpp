// Turns the words of the command line into options; each stage can be tested alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/support/options.hpp"

namespace CLI {
class App;
class Error;
class Validator;
}  // namespace CLI

namespace onnxc {

// "96K", "1.5M", "2GiB", "4096": bytes. Throws std::invalid_argument.
std::int64_t parse_size(const std::string& text);

// "dtcm=64K,sram=256K:3": memories with their sizes and, after a colon, the cost of a byte that is
// moved, without which it is twice that of the one before. Throws std::invalid_argument.
std::vector<MemoryRegion> parse_memory(const std::string& text);

// "batch=4" or "seq=1..128", added to `dims`. Throws std::invalid_argument.
void parse_dim(const std::string& text, std::map<std::string, DimRange>& dims);

// An option that takes a size, in the words of parse_size.
void add_size_option(CLI::App& app, const std::string& name, std::optional<std::int64_t>& into,
                     const std::string& help);

// "v3,native": names of targets, those of x86-64 also by their level alone. Throws
// CLI::ValidationError.
std::vector<std::string> known_targets(const std::string& list);

// What is wrong with the name of a report, or "".
std::string check_report(const std::string& path);

// Adds the options of one compilation to a command; they are stored in `options` when it parses.
void add_compile_options(CLI::App& app, CompileOptions& options);

// The same for a command that writes no code: options about files and messages are accepted, and
// left out of its help, as are those about budgets where they are `hidden`.
enum class Budgets : bool { hidden, shown };
void add_model_options(CLI::App& app, CompileOptions& options, Budgets budgets);

// The group of options that a command shares with a compilation.
inline constexpr const char* kSharedGroup = "Options of a compilation";

// An option of CLI11 as users write it: `-MD` for `--MD`.
std::string as_written(const std::string& option);

// `-MD`, `-MF` and `-MT` as the long options that CLI11 can parse.
std::vector<std::string> with_long_options(std::span<const std::string> words);

// Inserts the verb `compile` if it was left out, and moves a verb that follows options to the
// front.
std::vector<std::string> with_verb(std::vector<std::string> words,
                                   std::span<const std::string> verbs);

// `help` and `help COMMAND` as the options that they stand for.
std::vector<std::string> with_help_option(std::vector<std::string> words);

// A first word that is neither a command nor a file is a mistyped command: what to say about it,
// or "".
std::string mistyped_command(const std::vector<std::string>& words,
                             const std::vector<std::string>& verbs);

// The error in plain words, with the closest options.
std::string explain(const CLI::App& app, const CLI::Error& error);

// `onnxc model.onnx @board.txt`: options kept in a file. Every word @FILE replaced by the words of
// the file, which may name further ones. Paths are those of the command line. Throws FatalError for
// a file that cannot be read, or that has an open quote.
std::vector<std::string> with_option_files(const std::vector<std::string>& words);

// Checks of the values of options, which say in plain words what is wrong.

// One of these words; an error names them, and the closest.
CLI::Validator one_of(std::vector<std::string> words);

CLI::Validator number_from(double least, double most);
CLI::Validator number_above(double least);

}  // namespace onnxc
