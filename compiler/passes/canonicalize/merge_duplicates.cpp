// merge_duplicates: of nodes that compute the same from the same, the first one is kept, and the
// readers of the others read its results (common-subexpression elimination).
//
// Needs: types. Produces: graphs without two equal nodes; an Identity where the result of another
// node is a graph output. Leaves alone: nodes that draw random numbers, have an effect, or have
// subgraphs; nodes of other graphs, although a body may read their results; results whose types or
// known contents differ, such as sizes that each node determines at run time.
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "compiler/ir/editor.hpp"
#include "compiler/ir/op.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/support/hash.hpp"

namespace onnxc::passes {
namespace {

// ---- equality -----------------------------------------------------------------------------------

// Exact: 0.0 and -0.0 differ, a NaN equals itself.
struct SameAttribute {
  bool operator()(float a, float b) const {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }
  bool operator()(const Tensor& a, const Tensor& b) const { return a.same_content(b); }
  bool operator()(const SparseTensor& a, const SparseTensor& b) const {
    return a.dims == b.dims && (*this)(a.values, b.values) && (*this)(a.indices, b.indices);
  }
  bool operator()(const std::vector<float>& a, const std::vector<float>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
  bool operator()(const std::vector<Tensor>& a, const std::vector<Tensor>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), *this);
  }
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
  template <class A, class B>
  bool operator()(const A&, const B&) const {
    return false;
  }
};

bool same_attributes(const Attributes& a, const Attributes& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && std::visit(SameAttribute{}, x.second, y.second);
  });
}

// A result without a reader does not count, but neither node may lack one that the other has.
bool same_results(const Node& a, const Node& b) {
  return std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(),
                    [](const Value* x, const Value* y) {
                      if (!x || !y) return x == y;
                      return x->type == y->type && x->extent == y->extent && x->layout == y->layout;
                    });
}

bool has_bodies(const Node& node) {
  bool found = false;
  each_subgraph(node, [&](const Graph&) { found = true; });
  return found;
}

bool may_merge(const Node& node) {
  if (!node.op || node.op->effect || node.op->draws || !node.body.empty()) return false;
  const bool folded = std::any_of(node.outputs.begin(), node.outputs.end(),
                                  [](const Value* v) { return v && v->constant; });
  return !folded && !has_bodies(node);
}

// ---- hashes -------------------------------------------------------------------------------------

// What is not added here is left to the comparison.
struct AddAttribute {
  Hash& hash;

  void operator()(std::int64_t v) const { hash.add(v); }
  void operator()(float v) const { hash.add(std::int64_t{std::bit_cast<std::uint32_t>(v)}); }
  void operator()(const std::string& v) const { hash.add(v); }
  void operator()(const Tensor& v) const { hash.add(static_cast<std::int64_t>(v.content_hash())); }
  void operator()(const View& v) const { hash.add(v.to_string()); }
  template <class T>
  void operator()(const std::vector<T>& list) const {
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, float> ||
                  std::is_same_v<T, std::string> || std::is_same_v<T, Tensor>)
      for (const T& v : list) (*this)(v);
  }
  template <class T>
  void operator()(const T&) const {}
};

void add_dims(Hash& hash, const std::vector<Dim>& dims) {
  for (const Dim& d : dims)
    if (d.is_const())
      hash.add(d.value());
    else
      hash.add(d.to_string());
}

// ---- merging ------------------------------------------------------------------------------------

class DuplicateMerger {
 public:
  explicit DuplicateMerger(Graph& graph) : editor_(graph) {}

  void run() {
    editor_.each([this](Node& node) {
      if (!may_merge(node)) return;
      const std::uint64_t hash = hash_of(node);
      const auto [begin, end] = firsts_.equal_range(hash);
      for (auto at = begin; at != end; ++at)
        if (same(*at->second, node)) return merge(node, *at->second);
      firsts_.emplace(hash, &node);
    });
  }

 private:
  // Results depend on the operands and the attributes alone, but those of Dims, which has neither.
  std::uint64_t hash_of(const Node& node) {
    Hash hash;
    hash.add(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(node.op)));
    for (const Value* v : node.inputs)
      hash.add(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(source(v))));
    for (const auto& [key, attribute] : node.attributes) {
      hash.add(key);
      std::visit(AddAttribute{hash}, attribute);
    }
    for (const Value* v : node.outputs) {
      if (v && v->type.shape) add_dims(hash, *v->type.shape);
      if (v && v->extent) add_dims(hash, *v->extent);
    }
    return hash.value();
  }

  bool same(const Node& a, const Node& b) {
    return a.op == b.op &&
           std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
                      [this](const Value* x, const Value* y) { return source(x) == source(y); }) &&
           same_attributes(a.attributes, b.attributes) && same_results(a, b);
  }

  // One value for all constants with this content; any other value itself.
  const Value* source(const Value* v) {
    if (!v || !v->constant) return v;
    const auto [known, is_new] = source_of_.emplace(v, v);
    if (!is_new) return known->second;
    const std::uint64_t hash = v->constant->content_hash();
    const auto [begin, end] = constants_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      const Value& first = *at->second;
      if (first.quantized == v->quantized && first.constant->same_content(*v->constant))
        return known->second = &first;
    }
    constants_.emplace(hash, v);
    return v;
  }

  // The readers of the second node read the first, which comes before it. Graph outputs keep their
  // own values, each of which is the caller's memory.
  void merge(Node& second, Node& first) {
    bool replaced = true;
    for (std::size_t i = 0; i < second.outputs.size(); ++i) {
      Value* const v = second.outputs[i];
      if (!v) continue;
      const std::vector<Use> uses = v->users();
      for (const Use& use : uses)
        if (use.node) use.node->inputs.set(use.index, first.outputs[i]);
      replaced = replaced && (v->users().empty() || v->type.is_tensor());
    }
    take_sources(first, second);
    if (!replaced) return;
    for (std::size_t i = 0; i < second.outputs.size(); ++i)
      if (second.outputs[i] && !second.outputs[i]->users().empty())
        editor_.emit_as(second.outputs[i], "Identity", {first.outputs[i]});
    editor_.erase(second);
  }

  // As add_sources, in linear time also where thousands of nodes become one.
  void take_sources(Node& first, const Node& second) {
    auto [known, is_new] = sources_.try_emplace(&first);
    if (is_new) known->second.insert(first.sources.begin(), first.sources.end());
    for (const std::string& s : second.sources)
      if (known->second.insert(s).second) first.sources.push_back(s);
  }

  GraphEditor editor_;
  std::unordered_multimap<std::uint64_t, Node*> firsts_;  // of their kind, by hash
  std::unordered_multimap<std::uint64_t, const Value*> constants_;
  std::unordered_map<const Value*, const Value*> source_of_;
  std::unordered_map<const Node*, std::unordered_set<std::string>> sources_;
};

}  // namespace

void merge_duplicates(Graph& graph, PassContext&) { DuplicateMerger(graph).run(); }

}  // namespace onnxc::passes
