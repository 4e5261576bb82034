// Sums neighbours times weights: GatherND reads the neighbours of all positions at once.
#include "compiler/ops/image/interpolation.hpp"

namespace onnxc::ops {
namespace {

// The neighbours of all positions along one axis.
struct Neighbour {
  Term index;   // int64, within the image
  Term weight;  // 0 where zero padding is read
};

class AxisSampler {
 public:
  AxisSampler(const Sampling& how, Term extent, Term at)
      : how_(how), last_(convert(extent, at.type().elem) - 1.0), at_(at) {}

  std::vector<Neighbour> neighbours() {
    place();
    const bool nearest = how_.mode == "nearest", cubic = how_.mode == "cubic";
    const Term base = nearest ? at_ : apply("Floor", at_) - (cubic ? 1.0 : 0.0);
    std::vector<Neighbour> all;
    for (int k = 0; k < (nearest ? 1 : cubic ? 4 : 2); ++k) {
      const Term position = base + static_cast<double>(k);
      // Positive, as are the distances that the weights are functions of.
      const bool before = k <= (cubic ? 1 : 0);
      const Term distance = before ? at_ - position : position - at_;
      all.push_back(neighbour(position, weight(distance, k)));
    }
    return all;
  }

 private:
  bool is_reflected() const { return how_.padding_mode == "reflection"; }
  double border() const { return how_.align_corners ? 0.0 : -0.5; }

  // Where the filter is centred.
  void place() {
    if (how_.mode == "nearest") at_ = apply("Round", at_);
    if (how_.padding_mode == "border") {
      // So far outside that all neighbours are the border.
      const double far = how_.mode == "cubic" ? 2 : 0;
      at_ = at_.builder->emit("Clip", {at_, number_like(at_, -far), last_ + far});
    }
    if (is_reflected()) at_ = reflected(at_);
  }

  // Between `border` and its mirror image.
  Term reflected(Term x) const {
    const Term low = number_like(x, border()), high = last_ - border(), range = high - low;
    const Term below = x < low, divisor = choose(range > 0.0, range, 1.0);
    const Term distance = choose(below, low - x, x - high);
    const Term times = apply("Floor", distance / divisor), rest = distance - times * divisor;
    const Term even = times - 2.0 * apply("Floor", times / 2.0) == 0.0;
    const Term turned = choose(below == even, low + rest, high - rest);
    const Term inside = (x >= low) && (x <= high);
    return choose(range > 0.0, choose(inside, x, turned), low);
  }

  // Linear, or cubic convolution with a = -0.75 (Keys 1981).
  Term weight(Term d, int k) const {
    if (how_.mode == "nearest") return d.builder->filled(1, d);
    if (how_.mode == "linear") return 1.0 - d;
    constexpr double a = -0.75;
    if (k == 1 || k == 2) return ((a + 2) * d - (a + 3)) * d * d + 1.0;
    return (((d - 5.0) * d + 8.0) * d - 4.0) * a;
  }

  Neighbour neighbour(Term position, Term weight) const {
    const Term low = number_like(position, 0);
    if (how_.padding_mode == "zeros")
      weight = choose((position >= low) && (position <= last_), weight, 0.0);
    if (is_reflected()) position = truncated(reflected(position));
    const Term inside = position.builder->emit("Clip", {position, low, last_});
    return {convert(inside, ElemType::int64), weight};
  }

  static Term truncated(Term x) { return choose(x < 0.0, apply("Ceil", x), apply("Floor", x)); }

  const Sampling& how_;
  Term last_, at_;
};

// Calls f(index, weight) for each combination of neighbours along the axes from `axis` on.
template <class F>
void each_combination(const std::vector<std::vector<Neighbour>>& axes,
                      const std::vector<Term>& extents, std::size_t axis, Neighbour so_far, F& f) {
  if (axis == axes.size()) return f(so_far);
  for (const Neighbour& n : axes[axis]) {
    Neighbour next = n;
    if (axis > 0) next = {so_far.index * extents[axis] + n.index, so_far.weight * n.weight};
    each_combination(axes, extents, axis + 1, next, f);
  }
}

}  // namespace

Term sampled(const Sampling& how, Term image, std::vector<Term> at) {
  NodeBuilder& b = *image.builder;
  std::vector<std::vector<Neighbour>> axes;
  std::vector<Term> extents;
  for (std::size_t i = 0; i < at.size(); ++i) {
    extents.push_back(extent_of(image, static_cast<std::int64_t>(i) + 2));
    // A position that is not a number reads nothing.
    const Term is_number = at[i] == at[i];
    axes.push_back(AxisSampler(how, extents[i], choose(is_number, at[i], 0.0)).neighbours());
    for (Neighbour& n : axes[i]) n.weight = choose(is_number, n.weight, 0.0);
  }
  const Term pixels = permute(b.emit("Reshape", {image, b.ints({0, 0, -1})}), {0, 2, 1});
  Term sum;
  const auto add = [&](const Neighbour& n) {
    const Term index = b.emit("Unsqueeze", {n.index, b.ints({-1})});
    const Term weight = b.emit("Unsqueeze", {n.weight, b.ints({-1})});
    const Term found =
        b.emit("GatherND", {pixels, index}, {{"batch_dims", std::int64_t{1}}}) * weight;
    sum = sum.value ? sum + found : found;
  };
  each_combination(axes, extents, 0, {}, add);
  return sum;
}

}  // namespace onnxc::ops
