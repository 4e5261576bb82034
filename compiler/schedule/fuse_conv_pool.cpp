// Finds convolutions whose only reader is a MaxPool, and replaces both steps by one.
#include "compiler/schedule/schedule.hpp"

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/schedule/row_blocking.hpp"
#include "templates/convolution/conv2d_pool_nhwc.hpp"

namespace onnxc {
namespace {

using namespace row_blocking;

// Few rows use the caches closer to the core better. More rows than these gain nothing, as the
// weights are not read again for each block.
constexpr std::int64_t kPoolBlockFloats = 48 * 1024;

// Images with more channels come channels-last from an earlier kernel.
constexpr std::int64_t kMaxPlanes = 4;

using Conv = Conv2dNhwc<Dim, Arg>;
using Pool = MaxPool2dNhwc<Dim, Arg>;
using ConvPool = Conv2dMaxPoolNhwc<Dim, Arg>;

// A convolution with more than one tap, on dense images.
std::optional<Conv> conv_of(const Step& step) {
  auto conv = image_call<Conv2dNhwc>(step);
  if (!conv) return std::nullopt;
  const ConvShape<Dim>& s = conv->shape;
  const bool dense = s.ldx == s.in_c && s.ldy == s.out_c && s.ld_epilogue == s.out_c;
  if (!dense || (s.k_h * s.k_w).value() <= 1) return std::nullopt;
  return conv;
}

std::optional<Pool> pool_of(const Step& step) {
  auto pool = image_call<MaxPool2dNhwc>(step);
  if (!pool || !(pool->shape.ldx == pool->shape.channels)) return std::nullopt;
  return pool;
}

ConvPoolShape<Dim> fused_shape(const ConvShape<Dim>& conv, const PoolShape<Dim>& pool,
                               bool from_planes) {
  ConvPoolShape<Dim> s;
  static_cast<ConvShape<Dim>&>(s) = conv;
  s.pool_out_h = pool.out_h;
  s.pool_out_w = pool.out_w;
  s.pool_k_h = pool.k_h;
  s.pool_k_w = pool.k_w;
  s.pool_stride_h = pool.stride_h;
  s.pool_stride_w = pool.stride_w;
  s.pool_dilation_h = pool.dilation_h;
  s.pool_dilation_w = pool.dilation_w;
  s.pool_pad_top = pool.pad_top;
  s.pool_pad_left = pool.pad_left;
  s.pool_ldy = pool.ldy;
  s.planes = from_planes ? 1 : 0;
  s.row_block = 1;
  return s;
}

class FuseConvPool {
 public:
  explicit FuseConvPool(Program& program) : p_(program), uses_(program) {}

  void run() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      Step& step = p_.steps[i];
      const auto conv = conv_of(step);
      const auto pool = conv && i + 1 < p_.steps.size() ? pool_of(p_.steps[i + 1]) : std::nullopt;
      if (!pool ||
          !uses_.only_between(conv->operands.y, pool->operands.x, {p_, conv->shape.batch})) {
        steps.push_back(std::move(step));
        continue;
      }
      std::optional<Step> reorder;
      if (!steps.empty() && makes_channels_last(steps.back(), *conv)) {
        reorder = std::move(steps.back());
        steps.pop_back();
      }
      steps.push_back(fused(reorder ? &*reorder : nullptr, *conv, step, *pool, p_.steps[i + 1]));
      ++i;
    }
    p_.steps = std::move(steps);
  }

 private:
  // Whether a step converts the image to channels-last for this convolution alone.
  bool makes_channels_last(const Step& step, const Conv& conv) const {
    const auto reorder = as<Reorder>(step);
    if (!reorder || !uses_.only_once(reorder->operands.y, conv.operands.x)) return false;
    const ConvShape<Dim>& s = conv.shape;
    return s.in_c.value() <= kMaxPlanes && reorder->shape.rows == s.in_c &&
           reorder->shape.cols == s.in_h * s.in_w;
  }

  Step fused(const Step* reorder, const Conv& conv, const Step& conv_step, const Pool& pool,
             const Step& pool_step) {
    Step step;
    step.name = pool_step.name;
    step.shape_note = shape_note(conv_step, pool_step);
    add_notes(step, conv_step);
    step.title += ", " + pool_step.title;
    step.outputs = pool_step.outputs;
    for (const Step* other : {reorder, &pool_step})
      if (other)
        step.sources.insert(step.sources.end(), other->sources.begin(), other->sources.end());
    ConvPool call = {conv.tile, fused_shape(conv.shape, pool.shape, reorder != nullptr), {}};
    call.operands.x = reorder ? as<Reorder>(*reorder)->operands.x : conv.operands.x;
    call.operands.w = conv.operands.w;
    call.operands.bias = conv.operands.bias;
    call.operands.conv_epilogue = epilogue_or_identity(conv.operands.epilogue);
    call.operands.y = pool.operands.y;
    const Dim floats =
        choose_row_block(call.shape, call.shape.pool_out_h, {p_, call.shape.batch},
                         kPoolBlockFloats, &conv2d_max_pool_scratch<ConvPoolShape<Dim>>);
    call.operands.scratch = add_row_block(p_, pool_step, floats);
    call.operands.pool_epilogue = pool.operands.epilogue;
    set_call(step, call);
    return step;
  }

  Program& p_;
  Uses uses_;
};

}  // namespace

void fuse_conv_pool(Program& program) { FuseConvPool(program).run(); }

}  // namespace onnxc
