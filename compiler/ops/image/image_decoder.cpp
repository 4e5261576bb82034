// ImageDecoder: decodes an image; its first bytes select the format.
#include "compiler/kernels/image_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::image_decoder {
namespace {

// Numbered as in the kernel.
enum Format : std::int64_t { rgb, bgr, grayscale };

Format read_format(const NodeView& n) {
  const std::string& name = n.attr_string("pixel_format");
  if (name == "RGB") return rgb;
  if (name == "BGR") return bgr;
  if (name == "Grayscale") return grayscale;
  n.fail("attribute \"pixel_format\"", "\"" + name + "\" is no choice");
}

void infer(Infer& n) {
  const Format format = read_format(n);
  n.require(!n.has_rank(0) || n.rank(0) == 1, input_field(0, "encoded_stream"), "rank {}, needs 1",
            n.has_rank(0) ? n.rank(0) : 0);
  const Dim height = n.unknown_extent(), width = n.unknown_extent();
  n.output(0, ElemType::uint8, Shape{height, width, format == grayscale ? 1 : 3});
}

// The most memory that a decoder uses: tables, coefficients and samples for each pixel of the
// padded image, copies and code tables for each byte of the stream. A stream that needs more fails
// as out of memory.
Dim scratch_bytes(const Dim& bytes, const Dim& height, const Dim& width) {
  return Dim(1 << 20) + Dim(32) * (height + Dim(32)) * (width + Dim(32)) + Dim(32) * bytes;
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  n.call("image_size", ImageSizeShape<Dim>{x[0]}).in(0).extents({y[0], y[1]});
  const Dim capacity = scratch_bytes(x[0], y[0], y[1]);
  const bool bounded = n.program().at_most(capacity).has_value();
  Call call = bounded ? n.call("image_decode_in", ImageDecodeInShape<Dim>{read_format(n), capacity})
                      : n.call("image_decode", ImageDecodeShape<Dim>{read_format(n)});
  call.in(0).value(x[0]).out(0);
  if (bounded)
    call.write(n.scratch(ElemType::uint8, capacity, "work"));
  else
    call.heap();
}

constexpr Op rows[] = {{
    .name = "ImageDecoder",
    .versions = "20",
    .inputs = "encoded_stream:uint8",
    .outputs = "image:uint8",
    .attributes = "pixel_format:string=RGB",
    .limits = "lossless and 12-bit JPEG; "
              "a stream that cannot be decoded stops the run",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::image_decoder
