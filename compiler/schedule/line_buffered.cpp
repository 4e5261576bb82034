// Lets outputs overlap the inputs that they replace: finds the steps that can compute an image row
// by row (line-buffered), and uses those forms with which the arena becomes smaller.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/kernel_call.hpp"
#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/schedule/row_chains.hpp"
#include "templates/convolution/int8_line_buffered.hpp"

namespace onnxc {
namespace {

// How many steps get their old form back on trial; in a larger program all keep the new one.
constexpr std::size_t kMaxTrials = 64;

// Chains have to take one in so many bytes off the arena.
constexpr std::int64_t kWorth = 16;

// More bytes than any step takes.
constexpr std::int64_t kNever = std::int64_t{1} << 60;

// An image in memory: bytes of one row, and rows.
struct Rows {
  std::int64_t bytes, count;
};

// The distances at which a step that computes its output row by row does not overwrite the input
// rows that it still needs: those from the first tap of the row on, or up to the last one when it
// runs backwards.
Step::Overlap overlap_of(const ImageWindow<std::int64_t>& w, std::int64_t batch, const Rows& in,
                         const Rows& out) {
  Step::Overlap o;
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t r = 0; r < out.count; ++r) {
      const std::int64_t start = r * w.stride_h - w.pad_top;
      const std::int64_t end = start + (w.k_h - 1) * w.dilation_h + 1;
      const std::int64_t x = n * in.count * in.bytes, y = (n * out.count + r) * out.bytes;
      const auto row = [&](std::int64_t i) {
        return x + std::clamp<std::int64_t>(i, 0, in.count) * in.bytes;
      };
      o.before = std::max(o.before, y + out.bytes - row(start));
      o.after = std::max(o.after, row(end) - y);
    }
  return o;
}

bool is_dense(const ConvShape<Dim>& s) {
  return s.ldx == s.in_c && s.ldy == s.out_c && s.ld_epilogue == s.out_c;
}
bool is_dense(const PoolShape<Dim>& s) { return s.ldx == s.channels && s.ldy == s.channels; }
bool is_dense(const Int8PoolShape<Dim>&) { return true; }
bool is_dense(const ConvExtents<Dim>&) { return true; }

// Channels of the input and of the output.
std::pair<Dim, Dim> channels_of(const ConvExtents<Dim>& s) { return {s.in_c, s.out_c}; }
std::pair<Dim, Dim> channels_of(const PoolShape<Dim>& s) { return {s.channels, s.channels}; }
std::pair<Dim, Dim> channels_of(const Int8PoolShape<Dim>& s) { return {s.channels, s.channels}; }

// The line-buffered form of a step, and the size of the scratch that it still needs.
struct RowForm {
  Step step;
  BufferId scratch = -1;
  std::int64_t scratch_size = 0;
};

class RowForms {
 public:
  explicit RowForms(const Program& program) : p_(program) {}

  std::optional<RowForm> of(const Step& step) const {
    const auto same = [](const auto&, auto&, RowForm&) { return true; };
    if (auto f = form<Conv2dNhwc, Conv2dNhwcLineBuffered>(step, same)) return f;
    if (auto f = form<DepthwiseConv2dNhwc, DepthwiseConv2dNhwcLineBuffered>(
            step,
            [](const auto& call, auto&, RowForm&) { return call.shape.in_c == call.shape.out_c; }))
      return f;
    if (auto f = form<MaxPool2dNhwc, MaxPool2dNhwcLineBuffered>(step, same)) return f;
    if (auto f = form<MaxPool2dInt8Nhwc, MaxPool2dInt8NhwcLineBuffered>(step, same)) return f;
    if (auto f = form<DepthwiseConv2dInt8Nhwc, DepthwiseConv2dInt8NhwcLineBuffered>(
            step, [](const auto&, auto& rows, RowForm&) {
              rows.operands.scratch = {NullArg{ElemType::uint8, true}};
              return true;
            }))
      return f;
    return form<Conv2dInt8Nhwc, Conv2dInt8NhwcLineBuffered>(
        step,
        [this](const auto& call, auto& rows, RowForm& f) { return gather(call.shape, rows, f); });
  }

 private:
  // Says whether windows are gathered, and where; false where words are read a second time.
  bool gather(const Int8ConvShape<Dim>& s, Conv2dInt8NhwcLineBuffered<Dim, Arg>& rows,
              RowForm& f) const {
    if (!s.residual_words.is(0)) return false;
    const bool is_signed = p_.at(buffer_of(rows.operands.x)).elem == ElemType::int8;
    rows.shape.copies = is_signed || (s.in_c.value() / s.group.value()) % 4 != 0;
    if (rows.shape.copies) {
      f.scratch = buffer_of(rows.operands.scratch);
      f.scratch_size = gathered_size(numbers(s));
    } else {
      rows.operands.scratch = {NullArg{ElemType::uint8, true}};
    }
    return !rows.shape.copies || f.scratch >= 0;
  }

