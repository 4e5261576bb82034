// What things are called in the generated source, and how they are written as C++ expressions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/names.hpp"

namespace onnxc {

class SourceNames {
 public:
  explicit SourceNames(const EmitContext& context);

  // The local variable of a buffer.
  const std::string& of(BufferId id) const { return buffers_[static_cast<std::size_t>(id)]; }
  const std::string& size(const std::string& symbol) const { return sizes_.at(symbol); }
  // Identifiers that nothing else has.
  std::string new_local(const std::string& wanted) { return locals_.unique(wanted); }
  std::string new_global(const std::string& wanted);

  std::string cpp_type(BufferId id) const;
  // Whether a port or an inline weight of this type is stored as plain integers.
  bool stored_as_bits(BufferId id) const;
  // A buffer as an argument.
  std::string pointer(BufferId id) const;
  // Whether a buffer moves: then it is named at every use, else once at the top.
  bool moves(BufferId id) const;

  std::string number(const Dim& d) const;
  std::string numbers(const std::vector<Dim>& list) const;  // a, b

 private:
  std::string operation(const char* name, const DimAtom& atom) const;

  const Program& p_;
  NameScope locals_, globals_;
  std::vector<std::string> buffers_;
  std::map<std::string, std::string> sizes_;
};

}  // namespace onnxc
