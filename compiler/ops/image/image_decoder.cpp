// ImageDecoder: the pixels of an encoded image, of the format that its first bytes tell.
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops::image_decoder {
namespace {

// As the kernel counts them.
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

// What a decoder may take: its tables, coefficients and samples by pixel of padded sides, and
// copies and code tables by byte of the stream. A stream that needs more ends as one out of memory.
Dim scratch_bytes(const Dim& bytes, const Dim& height, const Dim& width) {
  return Dim(1 << 20) + Dim(32) * (height + Dim(32)) * (width + Dim(32)) + Dim(32) * bytes;
}

void lower(Lower& n) {
  const Shape &x = n.shape(0), &y = n.out_shape(0);
  if (!y[0].is_const() || !y[1].is_const())
    n.unsupported("output 0 \"image\"", "a size that only the stream tells; declare it");
  const Dim room = scratch_bytes(x[0], y[0], y[1]);
  n.call("image_decoder")
      .dim("bytes", x[0])
      .dim("height", y[0])
      .dim("width", y[1])
      .dim("format", read_format(n))
      .dim("room", room)
      .in(0)
      .out(0)
      .write(n.scratch(ElemType::uint8, room, "work"))
      .fallible();
}

constexpr Op rows[] = {{
    .name = "ImageDecoder",
    .versions = "20",
    .inputs = "encoded_stream:uint8",
    .outputs = "image:uint8",
    .attributes = "pixel_format:string=RGB",
    .limits = "images of a size that only the run tells; arithmetic-coded and lossless JPEG; fax "
              "codes in TIFF; a stream that cannot be decoded stops the run",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::image_decoder
