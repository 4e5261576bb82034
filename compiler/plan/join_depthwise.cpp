#include "compiler/plan/join_depthwise.hpp"

#include <algorithm>
#include <optional>

namespace onnxc {
namespace {

// Below this a tensor stays in the second-level cache by itself.
constexpr std::int64_t kResidentBytes = 512 * 1024;
// What the bands of a block may take of that cache.
constexpr std::int64_t kBandFloats = 128 * 1024;

const Dim* find_dim(const Step& step, const std::string& name) {
  for (const Param& p : step.params)
    if (p.name == name) return std::get_if<Dim>(&p.value);
  return nullptr;
}

std::int64_t extent(const Step& step, const std::string& name) {
  return find_dim(step, name)->value();
}

bool has_fixed_extents(const Step& step) {
  return std::all_of(step.params.begin(), step.params.end(), [](const Param& p) {
    const Dim* d = std::get_if<Dim>(&p.value);
    return d && d->is_const();
  });
}

bool is_one(const Step& step, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const char* name) { return extent(step, name) == 1; });
}

// Groups of the interleaving that a pointwise convolution reads through.
std::int64_t shuffle_of(const Step& step) {
  return find_dim(step, "shuffle") ? extent(step, "shuffle") : 1;
}

// A convolution step: x, w, bias, y and perhaps an epilogue.
BufferId buffer_of(const Step& step, std::size_t arg) {
  const auto* b = std::get_if<BufferArg>(&step.args[arg].value);
  return b ? b->buffer : -1;
}
BufferId input_of(const Step& step) { return buffer_of(step, 0); }
BufferId output_of(const Step& step) { return buffer_of(step, 3); }

bool is_call(const Step& step, const char* kernel) {
  return step.kind == Step::Kind::call && step.kernel == kernel && has_fixed_extents(step);
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

class Joiner {
 public:
  explicit Joiner(Program& program) : p_(program), uses_(program.buffers.size(), 0) {
    for (const Step& step : p_.steps) Program::each_buffer(step, [&](BufferId id) { ++uses(id); });
    for (const Buffer& b : p_.buffers)
      if (b.view_of >= 0) ++uses(b.view_of);
  }

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
  int& uses(BufferId id) { return uses_[static_cast<std::size_t>(id)]; }

  // Whether all of what `first` computes goes to `second` alone, and is large and dense.
  bool lies_between(const Step& first, const Step& second) {
    const BufferId id = output_of(first);
    if (id < 0 || id != input_of(second) || uses(id) != 2) return false;
    const Buffer& b = p_.at(id);
    if (b.kind != Buffer::Kind::arena || b.view_of >= 0) return false;
    if (extent(first, "ldy") != extent(first, "out_c")) return false;
    if (extent(second, "ldx") != extent(second, "in_c")) return false;
    return p_.bytes(id).value() > kResidentBytes;
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

  // As many output rows as fit, in bands that are nearly equal.
  static std::int64_t band_rows(const Step& dw, bool expands, bool projects) {
    const std::int64_t all = extent(dw, "out_h");
    std::int64_t rows = 1;
    while (rows < std::min<std::int64_t>(all, 16) &&
           band_floats(dw, rows + 1, expands, projects) <= kBandFloats)
      ++rows;
    const std::int64_t bands = (all + rows - 1) / rows;
    return (all + bands - 1) / bands;
  }

  BufferId scratch(const Step& dw, std::int64_t floats) {
    Buffer b;
    b.name = dw.name + "_band";
    b.elem = ElemType::float32;
    b.shape = {floats};
    b.per_thread = true;
    p_.buffers.push_back(std::move(b));
    return static_cast<BufferId>(p_.buffers.size() - 1);
  }

  // Weights, bias and epilogue of a stage.
  static void add_stage(Step& to, const Step& stage) {
    to.args.push_back(stage.args[1]);
    to.args.push_back(stage.args[2]);
    Lambda none;
    none.form = Lambda::Form::epilogue;
    to.args.push_back(stage.args.size() > 4 ? stage.args[4] : Arg{none});
    to.sources.insert(to.sources.end(), stage.sources.begin(), stage.sources.end());
    to.title += (to.title.empty() ? "" : ", ") + stage.title;
    to.macs += stage.macs;
  }

  Step joined(const Step* before, const Step& dw, const Step* after) {
    const Step &first = before ? *before : dw, &last = after ? *after : dw;
    Step step;
    step.name = last.name;
    step.kernel =
        std::string(before ? "expand_" : "") + "depthwise" + (after ? "_project" : "") + "_nhwc";
    step.header = "templates/depthwise_block_nhwc.hpp";
    step.shape_note =
        first.shape_note.substr(0, first.shape_note.find(" -> ")) +
        last.shape_note.substr(std::min(last.shape_note.find(" -> "), last.shape_note.size()));
    for (const Param& p : dw.params)
      if (p.name != "ldx" && p.name != "ldy" && p.name != "ld_at") step.params.push_back(p);
    const std::int64_t rows = band_rows(dw, before, after);
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
    step.args.push_back({BufferArg{scratch(dw, band_floats(dw, rows, before, after)), true}});
    step.divisible = true;
    return step;
  }

  Program& p_;
  std::vector<int> uses_;
};

}  // namespace

void join_depthwise(Program& program) { Joiner(program).run(); }

}  // namespace onnxc
