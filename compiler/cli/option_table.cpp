// Reads the tables of the command line back.
#include "compiler/cli/option_table.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "compiler/cli/arguments.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {
namespace {

// "fast|strict"; a word in upper case stands for a value.
std::vector<std::string> choices_of(const std::string& value) {
  std::vector<std::string> words;
  if (value.find('|') == std::string::npos) return words;
  for (std::size_t at = 0; at <= value.size();) {
    const std::string word = value.substr(at, value.find('|', at) - at);
    at += word.size() + 1;
    const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    if (plain) words.push_back(word);
  }
  return words;
}

bool is_path(const std::string& value) {
  return value.starts_with("FILE") || value.starts_with("DIR") || value.starts_with("BASE") ||
         value.starts_with("OUT");
}

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back(as_written("--" + name));
  if (option.get_items_expected_max() > 0) row.value = option.get_type_name();
  row.choices = choices_of(row.value);
  row.is_path = is_path(row.value);
  if (row.names.back() == "--target") {
    row.choices = target_names();
    row.choices.emplace_back("list");
  }
  row.about = option.get_description();
  row.is_shared = option.get_group() == kSharedGroup;
  return row;
}

void add_options(CommandRow& row, const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    if (!option->get_positional()) {
      row.options.push_back(row_of(*option));
      continue;
    }
    row.operand += (row.operand.empty() ? "" : " ") + option->get_name(true) +
                   (option->get_items_expected_max() > 1 ? "..." : "");
    for (const std::string& word : choices_of(option->get_type_name())) row.choices.push_back(word);
  }
}

// A command may have one below it: `report diff`.
CommandRow row_of(const CLI::App& command) {
  CommandRow row{command.get_name(), command.get_description(), command.get_footer(), "", {}, {}};
  const auto inner = command.get_subcommands({});
  for (const CLI::App* below : inner) {
    row.operand = below->get_name();
    row.choices.push_back(below->get_name());
    add_options(row, *below);
  }
  if (inner.empty()) add_options(row, command);
  return row;
}

}  // namespace

std::vector<CommandRow> command_table(const CLI::App& app) {
  std::vector<CommandRow> rows;
  for (const CLI::App* command : app.get_subcommands({})) rows.push_back(row_of(*command));
  return rows;
}

}  // namespace onnxc
