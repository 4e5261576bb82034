// The headers of templates/ and runtime_min/, divided into declarations: tables that
// compiler/embed/ makes when onnxc is built. Lists are words with a blank between them.
#pragma once

#include <span>
#include <string_view>

#include "compiler/support/packed_text.hpp"

namespace onnxc {

struct EmbeddedDeclaration {
  PackedText text;       // word for word, with the comment above it
  PackedText scopes;     // the namespaces inside onnxc, from the outermost: "math"
  PackedText names;      // names that it declares: "vfloat", "math::exp"
  PackedText arguments;  // of a specialisation: it is needed only with one of these
  PackedText uses;       // names of declarations and of std in its code
  bool comes_along;      // with the header's other declarations
};

struct EmbeddedHeader {
  std::string_view stem;    // "conv2d_nhwc", "fn/relu", "runtime_min/types"
  std::string_view folder;  // "convolution"; "runtime_min"
  PackedText head;          // the comment at the top
  PackedText outside;       // code before the namespace
  PackedText system;        // its includes: "<cmath>"
  PackedText own;           // and those of other such headers: stems
  PackedText reserved;      // names that identifiers of a model must not be
  std::span<const EmbeddedDeclaration> declarations;
};

// A function that a header of templates/ declares: a kernel, "gemm", or an element-wise function,
// "fn::add".
struct EmbeddedFunction {
  std::string_view name, header;  // its stem
  bool fallible;                  // it returns Status
  PackedText parameters;          // names; none for a list that varies
};

extern const std::span<const EmbeddedHeader> kEmbeddedHeaders;      // in the order of their paths
extern const std::span<const EmbeddedFunction> kEmbeddedFunctions;  // in the order of their names

}  // namespace onnxc
