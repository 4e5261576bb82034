// A header of templates/ or runtime_min/, split into declarations that can be left out.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace onnxc {

// The text between blank lines at namespace level. A conditional and a macro with its #undef stay
// in one piece.
struct Declaration {
  std::string text;                 // with the comment above it
  std::vector<std::string> scopes;  // the namespaces inside onnxc, from the outermost: "math"
  std::set<std::string> names;      // names that it declares: "vfloat", "math::exp"
  std::set<std::string> arguments;  // of a specialisation: it is needed only with one of these
  std::set<std::string> uses;       // identifiers in its code
  // Operators, assertions and macros have no name that code uses: they come with the header's other
  // declarations.
  bool comes_along = false;
};

struct HeaderText {
  std::string head;  // the comment at the top
  std::vector<Declaration> declarations;
};

// `text` is a header without its includes and without its outer namespace.
HeaderText split_declarations(std::string_view text);

// The identifiers in C++ code, without those in comments, strings and character literals; a name in
// a scope with the innermost one, "fn::max".
std::set<std::string> identifiers_in(std::string_view code);

}  // namespace onnxc
