// Read access to a node and checks of it: the base of Infer, Fold, Lower and Upgrade.
#pragma once

#include <fmt/format.h>

#include "compiler/ir/op.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc::ops {

class NodeView {
 public:
  // `relations` collects the checks that are left for run time.
  explicit NodeView(const Node& node, std::vector<Relation>* relations = nullptr)
      : node_(&node), relations_(relations) {}

  const Node& node() const { return *node_; }
  std::size_t input_count() const { return node_->inputs.size(); }
  std::size_t output_count() const { return node_->outputs.size(); }
  // The operator's own inputs, without the operands of a fused body.
  bool has_input(std::size_t i) const {
    return i + node_->body_inputs < node_->inputs.size() && node_->inputs[i];
  }
  bool has_output(std::size_t i) const { return i < node_->outputs.size() && node_->outputs[i]; }

  const Value& input_value(std::size_t i) const { return *node_->inputs[i]; }
  const Value& output_value(std::size_t i) const { return *node_->outputs[i]; }
  const Type& input(std::size_t i) const { return node_->inputs[i]->type; }
  // Contents of input i when they are known, else null (also when it is left out).
  const Tensor* constant(std::size_t i) const;

  // The contents of an integer tensor of rank 0 or 1 as expressions, when they are known: from a
  // constant, or carried through Shape, Gather, Concat and arithmetic.
  std::optional<std::vector<Dim>> extents(std::size_t i) const;
  // The same entry by entry, nullopt for those known only at run time. Nullopt if none is known.
  std::optional<std::vector<std::optional<Dim>>> some_extents(std::size_t i) const;
  // The same if all of them are constants.
  std::optional<std::vector<std::int64_t>> ints(std::size_t i) const;

  // Attributes. The attr_ forms return the standard's default when the node has none, and report an
  // error when there is no default; the find_ forms return nullopt or null.
  std::int64_t attr_int(const std::string& name) const;
  float attr_float(const std::string& name) const;
  const std::string& attr_string(const std::string& name) const;
  const std::vector<std::int64_t>& attr_ints(const std::string& name) const;
  const std::vector<float>& attr_floats(const std::string& name) const;
  const std::vector<std::string>& attr_strings(const std::string& name) const;
  const Tensor& attr_tensor(const std::string& name) const;
  const View& attr_view(const std::string& name) const;
  Graph& attr_graph(const std::string& name) const;
  ElemType attr_elem_type(const std::string& name) const;  // an int attribute holding a data type
  bool has_attr(const std::string& name) const { return attribute(name) != nullptr; }
  std::optional<std::int64_t> find_int(const std::string& name) const;
  const std::vector<std::int64_t>* find_ints(const std::string& name) const;

  // `axis` counted from the end when negative; reports an error outside [-rank, rank).
  std::size_t axis(std::int64_t axis, std::size_t rank, const std::string& field = "axis") const;

  // Two dimensions that must be equal: an error when they cannot be, a run-time check when they are
  // dynamic. Returns the constant one if there is one.
  Dim same(const Dim& a, const Dim& b, const std::string& field) const;
  // Input i, unless it is left out, must hold one value; as above.
  void one_value(std::size_t i, const std::string& field) const;
  // The dimension that two broadcast to; as above.
  Dim broadcast(const Dim& a, const Dim& b, const std::string& field) const;

  // A dimension that must not be less, or more, than another; as above.
  void at_least(const Dim& d, std::int64_t least, const std::string& field) const;
  void at_most(const Dim& d, const Dim& most, const std::string& field) const;

  template <class... A>
  void require(bool condition, const std::string& field, fmt::format_string<A...> text,
               A&&... args) const {
    if (!condition) fail(field, fmt::format(text, std::forward<A>(args)...));
  }
  [[noreturn]] void fail(const std::string& field, const std::string& message) const;
  // Refuses sizes that have to be known at compile time, and are not.
  void require_known(bool known, const std::string& field, const std::string& message) const;
  // Refuses what the standard allows and onnxc does not support yet.
  [[noreturn]] void unsupported(const std::string& field, const std::string& message) const;

 protected:
  const Attribute* attribute(const std::string& name) const;  // the node's own, or the default
  const Attribute& must_have(const std::string& name) const;

 private:
  const Node* node_;
  std::vector<Relation>* relations_;
};

}  // namespace onnxc::ops
