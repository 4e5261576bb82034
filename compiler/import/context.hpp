// The state of reading one model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compiler/import/external_data.hpp"
#include "compiler/import/symbols.hpp"
#include "compiler/ir/tensor.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc::reader {

// Limits on what a file may ask for. Real models stay far below.
struct Limits {
  static constexpr int subgraph_depth = 32;
  static constexpr int function_depth = 100;
  static constexpr int type_depth = 32;
  static constexpr std::int64_t nodes = 1'000'000;                    // after inlining
  static constexpr std::int64_t dense_bytes = std::int64_t{1} << 30;  // of one sparse tensor
  static constexpr std::size_t reports_per_kind = 100;
};

struct Context {
  Context(Diagnostics& d, ExternalData& e) : diagnostics(d), external(e) {}

  Diagnostics& diagnostics;
  ExternalData& external;
  std::shared_ptr<const void> keeper;  // owns the message that tensors point into
  std::int64_t ir_version = 0;
  SymbolNames symbols;
  std::set<std::string> overridden_initializers;  // without their default values; erased when found
  std::map<std::string, std::string> calls;       // Model::calls
  std::map<int, std::optional<Tensor>> initial_state;  // by state variable; none: not readable

  // Reports an error; after reports_per_kind of one kind, further errors are only counted.
  void error(const std::string& id, const std::string& where, const std::string& message);
  void error(const OpError& e, const std::string& where);
  // Reports how many errors were only counted.
  void finish();

 private:
  std::map<std::string, std::size_t> reported_;
};

}  // namespace onnxc::reader