  // adjust(call, rows, form) completes the call `rows`; false where there is no such form.
  template <template <class, class> class Whole, template <class, class> class ByRow, class Adjust>
  std::optional<RowForm> form(const Step& step, Adjust adjust) const {
    const auto call = as<Whole>(step);
    if (!call || !step.chunks.is(1) || !is_static(call->shape) || !is_dense(call->shape)) return {};
    const BufferId x = buffer_of(call->operands.x), y = buffer_of(call->operands.y);
    if (!is_only_use(step, x) || !is_only_use(step, y)) return {};
    ByRow<Dim, Arg> rows{};
    if constexpr (requires { rows.tile; }) rows.tile = call->tile;
    rows.shape = {call->shape, false};
    rows.operands = call->operands;
    RowForm made{step};
    if (!adjust(*call, rows, made)) return {};
    made.step.template_args.clear();
    made.step.args.clear();
    set_call(made.step, rows);
    made.step.divisible = false;
    const auto shape = numbers(call->shape);
    const auto [in_c, out_c] = channels_of(call->shape);
    const Rows in = {shape.in_w * in_c.value() * bytes_of(x), shape.in_h},
               out = {shape.out_w * out_c.value() * bytes_of(y), shape.out_h};
    made.step.may_overlap = overlap_of(shape, shape.batch, in, out);
    made.step.may_overlap->input = x;
    made.step.may_overlap->output = y;
    return made;
  }

  std::int64_t bytes_of(BufferId id) const {
    return static_cast<std::int64_t>(storage_bytes(p_.at(id).elem));
  }

  // Whether the step uses the memory of a buffer of the arena by this argument alone.
  bool is_only_use(const Step& step, BufferId id) const {
    if (id < 0) return false;
    const BufferId root = p_.root(id).first;
    int uses = 0;
    Program::each_buffer(step, [&](BufferId other) { uses += p_.root(other).first == root; });
    return uses == 1 && p_.at(root).kind == Buffer::Kind::arena;
  }

  const Program& p_;
};

// Sets the direction in which a step runs by where its output is.
void set_direction(const Program& p, Step& step) {
  if (!step.may_overlap) return;
  const auto [x, x_offset] = p.root(step.may_overlap->input);
  const auto [y, y_offset] = p.root(step.may_overlap->output);
  for (Param& param : step.params)
    if (param.name == "backwards") param.value = p.at(y).offset > p.at(x).offset;
}

class ChooseForms {
 public:
  explicit ChooseForms(Program& program) : whole_(program) {
    const RowForms forms(program);
    for (std::size_t i = 0; i < program.steps.size(); ++i)
      if (auto form = forms.of(program.steps[i])) forms_.emplace_back(i, std::move(*form));
    streamed_ = std::any_of(program.steps.begin(), program.steps.end(), is_row_source);
  }

  Program run() {
    const std::int64_t bytes_of_whole = planned_arena_bytes(whole_, kNever);
    best_ = with_forms();
    best_bytes_ = planned_arena_bytes(best_, kNever);
    try_chains();
    if (streamed_ || best_bytes_ < bytes_of_whole)
      try_whole_forms();
    else
      best_ = std::move(whole_);
    plan_memory(best_);
    for (Step& step : best_.steps) set_direction(best_, step);
    return std::move(best_);
  }

 private:
  using Forms = std::vector<std::pair<std::size_t, RowForm>>;  // by step

  static bool in_chain(const std::vector<RowChains::Range>& ranges, std::size_t step) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const RowChains::Range& r) { return r.begin <= step && step < r.end; });
  }

  static void take_row_form(Program& p, std::size_t at, const RowForm& form) {
    p.steps[at] = form.step;
    if (form.scratch >= 0) p.at(form.scratch).shape = {form.scratch_size};
  }

  void take_whole_form(Program& p, std::size_t at, const RowForm& form) const {
    p.steps[at] = whole_.steps[at];
    if (form.scratch >= 0) p.at(form.scratch).shape = whole_.at(form.scratch).shape;
  }

  // All steps have their line-buffered form that are in none of these chains.
  Program with_forms(const std::vector<RowChains::Range>& chains = {}) const {
    Program p = whole_;
    for (const auto& [at, form] : forms_)
      if (!in_chain(chains, at)) take_row_form(p, at, form);
    return p;
  }

  // Takes the chains with which the fewest bytes are in use, if that takes enough off the arena.
  void try_chains() {
    if (!whole_.symbols.empty()) return;
    std::vector<std::int64_t> alone = bytes_in_use(best_);
    for (std::size_t i = 0; i < alone.size(); ++i)
      if (is_row_source(whole_.steps[i])) alone[i] = kNever;
    const RowChains chains(whole_, std::move(alone));
    const std::vector<RowChains::Range> ranges = chains.best();
    if (ranges.empty()) return;
    Program chained = with_forms(ranges);
    chains.apply(chained, ranges);
    const std::int64_t bytes = planned_arena_bytes(chained, kNever);
    if (!streamed_ && bytes >= best_bytes_ / kWorth * (kWorth - 1)) return;
    best_ = std::move(chained);
    best_bytes_ = bytes;
    chains_ = ranges;
  }

  // Gives steps their form for whole images back where the arena stays as it is.
  void try_whole_forms() {
    for (std::size_t i = 0; i < std::min(forms_.size(), kMaxTrials); ++i) {
      const auto& [at, form] = forms_[i];
      if (in_chain(chains_, at)) continue;
      take_whole_form(best_, at, form);
      const std::int64_t bytes = planned_arena_bytes(best_, best_bytes_);
      if (bytes <= best_bytes_)
        best_bytes_ = bytes;
      else
        take_row_form(best_, at, form);
    }
  }

  Program& whole_;
  Forms forms_;
  bool streamed_ = false;  // a user callback supplies rows, to a chain
  Program best_;
  std::int64_t best_bytes_ = 0;
  std::vector<RowChains::Range> chains_;  // of `best_`
};

}  // namespace

void plan_memory_line_buffered(Program& program) { program = ChooseForms(program).run(); }

}  // namespace onnxc
