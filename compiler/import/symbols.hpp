// Names of symbolic dimensions. A model may give a dimension any name; inside the compiler a symbol
// is an identifier, so that expressions over symbols can be printed and read back.
#pragma once

#include <map>
#include <set>
#include <string>

#include "compiler/ir/dim.hpp"

namespace onnxc::reader {

class SymbolNames {
 public:
  // The same symbol for the same dim_param; the name itself when it is an identifier.
  Dim named(const std::string& dim_param);
  // A new symbol for dimension `axis` of a value, which has no name in the model.
  Dim anonymous(const std::string& value, std::size_t axis);

 private:
  std::string claim(const std::string& wish);
  std::map<std::string, std::string> named_;
  std::set<std::string> taken_;
};

}  // namespace onnxc::reader
