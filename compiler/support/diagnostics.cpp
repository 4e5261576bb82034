// Collecting and printing diagnostics.
#include "compiler/support/diagnostics.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "compiler/support/terminal.hpp"

namespace onnxc {

void Diagnostics::add(Severity severity, std::string id, Location where, std::string message) {
  diagnostic_rule(id);
  const auto same = [&](const Diagnostic& d) {
    return d.severity == severity && d.id == id && d.where == where && d.message == message;
  };
  if (std::any_of(list_.begin(), list_.end(), same)) return;
  list_.push_back({severity, std::move(id), std::move(where), std::move(message)});
}

void Diagnostics::error(std::string id, Location where, std::string message) {
  add(Severity::error, std::move(id), std::move(where), std::move(message));
  ++errors_;
}

void Diagnostics::warning(std::string id, Location where, std::string message) {
  add(Severity::warning, std::move(id), std::move(where), std::move(message));
}

void Diagnostics::note(std::string id, Location where, std::string message) {
  add(Severity::note, std::move(id), std::move(where), std::move(message));
}

std::string_view severity_name(Severity severity) {
  static constexpr std::string_view kNames[] = {"note", "warning", "error"};
  return kNames[static_cast<int>(severity)];
}

void Diagnostics::append(const Diagnostics& others) {
  list_.insert(list_.end(), others.list_.begin(), others.list_.end());
  errors_ += others.errors_;
}

std::string Diagnostics::format(const Diagnostic& d, const std::string& model) const {
  std::string s = fmt::format("{}: {}[{}]: ", model, severity_name(d.severity), d.id);
  return s + d.where.text() + (d.where.empty() ? "" : ": ") + d.message;
}

void Diagnostics::print(const std::string& model, std::FILE* out, int most) const {
  std::map<std::pair<Severity, std::string>, int> counts;
  for (const Diagnostic& d : list_) {
    if (++counts[{d.severity, d.id}] > most) continue;
    const auto tone = d.severity == Severity::error     ? terminal::Tone::error
                      : d.severity == Severity::warning ? terminal::Tone::warning
                                                        : terminal::Tone::note;
    terminal::print(out, "{}: ", model);
    terminal::set_tone(out, tone);
    terminal::print(out, "{}[{}]: ", severity_name(d.severity), d.id);
    terminal::set_tone(out, terminal::Tone::plain);
    terminal::print(out, "{}{}{}\n", d.where.text(), d.where.empty() ? "" : ": ", d.message);
  }
  for (const auto& [kind, count] : counts)
    if (count > most)
      terminal::print(out, "{}: {} more {}[{}]: `onnxc check` lists all\n", model, count - most,
                      severity_name(kind.first), kind.second);
}

}  // namespace onnxc
