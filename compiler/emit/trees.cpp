// Prints decision trees as nested if and else.
#include "compiler/emit/source_steps.hpp"

#include <cmath>

#include "compiler/emit/writer.hpp"
#include "templates/trees/tree_ensemble.hpp"

namespace onnxc {
namespace {

class TreePrinter {
 public:
  explicit TreePrinter(const DecisionTrees& trees)
      : trees_(trees), type_(trees.arithmetic == ElemType::float64 ? "double" : "float") {}

  std::string run() {
    w_.open("struct @ {");
    w_.raw_line("template <class X, class F>");
    w_.open("static void each(const X* x, F vote) {");
    for (std::size_t t = 0; t < trees_.roots.size(); ++t)
      w_.line("vote(Index{{{0}}}, tree_{0}(x));", t);
    w_.close("}");
    for (std::size_t t = 0; t < trees_.roots.size(); ++t) {
      w_.raw_line("template <class X>");
      w_.open(fmt::format("static {} tree_{}([[maybe_unused]] const X* x) {{", type_, t));
      node(trees_.nodes[trees_.roots[t]]);
      w_.close("}");
    }
    w_.close("};");
    return w_.take();
  }

 private:
  void node(const DecisionTrees::Node& n) {
    if (n.leaf) return w_.line("return {};", number(n.split));
    w_.open(fmt::format("if ({}) {{", condition(n)));
    node(trees_.nodes[n.yes]);
    w_.close("}");
    node(trees_.nodes[n.no]);
  }

  std::string number(double v) const {
    if (trees_.arithmetic != ElemType::float64) return float_literal(static_cast<float>(v));
    // The constants for infinities and NaN are floats.
    return std::isfinite(v) ? double_literal(v) : "double(" + double_literal(v) + ")";
  }

  // Comparisons with NaN are false, except !=.
  std::string condition(const DecisionTrees::Node& n) const {
    const std::string v = fmt::format("{}(x[{}])", type_, n.feature);
    const bool nan = (n.outcomes & kOutcomeNaN) != 0;
    std::string text;
    for (double member : n.members)
      text += fmt::format("{}{} == {}", text.empty() ? "" : " || ", v, number(member));
    if ((n.outcomes & kOutcomeMember) != 0) {
      if (nan) text += fmt::format("{}{} != {}", text.empty() ? "" : " || ", v, v);
      return text.empty() ? "false" : text;
    }
    const int numbers = n.outcomes & (kOutcomeLess | kOutcomeEqual | kOutcomeGreater);
    text = fmt::format("{} {} {}", v, comparison(numbers), number(n.split));
    if (numbers == (kOutcomeLess | kOutcomeGreater))
      return nan ? text : fmt::format("{} && {} == {}", text, v, v);
    return nan ? fmt::format("{} || {} != {}", text, v, v) : text;
  }

  static const char* comparison(int outcomes) {
    switch (outcomes) {
      case kOutcomeLess:
        return "<";
      case kOutcomeLess | kOutcomeEqual:
        return "<=";
      case kOutcomeGreater:
        return ">";
      case kOutcomeGreater | kOutcomeEqual:
        return ">=";
      case kOutcomeEqual:
        return "==";
      default:
        return "!=";
    }
  }

  const DecisionTrees& trees_;
  std::string type_;
  CodeWriter w_;
};

}  // namespace

std::string emit_trees(const DecisionTrees& trees) { return TreePrinter(trees).run(); }

}  // namespace onnxc
