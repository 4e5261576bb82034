// Finds the steps that can compute an image one row at a time, from a few rows of their input.
#include "compiler/schedule/line_buffered_layers.hpp"

#include <algorithm>

#include "compiler/kernels/convolution_int8_calls.hpp"
#include "compiler/kernels/movement_calls.hpp"
#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/schedule/row_blocking.hpp"
#include "templates/convolution/int8_line_buffered.hpp"

namespace onnxc {
namespace {

using Window = ImageWindow<std::int64_t>;

// The kernels count rows in 16 bits.
constexpr std::int64_t kRowLimit = 1 << 15;

std::int64_t extent(const Window& w) { return (w.k_h - 1) * w.dilation_h + 1; }

// Whether every row of the output reads a row of the input: pads may be higher than the kernel.
bool reads_rows(const Window& w) {
  return w.pad_top < extent(w) && (w.out_h - 1) * w.stride_h - w.pad_top < w.in_h;
}

class Reader {
 public:
  explicit Reader(const Program& program) : p_(program) {}

  std::optional<LineBufferedLayer> layer(const Step& step) const {
    if (step.kind != Step::Kind::call || !step.chunks.is(1)) return {};
    const auto same = [](auto&, LineBufferedLayer&) { return true; };
    if (auto l = caller_rows(step)) return l;
    if (auto l = window<Conv2dNhwc>(step, same)) return l;
    if (auto l = window<DepthwiseConv2dNhwc>(step, [](auto& call, LineBufferedLayer&) {
          return call.shape.in_c == call.shape.out_c;
        }))
      return l;
    if (auto l = window<MaxPool2dNhwc>(step, same)) return l;
    if (auto l = window<MaxPool2dInt8Nhwc>(step, same)) return l;
    if (auto l = window<DepthwiseConv2dInt8TapsNhwc>(step, same)) return l;
    if (auto l = window<DepthwiseConv2dInt8Nhwc>(step, [](auto& call, LineBufferedLayer&) {
          call.operands.scratch = {NullArg{ElemType::uint8, true}};
          return true;
        }))
      return l;
    return window<Conv2dInt8Nhwc>(step, [this](auto& call, LineBufferedLayer& l) {
      return gather(call.shape, call.operands, l);
    });
  }

  // A step without a window of its own before `next`: it makes the rows that this one reads.
  std::optional<LineBufferedLayer> source(const Step& step, const LineBufferedLayer& next) const {
    if (step.kind != Step::Kind::call || !step.chunks.is(1)) return {};
    const std::int64_t pixels = next.window.in_h * next.window.in_w, channels = next.in_c;
    if (const auto reorder = as<Reorder>(step)) {
      const ReorderShape<Dim>& s = reorder->shape;
      if (!s.batch.is(1) || !s.rows.is(channels) || !s.cols.is(pixels)) return {};
      return source_layer<Reorder>(step, *reorder, next, true);
    }
    return map_source(step, next, pixels, channels);
  }

  // Makes a source of planes read rows that hold the row of each plane, as a caller supplies them.
  static void read_rows_of_planes(LineBufferedLayer& layer, std::int64_t bytes) {
    for (Param& p : layer.step.params) {
      if (p.name == "plane") p.value = Dim(layer.window.in_w);
      if (p.name == "row") p.value = Dim(layer.window.in_w * layer.in_c);
    }
    layer.x_row = bytes;
  }

  // The mean of the image that `before` makes.
  std::optional<LineBufferedLayer> sink(const Step& step, const LineBufferedLayer& before) const {
    if (!step.chunks.is(1)) return {};
    PooledInt8RowsShape<Dim> shape{};
    if (const auto call = as<GlobalAveragePool>(step))
      return mean<GlobalAveragePool>(step, call->shape, call->operands, before, shape);
    const auto call = as<GlobalAveragePoolInt8>(step);
    if (!call) return {};
    shape.zero = call->shape.zero;
    shape.step = call->shape.step;
    return mean<GlobalAveragePoolInt8>(step, call->shape.pool, call->operands, before, shape);
  }

