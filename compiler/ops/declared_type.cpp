// What a model declares of results, and what inference finds. Types of inner values are hints of
// exporters: where they contradict, what is inferred counts, and so do the sizes of the model's
// outputs. Nobody reads the former, and the interface says the latter.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "compiler/ops/infer.hpp"

namespace onnxc::ops {
namespace {

bool same_elements(const Type& a, const Type& b) {
  if (a.kind != b.kind) return a.kind == Type::Kind::unknown || b.kind == Type::Kind::unknown;
  if (a.element && b.element) return same_elements(*a.element, *b.element);
  return a.elem == b.elem || a.elem == ElemType::undefined || b.elem == ElemType::undefined;
}

// Whether an expression of sizes has this value wherever they are not 0, as that of the last
// element of an axis.
bool always_is(const Dim& d, const Dim& value) {
  constexpr std::int64_t kSamples[][2] = {{1, 0}, {2, 1}, {3, 5}, {1000, -37}};  // first, step
  for (const auto& [first, step] : kSamples) {
    std::map<std::string, std::int64_t> sizes;
    const auto size = [&, start = first, by = step](const std::string& symbol) {
      const auto count = static_cast<std::int64_t>(sizes.size() % 20);
      return std::optional<Dim>(sizes.emplace(symbol, start + by * count).first->second);
    };
    if (d.substitute(size) != value) return false;
  }
  return true;
}

// Declared dimensions that follow from the contents of an input, such as pads or a new shape, are
// often wrong in files: exporters do not evaluate these.
bool follows_from_contents(const Infer& n) {
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (const Tensor* contents = n.constant(i); contents && is_integer(contents->elem()))
      return true;
  return false;
}

// Other numbers in the place of the right ones, where no size is open: a damaged file.
bool is_damaged(const Infer& n, const Type& declared, const Type& inferred) {
  return n.graph().root().stale_sizes == Graph::Stale::none && declared.is_tensor() &&
         inferred.is_tensor() && declared.is_static() && inferred.is_static() &&
         declared.rank() == inferred.rank() && declared.shape != inferred.shape &&
         !follows_from_contents(n);
}

}  // namespace

bool Infer::is_model_output(std::size_t i) const {
  const std::vector<Use>& users = output_value(i).users();
  return std::any_of(users.begin(), users.end(),
                     [](const Use& u) { return u.graph && !u.graph->parent; });
}

void Infer::clear_declared(std::size_t i) {
  Value& v = *mutable_node_->outputs[i];
  v.declared.reset();
  v.type = {};
}

bool Infer::take_sizes(std::size_t i, Shape& inferred, const Shape& declared, bool stale) {
  bool agree = true;
  for (std::size_t k = 0; k < declared.size(); ++k) {
    Dim& d = inferred[k];
    if (!declared[k].is_const() || d == declared[k]) continue;
    const bool by_data = !d.is_const() && graph_->root().is_decided_by_data(d);
    if ((by_data && !stale) || (!d.is_const() && !by_data && always_is(d, declared[k])))
      d = same(d, declared[k], fmt::format("output {}", i));
    else if (!by_data)
      agree = false;
  }
  return agree;
}

Type Infer::reconciled(std::size_t i, Type inferred) {
  const Value& v = output_value(i);
  const std::string field = fmt::format("output {} {}", i, quoted(v.name));
  // Without a declaration it is what an earlier inference, or another part of the compiler, found.
  const Type& declared = v.declared ? *v.declared : v.type;
  const bool result = is_model_output(i);
  bool agree = compatible(declared, inferred);
  require(agree || (v.declared && (!result || same_elements(declared, inferred))), field,
          "is declared {}, is {}", declared.to_string(), inferred.to_string());
  if (agree && inferred.is_tensor() && declared.is_tensor() && declared.shape) {
    using Stale = Graph::Stale;
    const Stale stale = v.declared ? graph_->root().stale_sizes : Stale::none;
    if (inferred.shape) {
      agree = take_sizes(i, *inferred.shape, *declared.shape,
                         stale == Stale::all || (stale == Stale::inner && !result));
    } else {
      // The rank and the constants of a declared shape are used; its symbols are only names.
      inferred.shape = declared.shape;
      for (Dim& d : *inferred.shape)
        if (!d.is_const()) d = unknown_extent();
    }
  }
  require(agree || !is_damaged(*this, declared, inferred), field, "is declared {}, is {}",
          declared.to_string(), inferred.to_string());
  // Where the caller replaced a fixed size, those of results are old.
  const bool only_sizes = declared.is_tensor() && inferred.is_tensor() && declared.has_rank() &&
                          inferred.has_rank() && declared.elem == inferred.elem &&
                          declared.rank() == inferred.rank();
  const bool replaced = only_sizes && graph_->root().stale_sizes == Graph::Stale::all;
  if (!agree && !replaced)
    warn("declared-type", field,
         fmt::format("is declared {}, is {}, which counts", declared.to_string(),
                     inferred.to_string()));
  return inferred;
}

}  // namespace onnxc::ops
