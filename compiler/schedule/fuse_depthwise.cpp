#include "compiler/schedule/fuse_depthwise.hpp"

#include <algorithm>
#include <optional>

#include "compiler/schedule/row_blocking.hpp"

namespace onnxc {
namespace {

using namespace row_blocking;

// What the bands of a block may take of the second-level cache.
constexpr std::int64_t kDepthwiseBlockFloats = 128 * 1024;

// Groups of the interleaving that a pointwise convolution reads through.
std::int64_t shuffle_of(const Step& step) {
  return find_dim(step, "shuffle") ? extent(step, "shuffle") : 1;
}

bool is_depthwise(const Step& step) {
  return is_call(step, "depthwise_conv2d_nhwc") && extent(step, "in_c") == extent(step, "out_c");
}

bool is_pointwise(const Step& step) {
  if (is_call(step, "shuffled_conv2d_nhwc")) return true;
  if (!is_call(step, "conv2d_nhwc")) return false;
  if (!is_one(step, {"k_h", "k_w", "stride_h", "stride_w"})) return false;
  return extent(step, "in_h") == extent(step, "out_h") &&
         extent(step, "in_w") == extent(step, "out_w") && extent(step, "pad_top") == 0 &&
         extent(step, "pad_left") == 0;
}

class FuseDepthwise {
 public:
  explicit FuseDepthwise(Program& program) : p_(program), uses_(program) {}

  void run() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      Step& step = p_.steps[i];
      if (!is_depthwise(step)) {
        steps.push_back(std::move(step));
        continue;
      }
      const bool expands =
          !steps.empty() && is_pointwise(steps.back()) && lies_between(steps.back(), step);
      const bool projects = i + 1 < p_.steps.size() && is_pointwise(p_.steps[i + 1]) &&
                            lies_between(step, p_.steps[i + 1]);
      if (!expands && !projects) {
        steps.push_back(std::move(step));
        continue;
      }
      std::optional<Step> before, after;
      if (expands) {
        before = std::move(steps.back());
        steps.pop_back();
      }
      if (projects) after = std::move(p_.steps[++i]);
      steps.push_back(joined(before ? &*before : nullptr, step, after ? &*after : nullptr));
    }
    p_.steps = std::move(steps);
  }

 private:
  // Whether all of what `first` computes goes to `second` alone, and is large and dense.
  bool lies_between(const Step& first, const Step& second) {
    if (!uses_.only_between(output_of(first), input_of(second))) return false;
    if (extent(first, "ldy") != extent(first, "out_c")) return false;
    return extent(second, "ldx") == extent(second, "in_c");
  }

  static std::int64_t band_floats(const Step& dw, std::int64_t rows, bool expands, bool projects) {
    const std::int64_t read = (rows - 1) * extent(dw, "stride_h") +
                              (extent(dw, "k_h") - 1) * extent(dw, "dilation_h") + 1;
    std::int64_t floats = 0;
    if (expands)
      floats += std::min(read, extent(dw, "in_h")) * extent(dw, "in_w") * extent(dw, "in_c");
    if (projects) floats += rows * extent(dw, "out_w") * extent(dw, "out_c");
    return floats;
  }

  Step joined(const Step* before, const Step& dw, const Step* after) {
    const Step &first = before ? *before : dw, &last = after ? *after : dw;
    Step step;
    step.name = last.name;
    step.kernel =
        std::string(before ? "expand_" : "") + "depthwise" + (after ? "_project" : "") + "_nhwc";
    step.header = "depthwise_block_nhwc";
    step.shape_note = shape_note(first, last);
    for (const Param& p : dw.params)
      if (p.name != "ldx" && p.name != "ldy" && p.name != "ld_at") step.params.push_back(p);
    const std::int64_t rows = band_rows(extent(dw, "out_h"), kDepthwiseBlockFloats, [&](std::int64_t count) {
      return band_floats(dw, count, before, after);
    });
    const auto add = [&](const char* name, std::int64_t value) {
      step.params.push_back({name, Dim(value)});
    };
    if (before) {
      add("x_c", extent(*before, "in_c"));
      add("x_group", extent(*before, "group"));
      add("x_shuffle", shuffle_of(*before));
      add("ldx", extent(*before, "ldx"));
    }
    if (after) {
      add("y_c", extent(*after, "out_c"));
      add("y_group", extent(*after, "group"));
      add("y_shuffle", shuffle_of(*after));
      add("ldy", extent(*after, "ldy"));
      add("ld_at", extent(*after, "ld_at"));
    }
    add("band", rows);
    step.args.push_back(first.args[0]);
    for (const Step* stage : {before, &dw, after}) {
      if (!stage) continue;
      step.template_args.insert(step.template_args.end(), stage->template_args.begin(),
                                stage->template_args.end());
      add_stage(step, *stage);
    }
    step.args.push_back(last.args[3]);
    step.args.push_back({BufferArg{add_band(p_, dw, band_floats(dw, rows, before, after)), true}});
    step.divisible = true;
    return step;
  }

  Program& p_;
  Uses uses_;
};

}  // namespace

void fuse_depthwise(Program& program) { FuseDepthwise(program).run(); }

}  // namespace onnxc
