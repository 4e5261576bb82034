// Learns limits from relations, and simplifies the dimensions of all values by them.
#include "compiler/passes/infer/infer.hpp"

#include <algorithm>
#include <map>

namespace onnxc::passes {
namespace {

// c if `d` is the min or max of x and c.
std::optional<std::int64_t> limit_in(DimAtomKind kind, const Dim& d, const Dim& x) {
  const std::vector<Dim> operands = d.operands_of(kind);
  return operands.size() == 2 && operands[0] == x ? operands[1].constant() : std::nullopt;
}

// What min(x, c) == x or max(x, c) == x says about x. Two that broadcast are equal, too, unless one
// of them may be 1.
std::optional<DimLimit> limit_of(const Dim& d, const Dim& x, bool may_broadcast) {
  if (const auto most = limit_in(DimAtomKind::min, d, x); most && (!may_broadcast || *most > 1))
    return DimLimit{x, *most};
  if (const auto least = limit_in(DimAtomKind::max, d, x); least && !may_broadcast)
    return DimLimit{Dim(-1) * x, -*least};
  return std::nullopt;
}

std::optional<DimLimit> implied_limit(const Relation& r) {
  const auto limit = limit_of(r.a, r.b, r.may_broadcast);
  return limit ? limit : limit_of(r.b, r.a, r.may_broadcast);
}

bool is_known(const std::vector<DimLimit>& limits, const DimLimit& limit) {
  return !(Dim::min(limit.dim, limit.most).under(limits) == Dim::min(limit.dim, limit.most));
}

bool always_holds(const Relation& r) {
  return r.a == r.b || (r.may_broadcast && (r.a.is(1) || r.b.is(1)));
}

class SimplifyDims {
 public:
  explicit SimplifyDims(Graph& root) : root_(root) {}

  void run() {
    definitions();
    graph(root_);
  }

 private:
  // Names whose expression has become short are replaced by it.
  void definitions() {
    std::vector<std::pair<std::string, Dim>> kept;
    for (const auto& [name, definition] : root_.definitions) {
      const Dim d = simplified(definition);
      if (d.to_string().size() <= kLongestDim)
        inlined_.emplace(name, d);
      else
        kept.emplace_back(name, d);
    }
    root_.definitions = std::move(kept);
    for (auto& [name, range] : root_.ranges)
      if (range.at_most) range.at_most = simplified(*range.at_most);
  }

  void graph(Graph& g) {
    for (const auto& v : g.values) value(*v);
    std::vector<Relation> kept;
    for (const Relation& r : g.relations) {
      // What a limit follows from is still to be checked.
      const bool source = implied_limit(r).has_value();
      const Relation now = source ? Relation{inlined(r.a), inlined(r.b), r.may_broadcast}
                                  : Relation{simplified(r.a), simplified(r.b), r.may_broadcast};
      if (!always_holds(now)) kept.push_back(now);
    }
    g.relations = std::move(kept);
    for (const auto& node : g.nodes) each_subgraph(*node, [this](Graph& body) { graph(body); });
  }

  void value(Value& v) const {
    const auto simplify = [this](Dim& d) { d = simplified(d); };
    if (v.type.shape) std::for_each(v.type.shape->begin(), v.type.shape->end(), simplify);
    if (v.extent) std::for_each(v.extent->begin(), v.extent->end(), simplify);
    if (v.before_rounding)
      std::for_each(v.before_rounding->begin(), v.before_rounding->end(), simplify);
    for (std::optional<Dim>& d : v.partial_extent)
      if (d) simplify(*d);
  }

  Dim inlined(const Dim& d) const {
    if (d.is_const() || inlined_.empty()) return d;
    return d.substitute([this](const std::string& name) {
      const auto it = inlined_.find(name);
      return it == inlined_.end() ? std::nullopt : std::optional(it->second);
    });
  }
  Dim simplified(const Dim& d) const { return d.is_const() ? d : inlined(d).under(root_.limits); }

  Graph& root_;
  std::map<std::string, Dim> inlined_;
};

}  // namespace

std::size_t learn_limits(Graph& graph, std::size_t first) {
  bool learned = false;
  for (std::size_t i = first; i < graph.relations.size(); ++i) {
    const auto limit = implied_limit(graph.relations[i]);
    if (!limit || is_known(graph.limits, *limit)) continue;
    graph.limits.push_back(*limit);
    learned = true;
  }
  if (learned) SimplifyDims(graph).run();
  return graph.relations.size();
}

}  // namespace onnxc::passes
