// Names of buffers, shapes and functions in the generated source, and their C++ expressions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/emit.hpp"
#include "compiler/interface/names.hpp"

namespace onnxc {

class SourceNames {
 public:
  // `globals`: names at namespace level, those of functions written before included.
  SourceNames(const EmitContext& context, NameScope& globals);

  // The local variable of a buffer.
  const std::string& of(BufferId id) const;
  const std::string& size(const std::string& symbol) const { return sizes_.at(symbol); }
  // Unique identifiers.
  Identifier new_local(const Identifier& wanted) { return locals_.unique(wanted); }
  Identifier new_global(const Identifier& wanted);

  std::string cpp_type(BufferId id) const;
  // Whether a port or an inline weight of this type is stored as plain integers.
  bool stored_as_bits(BufferId id) const { return stored_as_bits(p_.at(id).elem); }
  static bool stored_as_bits(ElemType elem);
  // If not null: the parameters that stand for buffers, inside an outlined function.
  struct Parameter {
    std::string name;
    bool is_block = false;  // a Block itself, not its memory
  };
  using Parameters = std::map<BufferId, Parameter>;
  const Parameters* bind(const Parameters* p) { return std::exchange(parameters_, p); }
  // A buffer as an argument.
  std::string pointer(BufferId id) const;
  // Whether it is a constant that only constant_at reads.
  bool in_flash(BufferId id) const;
  // Whether the address of a buffer changes: then every use names it, otherwise one variable does.
  bool moves(BufferId id) const;

  // The local variable of the memory that holds a buffer of the arena.
  std::string memory(const Buffer& b) const { return memory_of(p_, b); }
  static std::string memory_of(const Program& p, const Buffer& b);

  std::string number(const Dim& d) const;
  std::string numbers(const std::vector<Dim>& list) const;  // a, b

 private:
  std::string operation(const char* name, const DimAtom& atom) const;

  const Program& p_;
  bool flash_apart_;
  NameScope locals_;
  NameScope& globals_;
  std::vector<std::string> buffers_;
  std::map<std::string, std::string> sizes_;
  const Parameters* parameters_ = nullptr;
};

}  // namespace onnxc
