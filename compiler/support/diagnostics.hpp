// Errors and notes about a model, collected so that one run reports them all.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

enum class Severity { note, warning, error };
std::string_view severity_name(Severity severity);

// `model.onnx: error[unsupported-type]: node 37 "/enc/Add_3" (Add-14), input 1 "x": complex64 ...`
struct Diagnostic {
  Severity severity = Severity::error;
  std::string id;       // of the rule in diagnostic_rules.hpp
  std::string where;    // node, field; may be empty
  std::string message;  // one line
};

class Diagnostics {
 public:
  // An id that no rule has is a std::logic_error.
  void error(std::string id, std::string where, std::string message);
  void warning(std::string id, std::string where, std::string message);
  void note(std::string id, std::string where, std::string message);
  void append(const Diagnostics& others);

  bool has_errors() const { return errors_ > 0; }
  std::size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return list_; }
  std::string format(const Diagnostic& d, const std::string& model) const;
  void print(const std::string& model, std::FILE* out) const;

 private:
  void add(Severity severity, std::string id, std::string where, std::string message);

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

}  // namespace onnxc
