// The headers of templates/ and runtime_min/, divided into declarations: tables that
// compiler/embed/ makes when onnxc is built. Lists are words with a blank between them.
#pragma once

#include <span>
#include <string_view>

namespace onnxc {

struct EmbeddedDeclaration {
  std::string_view text;       // word for word, with the comment above it
  std::string_view scopes;     // the namespaces inside onnxc, from the outermost: "math"
  std::string_view names;      // names that it declares: "vfloat", "math::exp"
  std::string_view arguments;  // of a specialisation: it is needed only with one of these
  std::string_view uses;       // names of declarations and of std in its code
  bool comes_along;            // with the header's other declarations
};

struct EmbeddedHeader {
  std::string_view stem;      // "conv2d_nhwc", "fn/relu", "runtime_min/types"
  std::string_view folder;    // "convolution"; "runtime_min"
  std::string_view head;      // the comment at the top
  std::string_view system;    // its includes: "<cmath>"
  std::string_view own;       // and those of other such headers: stems
  std::string_view reserved;  // names that identifiers of a model must not be
  std::span<const EmbeddedDeclaration> declarations;
};

// A function that a header of templates/ declares: a kernel, "gemm", or an element-wise function,
// "fn::add".
struct EmbeddedFunction {
  std::string_view name, header;  // its stem
  bool fallible;                  // it returns Status
  std::string_view parameters;    // names; none for a list that varies
};

extern const std::span<const EmbeddedHeader> kEmbeddedHeaders;      // in the order of their paths
extern const std::span<const EmbeddedFunction> kEmbeddedFunctions;  // in the order of their names

}  // namespace onnxc
