// An operator: a row of facts, and the functions that define its behaviour.
//
// Each file below compiler/ops/<topic>/ defines `ops::<stem>::family`, a table of rows; the build
// makes the registry from the file names. Adding an operator edits no existing file.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.hpp"

namespace onnxc::ops {

class Upgrade;
class Infer;
class Fold;
class Lower;
class Gradient;
class Axes;

// A literal that an element-wise function takes after its operands: LeakyRelu's alpha.
struct Literal {
  enum class Kind { integer, real, boolean, type } kind = Kind::integer;
  std::int64_t integer = 0;
  float real = 0;
  ElemType type = ElemType::undefined;  // printed as a template argument: fn::cast<float>(x)
};

// The function of `templates/fn/` that computes one element of an element-wise operator.
struct ScalarFn {
  std::string name;                    // "leaky_relu": fn::leaky_relu
  std::vector<Literal> literals = {};  // after the operands; types first, as template arguments
  bool vectorises = true;              // has an overload for vfloat
};

// How an operator of rank 3 and above supports the channels-last layout.
struct LayoutRule {
  bool accepts = false;     // can be lowered with channels-last data
  bool prefers = false;     // gains from it: the layout pass starts from these operators
  bool all_inputs = false;  // every input of the output's rank is data; else only input 0
  // Channels-last data may be views of wider tensors, with a larger stride between pixels.
  bool parts_in = false, part_out = false;
  // Reads input 0 in any layout where its result is plain.
  bool reads_any = false;
  // The result is plain, the inputs of its rank are channels-last.
  bool reads_last = false;
};

// Whether the kernel takes the element-wise nodes after it as an epilogue, and which axis of the
// output its `channel` argument counts.
enum class Epilogue : std::uint8_t { none, channel_is_axis_1, channel_is_last_axis };

struct Op {
  std::string_view name;
  std::string_view domain = "";  // "" is ai.onnx; "onnxc" holds the compiler's own operators
  // since_versions, oldest first: "1 6 13". `upgrade` rewrites the older ones to the newest
  // version.
  std::string_view versions = "";
  int deprecated = 0;  // first version without the operator, 0 if it still exists

  // Formal parameters: "X:T W:T B:T?", a type variable or an element type after the colon.
  // `?` optional, `*` variadic, `+` variadic with at least one, `~` variadic and heterogeneous.
  // Containers: "seq(T)", "optional(T)", "map(T)"; "any" is not checked.
  std::string_view inputs = "", outputs = "";
  // Type variables: "T: float16 float double; Tind: int32 int64". Groups are in signature.cpp:
  // "floats", "integers", "numeric", "all" and more.
  std::string_view types = "";
  // Attributes: "axis:int=-1 perm:ints mode:string=nearest body:graph! consumed_inputs:ints@1-5".
  // `=` default, `!` required, `@a-b` only in those since_versions.
  std::string_view attributes = "";
  // Attributes whose strings name values: "xs zs y". Import appends those values to the inputs.
  std::string_view named_values = "";
  // Inputs that are settings or statistics and no weights: "roi scales". A pattern of `onnxc
  // prepare` does not select initialisers that only such inputs read.
  std::string_view settings = "";
  std::string_view limits = "";  // allowed by the standard, but not supported yet

