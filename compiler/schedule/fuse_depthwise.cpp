// Finds depthwise convolutions and the pointwise ones around them, and replaces them by one step.
#include "compiler/schedule/schedule.hpp"

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/schedule/row_blocking.hpp"
#include "templates/convolution/depthwise_block_nhwc.hpp"

namespace onnxc {
namespace {

using namespace row_blocking;

// What the row blocks of fused steps may take of the second-level cache.
constexpr std::int64_t kDepthwiseBlockFloats = 128 * 1024;

// A pointwise convolution; shuffle: groups of the channel shuffle that it includes, or 1.
struct Pointwise {
  TileArguments tile;
  ConvShape<Dim> shape;
  Dim shuffle;
  ConvOperands<Arg> operands;
};

bool reads_one_pixel(const ConvShape<Dim>& s) {
  return s.k_h.is(1) && s.k_w.is(1) && s.stride_h.is(1) && s.stride_w.is(1) && s.in_h == s.out_h &&
         s.in_w == s.out_w && s.pad_top.is(0) && s.pad_left.is(0);
}

std::optional<Pointwise> pointwise_of(const Step& step) {
  if (const auto c = image_call<ShuffledConv2dNhwc>(step))
    return Pointwise{c->tile, c->shape, c->shape.shuffle, c->operands};
  const auto c = image_call<Conv2dNhwc>(step);
  if (!c || !reads_one_pixel(c->shape)) return std::nullopt;
  return Pointwise{c->tile, c->shape, 1, c->operands};
}

using Depthwise = DepthwiseConv2dNhwc<Dim, Arg>;

// A depthwise convolution with one output channel per input channel.
std::optional<Depthwise> depthwise_of(const Step& step) {
  auto call = image_call<DepthwiseConv2dNhwc>(step);
  if (!call || !(call->shape.in_c == call->shape.out_c)) return std::nullopt;
  return call;
}

ExpansionMembers<Dim> expansion(const Pointwise& c) {
  return {c.shape.in_c, c.shape.group, c.shuffle, c.shape.ldx};
}

ProjectionMembers<Dim> projection(const Pointwise& c) {
  return {c.shape.out_c, c.shape.group, c.shuffle, c.shape.ldy, c.shape.ld_epilogue};
}

StageOperands<Arg> stage(const ConvOperands<Arg>& c) {
  return {c.w, c.bias, epilogue_or_identity(c.epilogue)};
}

// The steps of a depthwise block; the first or the last may be missing.
struct Block {
  std::optional<Pointwise> before;
  Depthwise dw;
  std::optional<Pointwise> after;
  std::optional<Step> before_step;
  Step dw_step;
  std::optional<Step> after_step;

  const Step& first() const { return before_step ? *before_step : dw_step; }
  const Step& last() const { return after_step ? *after_step : dw_step; }
};

class FuseDepthwise {
 public:
  explicit FuseDepthwise(Program& program) : p_(program), uses_(program) {}

  void run() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      const auto dw = depthwise_of(p_.steps[i]);
      Block block;
      if (dw) {
        block.before = steps.empty() ? std::nullopt : expansion_of(steps.back(), *dw);
        if (i + 1 < p_.steps.size()) block.after = projection_of(*dw, p_.steps[i + 1]);
      }
      if (!block.before && !block.after) {
        steps.push_back(std::move(p_.steps[i]));
        continue;
      }
      block.dw = *dw;
      block.dw_step = std::move(p_.steps[i]);
      if (block.before) {
        block.before_step = std::move(steps.back());
        steps.pop_back();
      }
      if (block.after) block.after_step = std::move(p_.steps[++i]);
      steps.push_back(fused(block));
    }
    p_.steps = std::move(steps);
  }

 private:
  // The pointwise convolution before `dw`, if `dw` is its only reader.
  std::optional<Pointwise> expansion_of(const Step& step, const Depthwise& dw) const {
    auto c = pointwise_of(step);
    if (!c || !lies_between(c->shape, c->operands, dw.shape, dw.operands)) return std::nullopt;
    return c;
  }

  // The pointwise convolution after `dw`, if it is the only reader.
  std::optional<Pointwise> projection_of(const Depthwise& dw, const Step& step) const {
    auto c = pointwise_of(step);
    if (!c || !lies_between(dw.shape, dw.operands, c->shape, c->operands)) return std::nullopt;
    return c;
  }

  // Whether the second step is the only reader of the first one's result, which is large and dense.
  bool lies_between(const ConvShape<Dim>& first, const ConvOperands<Arg>& made,
                    const ConvShape<Dim>& second, const ConvOperands<Arg>& read) const {
    return uses_.only_between(made.y, read.x, {p_, first.batch}) && first.ldy == first.out_c &&
           second.ldx == second.in_c;
  }

  // Scratch for the row blocks of a fused step, the height of which it sets.
  template <class S>
  Arg row_block(S& shape, const Block& b, Dim (*scratch)(const S&)) {
    const Dim floats =
        choose_row_block(shape, shape.out_h, {p_, shape.batch}, kDepthwiseBlockFloats, scratch);
    return add_row_block(p_, b.dw_step, floats);
  }

  Step fused(const Block& b) {
    Step step;
    step.name = b.last().name;
    step.shape_note = shape_note(b.first(), b.last());
    if (b.before_step) add_notes(step, *b.before_step);
    add_notes(step, b.dw_step);
    if (b.after_step) add_notes(step, *b.after_step);
    if (b.before && b.after)
      expand_and_project(step, b);
    else if (b.before)
      expand(step, b);
    else
      project(step, b);
    return step;
  }

  void expand(Step& step, const Block& b) {
    ExpandDepthwiseShape<Dim> shape{b.dw.shape, expansion(*b.before), 1};
    const Arg scratch = row_block(shape, b, &expand_depthwise_scratch<ExpandDepthwiseShape<Dim>>);
    set_call(step, ExpandDepthwiseNhwc<Dim, Arg>{b.before->tile,
                                                 shape,
                                                 {b.before->operands.x, stage(b.before->operands),
                                                  stage(b.dw.operands), b.dw.operands.y, scratch}});
  }

  void project(Step& step, const Block& b) {
    DepthwiseProjectShape<Dim> shape{b.dw.shape, projection(*b.after), 1};
    const Arg scratch = row_block(shape, b, &depthwise_project_scratch<DepthwiseProjectShape<Dim>>);
    set_call(step, DepthwiseProjectNhwc<Dim, Arg>{
                       b.after->tile,
                       shape,
                       {b.dw.operands.x, stage(b.dw.operands), stage(b.after->operands),
                        b.after->operands.y, scratch}});
  }

  void expand_and_project(Step& step, const Block& b) {
    ExpandDepthwiseProjectShape<Dim> shape{b.dw.shape, expansion(*b.before), projection(*b.after),
                                           1};
    const Arg scratch =
        row_block(shape, b, &expand_depthwise_project_scratch<ExpandDepthwiseProjectShape<Dim>>);
    set_call(step, ExpandDepthwiseProjectNhwc<Dim, Arg>{
                       {b.before->tile, b.after->tile},
                       shape,
                       {b.before->operands.x, stage(b.before->operands), stage(b.dw.operands),
                        stage(b.after->operands), b.after->operands.y, scratch}});
  }

  Program& p_;
  Uses uses_;
};

}  // namespace

void fuse_depthwise(Program& program) { FuseDepthwise(program).run(); }

}  // namespace onnxc
