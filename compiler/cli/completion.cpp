// Prints the tables of the command line as shell scripts.
#include "compiler/cli/option_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace onnxc {
namespace {

std::string names_of(const std::vector<CommandRow>& commands, const char* between) {
  std::string text;
  for (const CommandRow& c : commands) text += (text.empty() ? "" : between) + c.name;
  return text;
}

std::string options_of(const CommandRow& command) {
  std::string text;
  for (const OptionRow& o : command.options)
    for (const std::string& name : o.names) text += (text.empty() ? "" : " ") + name;
  return text;
}

// Without the characters that end or divide a description.
std::string described(const std::string& text, const std::string& special) {
  std::string out;
  for (const char c : text)
    if (special.find(c) == std::string::npos) out += c == '\n' ? ' ' : c;
  return out;
}

}  // namespace

std::string bash_completion(const std::vector<CommandRow>& commands) {
  std::string values, options;
  for (const CommandRow& c : commands) {
    options += fmt::format("    {}) words=\"{}\" ;;\n", c.name, options_of(c));
    for (const OptionRow& o : c.options) {
      if (o.value.empty()) continue;
      std::string patterns;
      for (const std::string& name : o.names)
        patterns += fmt::format("{}{}:{}", patterns.empty() ? "" : "|", c.name, name);
      const std::string reply = o.is_path && o.choices.empty()
                                    ? "-f"
                                    : fmt::format("-W \"{}\"", fmt::join(o.choices, " "));
      values += fmt::format("    {}) COMPREPLY=($(compgen {} -- \"$cur\")); return ;;\n", patterns,
                            reply);
    }
    if (!c.choices.empty())
      values += fmt::format(
          "    {0}:{0}) [[ $cur == -* ]] || {{ COMPREPLY=($(compgen -W \"{1}\" -- \"$cur\")); "
          "return; "
          "}} ;;\n",
          c.name, fmt::join(c.choices, " "));
  }
  return fmt::format(R"(# bash completion for onnxc
_onnxc() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=compile word words=
  COMPREPLY=()
  if [ "$cur" = "=" ]; then
    cur=
  elif [ "$prev" = "=" ]; then
    prev=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in
      {}) command=$word; break ;;
    esac
  done
  case $command:$prev in
{}  esac
  case $command in
{}  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    return
  fi
  [ "$COMP_CWORD" != 1 ] || COMPREPLY=($(compgen -W "{}" -- "$cur"))
  COMPREPLY+=($(compgen -f -- "$cur"))
}}
complete -o filenames -F _onnxc onnxc
)",
                     names_of(commands, "|"), values, options, names_of(commands, " "));
}

std::string zsh_completion(const std::vector<CommandRow>& commands) {
  std::string verbs, options;
  for (const CommandRow& c : commands) {
    verbs += fmt::format("    '{}:{}'\n", c.name, described(c.about, "':"));
    options += fmt::format("    {})\n      options=(\n", c.name);
    for (const OptionRow& o : c.options)
      for (const std::string& name : o.names) {
        options += fmt::format("        '*{}[{}]", name, described(o.about, "'[]:"));
        if (!o.choices.empty())
          options += fmt::format(":{}:({})", described(o.value, "':"), fmt::join(o.choices, " "));
        else if (!o.value.empty())
          options += fmt::format(":{}:{}", described(o.value, "':"), o.is_path ? "_files" : " ");
        options += "'\n";
      }
    options +=
        fmt::format("        '*:{}:{}'\n      )\n      ;;\n",
                    c.operand.empty() ? " " : described(c.operand, "':"),
                    c.choices.empty() ? "_files" : fmt::format("({})", fmt::join(c.choices, " ")));
  }
  return fmt::format(R"(#compdef onnxc
_onnxc() {{
  local -a commands options
  commands=(
{}  )
  local command=${{words[(r)({})]:-compile}}
  case $command in
{}  esac
  if (( CURRENT == 2 )); then
    _describe command commands
  fi
  _arguments $options
}}
_onnxc "$@"
)",
                     verbs, names_of(commands, "|"), options);
}

std::string fish_completion(const std::vector<CommandRow>& commands) {
  std::string text = "# fish completion for onnxc\n";
  std::string others;
  for (const CommandRow& c : commands) {
    text += fmt::format("complete -c onnxc -n __fish_use_subcommand -a {} -d '{}'\n", c.name,
                        described(c.about, "'"));
    if (c.name != "compile") others += " " + c.name;
  }
  for (const CommandRow& c : commands) {
    // Anything that is not another command is a compilation.
    const std::string condition = c.name == "compile" ? "not __fish_seen_subcommand_from" + others
                                                      : "__fish_seen_subcommand_from " + c.name;
    const std::string lead = fmt::format("complete -c onnxc -n '{}'", condition);
    if (!c.choices.empty()) text += fmt::format("{} -f -a '{}'\n", lead, fmt::join(c.choices, " "));
    for (const OptionRow& o : c.options) {
      text += lead;
      for (const std::string& name : o.names) {
        const bool is_long = name.starts_with("--");
        const char* const kind = is_long ? "-l" : name.size() == 2 ? "-s" : "-o";
        text += fmt::format(" {} {}", kind, name.substr(is_long ? 2 : 1));
      }
      if (!o.value.empty()) text += o.is_path ? " -r" : " -x";
      if (!o.choices.empty()) text += fmt::format(" -a '{}'", fmt::join(o.choices, " "));
      text += fmt::format(" -d '{}'\n", described(o.about, "'"));
    }
  }
  return text;
}

}  // namespace onnxc
