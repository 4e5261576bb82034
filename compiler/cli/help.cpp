// Groups the options and writes the lines that say how a command is used.
#include "compiler/cli/help.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "compiler/support/words.hpp"

namespace onnxc {
namespace {

struct GroupRow {
  const char* name;
  const char* options;
};

constexpr GroupRow kGroups[] = {
    {"Output", "--output --name --namespace --bundle --weights --report --MD --MF --MT"},
    {"Sizes, inputs and outputs",
     "--dim --fix-input --input --keep-output --operator --override-initializer --io --zipmap"},
    {"Target and speed", "--target --optimize --threads --openmp --fp --trees"},
    {"Memory", "--no-heap --memory --measure --ram-limit --flash-limit --input-rows"},
    {"Training", "--train --recompute"},
    {"Several devices", "--devices --device"},
    {"Looking inside, and between steps", "--probe --hook --steps --selftest --quanta"},
    {"Limits",
     "--max-memory --max-time --max-tensor --max-constants --max-nodes --max-rank --max-depth "
     "--max-calls"},
    {"Debugging onnxc", "--plain --dump-ir --passes-until"},
    {"Messages", "--quiet --verbose"},
};

// CLI11's own search for an option by its name is noexcept, and allocates.
template <class Names>
void set_group(CLI::App& command, const Names& names, const std::string& group) {
  for (CLI::Option* option : command.get_options(std::function<bool(CLI::Option*)>()))
    for (const std::string& name : option->get_lnames())
      if (std::find(names.begin(), names.end(), "--" + name) != names.end()) option->group(group);
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent()) return CLI::Formatter::make_usage(app, std::move(name));
    return "\nUsage: onnxc MODEL [OPTIONS]\n       onnxc COMMAND [OPTIONS]\n";
  }

  // A hidden group leaves an empty line.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  auto formatter = std::make_shared<HelpFormatter>();
  formatter->column_width(34);
  formatter->label("Subcommands", "Commands");
  return formatter;
}

void group_options(CLI::App& command) {
  for (const GroupRow& row : kGroups) set_group(command, words_of(row.options), row.name);
}

void hide_options(CLI::App& command, const std::vector<std::string>& names) {
  set_group(command, names, "");
}

}  // namespace onnxc
