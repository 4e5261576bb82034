// The state of reading one model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include "compiler/ir/dim.hpp"

#include "compiler/ir/tensor.hpp"
#include "compiler/onnx/read/external_data.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/limits.hpp"

namespace onnxc::reader {

// Symbols of the sizes that a model leaves open.
class SymbolNames {
 public:
  // The same symbol for the same dim_param.
  Dim named(const std::string& dim_param);
  // A new symbol for dimension `axis` of a value, which has no name in the model.
  Dim anonymous(const std::string& value, std::size_t axis);

 private:
  std::map<std::string, std::string> cut_;  // of long names, by the name
  std::set<std::string> taken_;             // of those made here
};

struct Context {
  Context(Diagnostics& d, ExternalData& e, const Limits& l)
      : diagnostics(d), external(e), limits(l) {}

  Diagnostics& diagnostics;
  ExternalData& external;
  const Limits& limits;
  std::int64_t nodes = 0;              // read so far
  std::int64_t tensor_bytes = 0;       // of all tensors read so far
  std::int64_t dense_bytes = 0;        // of those made from sparse ones
  std::shared_ptr<const void> keeper;  // owns the message that tensors point into
  std::int64_t ir_version = 0;
  SymbolNames symbols;
  std::string devices;                            // ImportOptions::devices
  std::map<std::string, int> device_counts;       // by the name of a configuration
  std::set<std::string> overridden_initializers;  // without their default values; erased when found
  std::map<std::string, std::string> fixed_inputs;     // erased when found
  std::set<std::string> user_operators;                // ImportOptions::user_operators
  std::set<std::string> found_user_operators;          // of these, by nodes
  std::map<std::string, std::string> calls;            // Model::calls
  std::map<int, std::optional<Tensor>> initial_state;  // by state variable; none: not readable

  // Reports an error; after 100 of one kind, further errors are only counted.
  void error(const std::string& id, const Location& where, const std::string& message);
  void error(const OpError& e, const Location& where);
  // Reports how many errors were only counted.
  void finish();

 private:
  std::map<std::string, std::size_t> reported_;
};

}  // namespace onnxc::reader
