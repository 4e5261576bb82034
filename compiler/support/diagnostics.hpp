// Errors and notes about a model, collected so that one run reports them all.
#pragma once

#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

enum class Severity { note, warning, error };
std::string_view severity_name(Severity severity);

// A node as diagnostics name it.
struct NodeName {
  std::size_t index = 0;  // position in the model's own list
  std::string name, domain, op_type;
  int version = 0;  // since_version the model meant, 0 when unknown
};

// What a diagnostic is about: a text that names a node, an attribute or an option, and the
// innermost node in it. May be empty.
class Location {
 public:
  Location() = default;
  Location(const char* text) : text_(text) {}
  Location(std::string text) : text_(std::move(text)) {}
  Location(std::string text, NodeName node) : text_(std::move(text)), node_(std::move(node)) {}

  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }
  operator const std::string&() const { return text_; }
  const std::optional<NodeName>& node() const { return node_; }

  friend Location operator+(Location a, const Location& b) {
    a.text_ += b.text_;
    if (b.node_) a.node_ = b.node_;
    return a;
  }
  friend bool operator==(const Location& a, const Location& b) { return a.text_ == b.text_; }

 private:
  std::string text_;
  std::optional<NodeName> node_;
};

// `model.onnx: error[unsupported-type]: node 37 "/enc/Add_3" (Add-14), input 1 "x": complex64 ...`
struct Diagnostic {
  Severity severity = Severity::error;
  std::string id;  // of the rule in diagnostic_rules.hpp
  Location where;
  std::string message;  // one line
};

class Diagnostics {
 public:
  // An id that no rule has is a std::logic_error.
  void error(std::string id, Location where, std::string message);
  void warning(std::string id, Location where, std::string message);
  void note(std::string id, Location where, std::string message);
  void append(const Diagnostics& others);

  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return list_; }
  std::string format(const Diagnostic& d, const std::string& model) const;
  // One cause often shows in many nodes: `most` diagnostics of each kind, and how many there are.
  static constexpr int kMost = 8, kAll = 1 << 30;
  void print(const std::string& model, std::FILE* out, int most = kMost) const;

 private:
  void add(Severity severity, std::string id, Location where, std::string message);

  std::vector<Diagnostic> list_;
  std::size_t errors_ = 0;
};

// Thrown by code that works on one node; the pass that called it adds the node's name and continues
// with the next node.
struct OpError : std::runtime_error {
  OpError(std::string error_id, std::string error_field, const std::string& message)
      : std::runtime_error(message), id(std::move(error_id)), field(std::move(error_field)) {}
  std::string id, field;
};

// Ends the command at once with an exit code of the command contract.
struct FatalError : std::runtime_error {
  FatalError(int code, const std::string& message) : std::runtime_error(message), exit_code(code) {}
  int exit_code;
};

namespace exit_code {
inline constexpr int ok = 0, bad_model = 1, usage = 2, budget = 3, mismatch = 4, io = 5,
                     internal = 70;
}

// Every kind of diagnostic; docs/diagnostics.md prints the table.
struct DiagnosticRule {
  std::string_view id;       // stable, kebab-case
  std::string_view level;    // of its diagnostics: "error", "warning"
  std::string_view meaning;  // one sentence
  std::string_view clause;   // the part of the ONNX documents that it rests on; may be empty
};

std::span<const DiagnosticRule> diagnostic_rules();  // sorted by id
// Throws std::logic_error for an id that is not in the table.
const DiagnosticRule& diagnostic_rule(std::string_view id);

}  // namespace onnxc