  void (*upgrade)(Upgrade&) = nullptr;  // old node -> newest version, at import
  void (*infer)(Infer&) = nullptr;      // types, symbolic shapes, known integer contents
  // The loops that several devices may share; null: every device does all of the work.
  void (*axes)(Axes&) = nullptr;
  void (*fold)(Fold&) = nullptr;              // constant inputs -> constant outputs
  void (*lower)(Lower&) = nullptr;            // kernel calls
  ScalarFn (*scalar)(const Node&) = nullptr;  // element-wise operators: instead of `lower`
  // Multiply-accumulates of a typed node; nullopt while a rank is unknown.
  std::optional<Dim> (*macs)(const Node&) = nullptr;
  LayoutRule (*layout)(const Node&) = nullptr;
  // Whether each element of an output is one of input 0, or of any of variadic inputs, whatever
  // their values: such a node may move the integers before they are dequantised.
  bool (*moves_elements)(const Node&) = nullptr;
  // Whether the node's first output is its first input, whatever that is: readers read past it.
  bool (*forwards)(const Node&) = nullptr;
  // Takes one or two passes over its operands: cheap enough to be computed twice.
  bool sweep = false;
  bool draws = false;  // random numbers, of a stream of its own: see random/seed.hpp
  Epilogue epilogue = Epilogue::none;  // float32 results only; `lower` passes n.epilogue()
  bool effect = false;                 // acts on other devices: never removed, merged or moved
  bool quick = false;  // element-wise, and about as quick as a look into a table of its results
  // Builds the nodes that take a gradient from the results to the operands. Null: a Gradient
  // through this operator is refused.
  void (*gradient)(Gradient&) = nullptr;
};

// The gradient of operators whose derivative is zero wherever there is one, such as Floor.
void gradient_is_zero(Gradient& n);

inline bool always(const Node&) { return true; }
inline bool has_one_input(const Node& n) { return n.inputs.size() == 1; }

// Rows of operators with a single version: ONNX Runtime's own ones and the compiler's.
constexpr Op only_version(Op row, std::string_view domain) {
  row.domain = domain;
  row.versions = "1";
  return row;
}
constexpr Op contrib(Op row) { return only_version(row, "com.microsoft"); }
constexpr Op internal(Op row) { return only_version(row, "onnxc"); }

struct Family {
  std::span<const Op> rows;
};

// ---- parsed facts ---------------------------------------------------------------------------

struct Formal {
  std::string_view name;
  std::string_view type;  // as written: "T", "int64", "seq(T)"
  std::string_view var;   // the type variable or element type inside, "" for "any"
  Type::Kind container = Type::Kind::tensor;
  bool optional = false, variadic = false, heterogeneous = false;
  std::size_t min_count = 1;  // variadic: least number of arguments
  TypeMask mask = 0;          // element types allowed
};

enum class AttributeKind {
  integer,
  real,
  string,
  tensor,
  graph,
  sparse_tensor,
  type,
  integers,
  reals,
  strings,
  tensors,
  graphs,
  types,
  view,
};

struct AttributeSpec {
  std::string_view name;
  AttributeKind kind = AttributeKind::integer;
  bool required = false;
  std::optional<Attribute> fallback;  // the default of the standard
  int first_version = 0, last_version = 1 << 30;
};

struct Signature {
  std::vector<int> versions;
  std::vector<Formal> inputs, outputs;
  std::vector<AttributeSpec> attributes;

  const Formal* input(std::size_t i) const;  // null when there are fewer; the last if variadic
  const Formal* output(std::size_t i) const;
  const AttributeSpec* attribute(std::string_view name) const;
  std::size_t min_inputs() const;
  std::size_t max_inputs() const;
  std::size_t min_outputs() const;
  std::size_t max_outputs() const;
};

std::string_view kind_name(AttributeKind kind);  // "int", "floats"
AttributeKind kind_of(const Attribute& attribute);
std::string describe_mask(TypeMask mask);  // "float16, float, double"

// ---- the registry ---------------------------------------------------------------------------

// Null when unknown. "ai.onnx" and "" are one domain.
const Op* find(std::string_view domain, std::string_view name);
// As find, for operators that the compiler itself relies on; throws std::logic_error.
const Op& get(std::string_view name, std::string_view domain = "");
const Signature& signature(const Op& op);
// See Op::named_values.
bool names_values(const Op& op, std::string_view attribute);
// Whether it is that operator of ai.onnx, without a fused body.
bool is_a(const Node* node, std::string_view name);
// See Op::moves_elements; false for nodes with a fused body.
bool moves_elements(const Node& node);
std::span<const Op* const> all();  // sorted by domain, name
// The since_version in force for an opset: the largest one <= opset; 0 when there is none.
int since_version(const Op& op, std::int64_t opset);

}  // namespace onnxc::ops
