// Symbols of the sizes that a model leaves open.
#pragma once

#include <map>
#include <set>
#include <string>

#include "compiler/ir/dim.hpp"

namespace onnxc::reader {

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

}  // namespace onnxc::reader
