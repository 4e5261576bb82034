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
  // Exporters declare fewer features than there are coefficients for; the others are not used.
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
  Call call = n.call("gemm").divisible();
  add_tile(call, tile).dim("m", rows).dim("k", m.features).dim("n", m.targets);
  call.dim("ldx", m.features).dim("ldy", m.targets).read(x).read(n.constant(w, "w"));
  if (m.intercepts.empty())
    call.null();
  else
    call.read(n.constant(floats_tensor(m.intercepts), "bias"));
  call.write(y).macs(rows * Dim(m.features) * Dim(m.targets));
}

}  // namespace onnxc::ops
