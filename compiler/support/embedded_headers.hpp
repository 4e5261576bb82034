// The headers of templates/ and runtime_min/, divided into declarations: tables that
// compiler/embed/ makes when onnxc is built.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace onnxc {

// Names in the headers, and what else the tables hold of text, are numbered in alphabetic order.
using WordId = std::uint16_t;
using WordList = std::span<const WordId>;

struct EmbeddedDeclaration {
  std::string_view text;  // word for word, with the comment above it
  WordList scopes;        // the namespaces inside onnxc, from the outermost: "math"
  WordList names;         // names that it declares: "vfloat", "math::exp"
  WordList arguments;     // of a specialisation: it is needed only with one of these
  WordList uses;          // names of declarations and of std in its code
  bool comes_along;       // with the header's other declarations
};

struct EmbeddedHeader {
  std::string_view stem;               // "conv2d_nhwc", "fn/relu", "runtime_min/types"
  std::string_view head;               // the comment at the top
  WordList system;                     // its includes: "<cmath>"
  std::span<const std::uint16_t> own;  // and those of embedded_headers()
  WordList reserved;                   // names that identifiers of a model must not be
  std::span<const EmbeddedDeclaration> declarations;
};

// A function that a header of templates/ declares: a kernel, "gemm", or an element-wise function,
// "fn::add".
struct EmbeddedFunction {
  std::string_view name, header;  // its stem
  bool fallible;                  // it returns Status
  WordList parameters;            // names; none for a list that varies
};

extern const std::span<const std::string_view> kEmbeddedWords;      // in alphabetic order
extern const std::span<const EmbeddedHeader> kEmbeddedHeaders;      // in the order of their paths
extern const std::span<const EmbeddedFunction> kEmbeddedFunctions;  // in the order of their names

// Throws std::logic_error for an unknown stem.
std::size_t embedded_header(std::string_view stem);
// Null for a function that no header declares.
const EmbeddedFunction* embedded_function(std::string_view name);
std::optional<WordId> embedded_word(std::string_view text);

}  // namespace onnxc
