// Parses the equation of an Einsum.
#include "compiler/ops/matmul/einsum_equation.hpp"

#include <algorithm>

namespace onnxc::ops {
namespace {

[[noreturn]] void bad(const NodeView& n, const std::string& what) {
  n.fail("attribute \"equation\"", what);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// `ellipsis` is the number of axes that "..." stands for.
Labels labels_of(const NodeView& n, const std::string& term, std::size_t ellipsis) {
  Labels out;
  bool seen = false;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) {
      out.push_back(term[i]);
    } else if (term.compare(i, 3, "...") == 0 && !seen) {
      seen = true;
      i += 2;
      for (std::size_t k = ellipsis; k-- > 0;) out.push_back(static_cast<int>(k));
    } else {
      bad(n, "is not well formed");
    }
  }
  return out;
}

void bind_axes(const NodeView& n, Equation& e, const Labels& labels, const Shape& shape) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto [it, fresh] = e.extents.emplace(labels[i], shape[i]);
    Dim& known = it->second;
    if (!fresh) known = n.broadcast(known, shape[i], "attribute \"equation\"");
  }
}

// Without an arrow: the ellipsis, then the letters that occur once, in order.
Labels implied_output(const Equation& e) {
  std::map<int, int> count;
  for (const Labels& l : e.inputs)
    for (int label : l) ++count[label];
  Labels dots, letters;
  for (const auto& [label, times] : count) {
    if (label < 32)
      dots.insert(dots.begin(), label);
    else if (times == 1)
      letters.push_back(label);
  }
  dots.insert(dots.end(), letters.begin(), letters.end());
  return dots;
}

}  // namespace

EquationTerms split_equation(const NodeView& n) {
  std::string text;
  for (char c : n.attr_string("equation"))
    if (c != ' ') text += c;
  EquationTerms t;
  const std::size_t arrow = text.find("->");
  if (arrow != std::string::npos) t.output = text.substr(arrow + 2);
  std::string left = text.substr(0, arrow);
  for (std::size_t comma = left.find(','); comma != std::string::npos; comma = left.find(',')) {
    t.inputs.push_back(left.substr(0, comma));
    left.erase(0, comma + 1);
  }
  t.inputs.push_back(left);
  if (t.inputs.size() != n.input_count())
    bad(n, fmt::format("has {} terms for {} inputs", t.inputs.size(), n.input_count()));
  return t;
}

Equation read_equation(const NodeView& n) {
  const EquationTerms terms = split_equation(n);
  Equation e;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < terms.inputs.size(); ++i) {
    const std::size_t rank = n.input(i).rank(), fixed = labels_of(n, terms.inputs[i], 0).size();
    const bool dots = terms.inputs[i].find("...") != std::string::npos;
    if (dots ? fixed > rank : fixed != rank)
      bad(n, fmt::format("term {} does not fit rank {}", i, rank));
    const std::size_t ellipsis = rank - fixed;
    if (ellipsis > 32) bad(n, "stands for too many axes");
    longest = std::max(longest, ellipsis);
    e.inputs.push_back(labels_of(n, terms.inputs[i], ellipsis));
    bind_axes(n, e, e.inputs.back(), *n.input(i).shape);
  }
  e.output = terms.output ? labels_of(n, *terms.output, longest) : implied_output(e);
  std::map<int, int> seen;
  for (int label : e.output) {
    if (!e.extents.count(label)) bad(n, "names an output axis that no input has");
    if (++seen[label] > 1) bad(n, "names an output axis twice");
  }
  for (const auto& [label, extent] : e.extents)
    if (!seen.count(label)) e.summed.push_back(label);
  return e;
}

}  // namespace onnxc::ops
