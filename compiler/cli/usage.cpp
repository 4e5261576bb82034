// Finds what was meant by words that are not expected.
#include "compiler/cli/arguments.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The command that the words name; the program itself without one.
const CLI::App* command_of(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands()[0];
  return command;
}

bool is_command(const CLI::App& app, const std::string& word) {
  const auto all = app.get_subcommands({});
  return std::any_of(all.begin(), all.end(),
                     [&](const CLI::App* command) { return command->get_name() == word; });
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// `report` without its `diff`, or with a mistyped one; "" for other commands.
std::string missing_command(const CLI::App& app) {
  const CLI::App* const command = command_of(app);
  const std::vector<std::string> names = command_names(*command);
  if (command == &app || names.empty()) return "";
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty())
    return fmt::format("{} wants a command: {}", command->get_name(), fmt::join(names, ", "));
  const std::string near = did_you_mean(rest[0], names);
  return fmt::format("'{}' is no command of {}{}", rest[0], command->get_name(),
                     near.empty() ? fmt::format(": {}", fmt::join(names, ", ")) : near);
}

// The words that are not options, each with the nearest option.
std::string unknown_words(const CLI::App& app) {
  std::string text;
  const CLI::App* const command = command_of(app);
  const CLI::Option* const model = command->get_option_no_throw("MODEL");
  if (model && model->count() > 0 && is_command(app, model->results()[0]))
    return fmt::format("the command is the first word: onnxc {0} ...; ./{0} is a file",
                       model->results()[0]);
  const std::vector<std::string> names = option_names(*command);
  for (const std::string& word : app.remaining(true)) {
    text += fmt::format("{}'{}' is not expected", text.empty() ? "" : "; ", word);
    if (word.starts_with("-")) text += did_you_mean(word.substr(0, word.find('=')), names);
  }
  return text;
}

// "--dim: 1 required NAME=N missing" and the like: the option, and the form of its value.
std::string missing_value(const CLI::App& app, const std::string& what) {
  const CLI::App* const command = command_of(app);
  const std::string name = what.substr(0, what.find_first_of(": "));
  const CLI::Option* option = command->get_option_no_throw(name);
  return option ? fmt::format("{} wants a value: {} {}", name, name, option->get_type_name())
                : what;
}

// "Could not convert: --threads = abc"
std::string wrong_number(const std::string& what) {
  constexpr std::string_view kLead = "Could not convert: ", kIs = " = ";
  const std::size_t is = what.find(kIs);
  if (!what.starts_with(kLead) || is == std::string::npos) return what;
  return fmt::format("{}: '{}' is not a whole number", what.substr(kLead.size(), is - kLead.size()),
                     what.substr(is + kIs.size()));
}

}  // namespace

std::vector<std::string> with_help_option(std::vector<std::string> words) {
  if (words.empty() || words[0] != "help" || words.size() > 2) return words;
  if (words.size() == 1) return {"--help"};
  return {words[1], "--help"};
}

std::string mistyped_command(const std::vector<std::string>& words,
                             const std::vector<std::string>& verbs) {
  if (words.empty() || words[0].empty() || words[0][0] == '-') return "";
  const std::string& word = words[0];
  std::error_code error;
  const bool looks_like_file = word.find_first_of("./") != std::string::npos;
  if (looks_like_file || std::filesystem::exists(word, error)) return "";
  if (std::find(verbs.begin(), verbs.end(), word) != verbs.end()) return "";
  std::vector<std::string> known = verbs;
  known.insert(known.end(), {"--help", "--version"});
  const std::string near = did_you_mean(word, known);
  return fmt::format(
      "'{}' is neither a command nor a file{}", word,
      near.empty() ? fmt::format("; the commands are {}", fmt::join(verbs, ", ")) : near);
}

std::string explain(const CLI::App& app, const CLI::Error& error) {
  const bool about_words = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                           dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  std::string unknown = about_words ? missing_command(app) : "";
  if (about_words && unknown.empty()) unknown = unknown_words(app);
  if (!unknown.empty()) return unknown;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return missing_value(app, error.what());
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr)
    return wrong_number(error.what());
  return error.what();
}

}  // namespace onnxc
