// A header of templates/ or runtime_min/, split into declarations that can be left out.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

struct DeclaredFunction {
  std::string name;
  bool fallible = false;                // returns Status
  std::vector<std::string> parameters;  // names; none of a list that varies
};

// The text between blank lines at namespace level. A conditional and a macro with its #undef stay
// in one piece.
struct Declaration {
  std::string text;                 // with the comment above it
  std::vector<std::string> scopes;  // the namespaces inside onnxc, from the outermost: "math"
  std::set<std::string> names;      // names that it declares: "vfloat", "math::exp"
  std::set<std::string> arguments;  // of a specialisation: it is needed only with one of these
  std::set<std::string> uses;       // identifiers in its code
  std::vector<DeclaredFunction> functions;
  // Operators, assertions and macros have no name that code uses: they come with the header's other
  // declarations.
  bool comes_along = false;
};

struct HeaderText {
  std::string head;                      // the comment at the top
  std::vector<std::string> system, own;  // its includes: "<cmath>", "runtime_min/types.hpp"
  std::string outside;                   // code before the namespace
  std::vector<Declaration> declarations;
};

// Throws std::runtime_error for a header that ends inside of a declaration.
HeaderText split_declarations(std::string_view text);

// Names that C++ text may declare at namespace level: a name right before `(` or `<`, or after a
// keyword that introduces one. Generated identifiers avoid them.
std::set<std::string> declared_names(std::string_view text);

}  // namespace onnxc
