// Einsum: sums of products over named axes.
#include <map>

#include "compiler/ops/elementwise.hpp"
#include "compiler/ops/region.hpp"

namespace onnxc::ops::einsum {
namespace {

// An axis label is a letter, or a number below 32 for an axis of the ellipsis, counted from its
// end.
using Labels = std::vector<int>;

struct Equation {
  std::vector<Labels> inputs;
  Labels output, summed;
  std::map<int, Dim> extents;
};

[[noreturn]] void bad(const NodeView& n, const std::string& what) {
  n.fail("attribute \"equation\"", what);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// `ellipsis` is how many axes "..." stands for.
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

struct Terms {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
};

Terms split(const NodeView& n) {
  std::string text;
  for (char c : n.attr_string("equation"))
    if (c != ' ') text += c;
  Terms t;
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

Equation parse(const NodeView& n) {
  const Terms terms = split(n);
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

void infer(Infer& n) {
  n.output(0, n.elem(0), std::nullopt);
  split(n);
  for (std::size_t i = 0; i < n.input_count(); ++i)
    if (!n.has_rank(i)) return;
  const Equation e = parse(n);
  Shape out;
  for (int label : e.output) out.push_back(e.extents.at(label));
  n.output(0, n.elem(0), out);
}

// A label that occurs twice in one term walks the diagonal: its strides add up.
void add_strides(Shape& all, const Labels& axes, const Labels& own, const Shape& shape,
                 const std::map<int, Dim>& extents) {
  const Shape strides = row_major(shape);
  for (int label : axes) {
    Dim stride = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] == label)
        stride = stride + (shape[i] == extents.at(label) && !shape[i].is(1)
                               ? strides[i]
                               : Dim::unless_one(shape[i], strides[i]));
    all.push_back(stride);
  }
}

void lower(Lower& n) {
  const Equation e = parse(n);
  Labels axes = e.output;
  axes.insert(axes.end(), e.summed.begin(), e.summed.end());
  Shape dims, strides;
  for (int label : axes) dims.push_back(e.extents.at(label));
  for (std::size_t i = 0; i < e.inputs.size(); ++i)
    add_strides(strides, axes, e.inputs[i], n.shape(i), e.extents);
  Call call = n.call("einsum");
  call.template_arg(std::to_string(axes.size())).template_arg(std::to_string(e.output.size()));
  call.dims("dims", dims).dims("strides", strides).out(0).macs(product(dims));
  for (std::size_t i = 0; i < e.inputs.size(); ++i) call.in(i);
}

constexpr Op rows[] = {{
    .name = "Einsum",
    .versions = "12",
    .inputs = "Inputs:T+",
    .outputs = "Output:T",
    .types = "T: numeric",
    .attributes = "equation:string!",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::einsum