 private:
  // A map of an image, and of constants that are the same for every pixel.
  std::optional<LineBufferedLayer> map_source(const Step& step, const LineBufferedLayer& next,
                                              std::int64_t pixels, std::int64_t channels) const {
    constexpr std::size_t kImage = 2;  // after the function and the result
    if (step.kernel != UnaryMap<Dim, Arg>::kernel || step.args.size() <= kImage) return {};
    BroadcastShape<Dim> shape;
    kernel_call::read_params(step.params, shape);
    const auto& [dims, strides] = shape;
    const std::size_t rank = dims.size(), constants = step.args.size() - kImage - 1;
    const bool dense = rank == 1 && dims[0].is(pixels * channels) && strides[0].is(1);
    const bool last = rank == 2 && dims[0].is(pixels) && dims[1].is(channels);
    const bool planes = last && strides[0].is(1) && strides[1].is(pixels);
    const bool rows = last && strides[0].is(channels) && strides[1].is(1);
    if (!dense && !planes && !rows) return {};
    MapRowsShape<Dim> with_constants{};
    for (std::size_t i = 1; i <= constants; ++i) {
      const auto* arg = std::get_if<BufferArg>(&step.args[kImage + i].value);
      const Dim& channel = strides[i * rank + rank - 1];
      const bool same = arg && p_.at(arg->buffer).kind == Buffer::Kind::constant &&
                        strides[i * rank].is(0) && (channel.is(0) || channel.is(1));
      if (!same) return {};
      with_constants.channel_strides.push_back(channel);
    }
    const UnaryMap<Dim, Arg> call{shape, {step.args[0], step.args[1], step.args[kImage]}};
    auto layer = source_layer<UnaryMap>(step, call, next, planes);
    if (!layer || constants == 0) return layer;
    static_cast<RowsShape<Dim>&>(with_constants) = rows_shape(*layer, planes);
    layer->step.params = kernel_call::params_of(with_constants);
    return layer;
  }

  static void set_window(ImageWindow<Dim>& to, const Window& w) {
    to = {w.in_h, w.out_h, w.k_h, w.stride_h, w.dilation_h, w.pad_top,
          w.in_w, w.out_w, w.k_w, w.stride_w, w.dilation_w, w.pad_left};
  }

  std::optional<LineBufferedLayer> caller_rows(const Step& step) const {
    const auto call = as<RowSource>(step);
    if (!call) return {};
    LineBufferedLayer l{step, buffer_of(call->operands.x), buffer_of(call->operands.y)};
    l.window = numbers(static_cast<const ImageWindow<Dim>&>(call->shape));
    l.in_c = call->shape.channels.value();
    l.y_row = call->shape.row.value() * bytes_of(l.y);
    return finished<RowSource>(l);
  }

  // Of a source that reads planes, or channels-last rows.
  static RowsShape<Dim> rows_shape(const LineBufferedLayer& l, bool planes) {
    const std::int64_t w = l.window.in_w, c = l.in_c;
    RowsShape<Dim> shape{};
    set_window(shape, l.window);
    shape.channels = c;
    shape.pixel = planes ? 1 : c;
    shape.plane = planes ? l.window.in_h * w : 1;
    shape.row = planes ? w : w * c;
    return shape;
  }

  template <template <class, class> class K>
  std::optional<LineBufferedLayer> source_layer(const Step& step, const K<Dim, Arg>& call,
                                                const LineBufferedLayer& next, bool planes) const {
    LineBufferedLayer l{step, buffer_of(call.operands.x), buffer_of(call.operands.y)};
    const std::int64_t h = next.window.in_h, w = next.window.in_w, c = next.in_c;
    l.window.in_h = l.window.out_h = h;
    l.window.in_w = l.window.out_w = w;
    l.in_c = c;
    l.step.params = kernel_call::params_of(rows_shape(l, planes));
    // Rows of planes do not die one after the other.
    l.x_row = planes ? 0 : w * c * bytes_of(l.x);
    l.y_row = next.x_row;
    return finished<K>(l);
  }

  template <template <class, class> class K>
  std::optional<LineBufferedLayer> mean(const Step& step, const GlobalPoolShape<Dim>& s,
                                        const GlobalPoolOperands<Arg>& operands,
                                        const LineBufferedLayer& before,
                                        PooledInt8RowsShape<Dim> shape) const {
    const Window& image = before.window;
    const std::int64_t channels = before.y_row / (image.out_w * bytes_of(before.y));
    const ElemType elem = p_.at(before.y).elem;
    if (!s.batch.is(1) || !s.channels_last || !s.channels.is(channels) ||
        !s.positions.is(image.out_h * image.out_w) || (!is_byte(elem) && elem != ElemType::float32))
      return {};
    LineBufferedLayer l{step, buffer_of(operands.x), buffer_of(operands.y)};
    l.window.in_h = l.window.out_h = image.out_h;
    l.window.in_w = l.window.out_w = image.out_w;
    l.x_row = before.y_row;
    l.in_c = channels;
    set_window(shape, l.window);
    shape.channels = channels;
    if (is_byte(elem)) {
      l.sums = channels;
      l.step.params = kernel_call::params_of(shape);
    } else {
      l.step.params = kernel_call::params_of(static_cast<const PooledRowsShape<Dim>&>(shape));
    }
    return finished<K>(l);
  }

  static bool is_byte(ElemType elem) { return elem == ElemType::int8 || elem == ElemType::uint8; }

