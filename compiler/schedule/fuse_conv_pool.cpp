#include "compiler/schedule/fuse_conv_pool.hpp"

#include <algorithm>

#include "compiler/schedule/row_blocking.hpp"

namespace onnxc {
namespace {

using namespace row_blocking;

// Few rows share more of the caches nearer to the core; more than these gain nothing, as no weights
// are read again for them.
constexpr std::int64_t kPoolBlockFloats = 48 * 1024;

// Images of more channels come channels-last from a kernel before.
constexpr std::int64_t kMostPlanes = 4;

bool is_conv(const Step& step) {
  return is_call(step, "conv2d_nhwc") && extent(step, "k_h") * extent(step, "k_w") > 1 &&
         extent(step, "ldx") == extent(step, "in_c") &&
         extent(step, "ldy") == extent(step, "out_c") &&
         extent(step, "ld_at") == extent(step, "out_c");
}

// A pool step: x, y and perhaps an epilogue.
bool is_max_pool(const Step& step) {
  return is_call(step, "max_pool2d_nhwc") && extent(step, "ldx") == extent(step, "channels");
}

// Input rows under `rows` neighbouring output rows.
std::int64_t rows_under(std::int64_t rows, const Step& step) {
  const std::int64_t all = (rows - 1) * extent(step, "stride_h") +
                           (extent(step, "k_h") - 1) * extent(step, "dilation_h") + 1;
  return std::min(all, extent(step, "in_h"));
}

class FuseConvPool {
 public:
  explicit FuseConvPool(Program& program) : p_(program), uses_(program) {}

  void run() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      Step& step = p_.steps[i];
      const bool pooled = is_conv(step) && i + 1 < p_.steps.size() &&
                          is_max_pool(p_.steps[i + 1]) &&
                          uses_.only_between(output_of(step), input_of(p_.steps[i + 1]));
      if (!pooled) {
        steps.push_back(std::move(step));
        continue;
      }
      const bool turned = !steps.empty() && turns_planes(steps.back(), step);
      Step whole = joined(turned ? &steps.back() : nullptr, step, p_.steps[++i]);
      if (turned) steps.pop_back();
      steps.push_back(std::move(whole));
    }
    p_.steps = std::move(steps);
  }

 private:
  // Whether a step makes planes of an image channels-last for this convolution alone.
  bool turns_planes(const Step& reorder, const Step& conv) const {
    return is_call(reorder, "reorder") && uses_.only_once(buffer_of(reorder, 1), input_of(conv)) &&
           extent(conv, "in_c") <= kMostPlanes && extent(reorder, "rows") == extent(conv, "in_c") &&
           extent(reorder, "cols") == extent(conv, "in_h") * extent(conv, "in_w");
  }

  // As pooled_band and nhwc_band of the kernel.
  static std::int64_t band_floats(const Step& conv, const Step& pool, std::int64_t rows,
                                  bool turned) {
    const std::int64_t made = rows_under(rows, pool);
    const std::int64_t read = turned ? rows_under(made, conv) : 0;
    return made * extent(conv, "out_w") * extent(conv, "out_c") +
           read * extent(conv, "in_w") * extent(conv, "in_c");
  }

  Step joined(const Step* reorder, const Step& conv, const Step& pool) {
    Step step;
    step.name = pool.name;
    step.kernel = "conv2d_max_pool_nhwc";
    step.header = "conv2d_pool_nhwc";
    step.shape_note = shape_note(conv, pool);
    step.template_args = conv.template_args;
    step.params = conv.params;
    for (const char* name : {"out_h", "out_w", "k_h", "k_w", "stride_h", "stride_w", "dilation_h",
                             "dilation_w", "pad_top", "pad_left"})
      step.params.push_back({std::string("pool_") + name, Dim(extent(pool, name))});
    const std::int64_t rows =
        band_rows(extent(pool, "out_h"), kPoolBlockFloats,
                  [&](std::int64_t count) { return band_floats(conv, pool, count, reorder); });
    step.params.push_back({"pool_ldy", Dim(extent(pool, "ldy"))});
    step.params.push_back({"band", Dim(rows)});
    step.params.push_back({"planes", Dim(reorder ? 1 : 0)});
    step.args.push_back(reorder ? reorder->args[0] : conv.args[0]);
    add_stage(step, conv);
    step.args.push_back(pool.args[1]);
    step.args.push_back(
        {BufferArg{add_band(p_, pool, band_floats(conv, pool, rows, reorder)), true}});
    if (pool.args.size() > 2) step.args.push_back(pool.args[2]);
    step.title += ", " + pool.title;
    for (const Step* other : {reorder, &pool})
      if (other)
        step.sources.insert(step.sources.end(), other->sources.begin(), other->sources.end());
    step.divisible = true;
    return step;
  }

  Program& p_;
  Uses uses_;
};

}  // namespace

void fuse_conv_pool(Program& program) { FuseConvPool(program).run(); }

}  // namespace onnxc
