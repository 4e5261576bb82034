// Coefficients of linear models and the call that multiplies by them.
#include "compiler/ops/ml/linear_model.hpp"

#include "compiler/ops/packing.hpp"

namespace onnxc::ops {

LinearModel linear_model(const NodeView& n, std::int64_t targets) {
  LinearModel m;
  m.targets = targets;
  m.coefficients = n.attr_floats("coefficients");
  const auto count = static_cast<std::int64_t>(m.coefficients.size());
  n.require(targets >= 1 && count > 0 && count % targets == 0, "attribute \"coefficients\"",
            "{} coefficients for {} scores", count, targets);
  m.features = count / targets;
  // Exporters may declare fewer features than there are coefficients; the others are not used.
  const Dim given = n.input(0).has_rank() ? feature_rows(n).features : Dim(m.features);
  if (given.is_const() && given.value() > 0 && given.value() < m.features) {
    m.features = given.value();
    m.coefficients.resize(static_cast<std::size_t>(m.features * targets));
  }
  if (n.has_attr("intercepts")) m.intercepts = n.attr_floats("intercepts");
  n.require(m.intercepts.empty() || static_cast<std::int64_t>(m.intercepts.size()) == targets,
            "attribute \"intercepts\"", "{} intercepts for {} scores", m.intercepts.size(),
            targets);
  return m;
}

void lower_linear(Lower& n, const LinearModel& m, BufferId y) {
  const Dim rows = feature_rows(n).rows;
  const BufferId x = as_floats(n);
  const Tile tile = choose_tile(n.target(), m.targets);
  const Tensor w = pack_gemm(floats_tensor(m.coefficients).reshaped({m.targets, m.features}),
                             m.features, m.targets, true, 1.0f, tile.panel);
  const Dim depth = m.features, columns = m.targets;
  const Arg packed = read_arg(n.constant(w, "w"));
  const Arg bias =
      m.intercepts.empty() ? null_arg() : read_arg(n.constant(floats_tensor(m.intercepts), "bias"));
  n.call(GemmCall<Dim, Arg>{tile,
                            {rows, depth, columns, depth, columns},
                            {read_arg(x), packed, bias, write_arg(y), {}}})
      .macs(rows * depth * columns);
}

}  // namespace onnxc::ops