  // Says whether windows are gathered, and where; false where words are read a second time.
  bool gather(Int8ConvShape<Dim>& s, Int8ConvOperands<Arg>& operands, LineBufferedLayer& l) const {
    if (!s.residual_words.is(0)) return false;
    const bool is_signed = p_.at(buffer_of(operands.x)).elem == ElemType::int8;
    const bool gathers = is_signed || (s.in_c.value() / s.group.value()) % 4 != 0;
    if (!gathers) {
      s.copies = false;
      operands.scratch = {NullArg{ElemType::uint8, true}};
      return true;
    }
    s.copies = true;
    l.scratch = buffer_of(operands.scratch);
    l.scratch_size = gathered_size(numbers(s));
    return l.scratch >= 0;
  }

  static std::pair<Dim, Dim> channels_of(const ConvExtents<Dim>& s) { return {s.in_c, s.out_c}; }
  static std::pair<Dim, Dim> channels_of(const PoolShape<Dim>& s) {
    return {s.channels, s.channels};
  }
  static std::pair<Dim, Dim> channels_of(const Int8PoolShape<Dim>& s) {
    return {s.channels, s.channels};
  }
  static bool is_dense(const ConvShape<Dim>& s) {
    return s.ldx == s.in_c && s.ldy == s.out_c && s.ld_epilogue == s.out_c;
  }
  static bool is_dense(const PoolShape<Dim>& s) {
    return s.ldx == s.channels && s.ldy == s.channels;
  }
  static bool is_dense(const ConvExtents<Dim>&) { return true; }
  static bool is_dense(const Int8PoolShape<Dim>&) { return true; }

  // adjust(call, layer) completes the call; false where no row can be computed by itself.
  template <template <class, class> class K, class Adjust>
  std::optional<LineBufferedLayer> window(const Step& step, Adjust adjust) const {
    auto call = as<K>(step);
    if (!call || !is_static(call->shape) || !is_dense(call->shape)) return {};
    LineBufferedLayer l{step, buffer_of(call->operands.x), buffer_of(call->operands.y)};
    if (l.x < 0 || l.y < 0 || !adjust(*call, l)) return {};
    l.step.template_args.clear();
    l.step.args.clear();
    set_call(l.step, *call);
    const auto shape = numbers(call->shape);
    l.window = shape;
    if (!reads_rows(l.window)) return {};
    l.batch = shape.batch;
    l.runs_alone = true;
    const auto [in_c, out_c] = channels_of(call->shape);
    l.in_c = in_c.value();
    l.x_row = l.window.in_w * l.in_c * bytes_of(l.x);
    l.y_row = l.window.out_w * out_c.value() * bytes_of(l.y);
    return finished<K>(l);
  }

  template <template <class, class> class K>
  static LineBufferedLayer finished(LineBufferedLayer l) {
    l.step.kernel = K<Dim, Arg>::line_buffered;
    l.step.divisible = false;
    l.step.rows = l.batch * l.window.out_h;
    return l;
  }

  std::int64_t bytes_of(BufferId id) const {
    return static_cast<std::int64_t>(storage_bytes(p_.at(id).elem));
  }

  const Program& p_;
};

}  // namespace

std::int64_t LineBufferedLayer::rows() const { return std::min(extent(window), window.in_h); }

LineBufferedLayers::LineBufferedLayers(const Program& program)
    : layers_(program.steps.size()), linked_(program.steps.size(), false) {
  const Reader reader(program);
  const row_blocking::Uses uses(program);
  const auto follows = [&](const LineBufferedLayer& a, const LineBufferedLayer& b) {
    if (a.batch != 1 || b.batch != 1) return false;
    if (a.window.in_h >= kRowLimit || b.window.in_h >= kRowLimit) return false;
    return uses.only_once({BufferArg{a.y}}, {BufferArg{b.x}}) && a.y_row == b.x_row &&
           a.y_row > 0 && a.window.out_h == b.window.in_h && b.window.stride_h <= extent(b.window);
  };
  const std::vector<Step>& steps = program.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) layers_[i] = reader.layer(steps[i]);
  for (std::size_t i = steps.size(); i-- > 1;)
    if (!layers_[i - 1] && layers_[i]) layers_[i - 1] = reader.source(steps[i - 1], *layers_[i]);
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (layers_[i] && !layers_[i + 1]) layers_[i + 1] = reader.sink(steps[i + 1], *layers_[i]);
    if (as<RowSource>(steps[i]) && layers_[i + 1] && layers_[i + 1]->x_row == 0)
      Reader::read_rows_of_planes(*layers_[i + 1], layers_[i]->y_row);
    linked_[i] = layers_[i] && layers_[i + 1] && follows(*layers_[i], *layers_[i + 1]);
  }
}

}  // namespace onnxc
