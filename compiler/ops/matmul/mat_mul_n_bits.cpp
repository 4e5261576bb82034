// com.microsoft MatMulNBits: product with a matrix of packed 2-, 4- or 8-bit weights, in blocks
// that share a scale and a zero point.
#include "compiler/kernels/matmul_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/packing.hpp"
#include "compiler/ops/upgrade.hpp"
#include "compiler/ops/window.hpp"
#include "compiler/support/checked.hpp"
#include "templates/matmul/matmul_nbits.hpp"
#include "templates/matmul/matmul_nbits_packed.hpp"

namespace onnxc::ops::mat_mul_n_bits {
namespace {

struct Sizes {
  std::int64_t k = 0, n = 0, block = 0, blocks = 0, bits = 0;
};

std::int64_t positive(const NodeView& n, const char* name) {
  const std::int64_t v = n.attr_int(name);
  n.require(v >= 1 && v <= (std::int64_t{1} << 40), "attribute " + quoted(name),
            "{} is out of range", v);
  return v;
}

void need_elements(const NodeView& n, std::size_t input, const char* name, std::int64_t count) {
  if (!n.has_input(input) || !n.input(input).has_rank()) return;
  n.same(product(*n.input(input).shape), count, input_field(input, name));
}

Sizes read(const NodeView& n) {
  Sizes s;
  s.k = positive(n, "K");
  s.n = positive(n, "N");
  s.block = positive(n, "block_size");
  s.bits = n.attr_int("bits");
  n.require(s.bits == 2 || s.bits == 4 || s.bits == 8, "attribute \"bits\"", "{} is not 2, 4 or 8",
            s.bits);
  n.require(s.block >= 16 && (s.block & (s.block - 1)) == 0, "attribute \"block_size\"",
            "{} is no power of two from 16 on", s.block);
  s.blocks = (s.k + s.block - 1) / s.block;
  const std::int64_t scales = checked_mul(s.n, s.blocks);
  need_elements(n, 1, "B", checked_mul(scales, s.block * s.bits / 8));
  need_elements(n, 2, "scales", scales);
  const bool packed = n.has_input(3) && n.input(3).elem == ElemType::uint8;
  const std::int64_t row = packed ? (checked_mul(s.blocks, s.bits) + 7) / 8 : s.blocks;
  need_elements(n, 3, "zero_points", checked_mul(s.n, row));
  need_elements(n, 5, "bias", s.n);
  return s;
}

// For each row of the product's weights, in the order of the groups that g_idx puts them in, where
// it is now. Every group fills a block.
std::vector<std::int64_t> rows_by_group(const Upgrade& n, const Sizes& s) {
  const std::string field = input_field(4, "g_idx");
  const Tensor* groups = n.constant(4);
  if (!groups) n.unsupported(field, "has to be a constant");
  n.require(groups->size() >= s.k, field, "{} elements, needs {}", groups->size(), s.k);
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(s.blocks));
  for (std::int64_t i = 0; i < s.k; ++i) {
    const auto group = static_cast<std::int64_t>(groups->number(i));
    n.require(group >= 0 && group < s.blocks, field, "{} is none of {} groups", group, s.blocks);
    members[static_cast<std::size_t>(group)].push_back(i);
  }
  std::vector<std::int64_t> rows;
  for (std::int64_t b = 0; b < s.blocks; ++b) {
    const auto& group = members[static_cast<std::size_t>(b)];
    const std::int64_t wanted = std::min(s.block, s.k - b * s.block);
    if (static_cast<std::int64_t>(group.size()) != wanted)
      n.unsupported(field, fmt::format("group {} has {} elements, only {} are supported", b,
                                       group.size(), wanted));
    rows.insert(rows.end(), group.begin(), group.end());
  }
  return rows;
}

// The packed weights with their rows in another order.
Tensor reordered(const Tensor& weights, const Sizes& s, const std::vector<std::int64_t>& rows) {
  const std::int64_t per_byte = 8 / s.bits, bytes = s.blocks * s.block / per_byte;
  const unsigned mask = (1u << s.bits) - 1u;
  TensorBuilder out(ElemType::uint8, weights.dims());
  const std::uint8_t* from = weights.as<std::uint8_t>().data();
  std::uint8_t* to = out.data<std::uint8_t>();
  std::fill_n(to, s.n * bytes, std::uint8_t{0});
  for (std::int64_t j = 0; j < s.n; ++j, from += bytes, to += bytes)
    for (std::int64_t i = 0; i < s.k; ++i) {
      const std::int64_t row = rows[static_cast<std::size_t>(i)];
      const unsigned number = unsigned{from[row / per_byte]} >> (row % per_byte * s.bits) & mask;
      to[i / per_byte] |= static_cast<std::uint8_t>(number << (i % per_byte * s.bits));
    }
  return out.take();
}

// Groups that g_idx scatters over the rows become blocks: the weights' rows change places, and the
// columns of A with them.
void upgrade(Upgrade& n) {
  if (!n.has_input(4)) return;
  const Sizes s = read(n);
  const Tensor* weights = n.constant(1);
  if (!weights) n.unsupported(input_field(1, "B"), "has to be a constant with g_idx");
  n.require(weights->elem() == ElemType::uint8, input_field(1, "B"), "{}, needs uint8",
            info(weights->elem()).onnx_name);
  const std::vector<std::int64_t> rows = rows_by_group(n, s);
  n.set_input(1, n.constant(reordered(*weights, s, rows)));
  n.set_input(0, n.emit("Gather", {n.node().inputs[0], n.constant(Tensor::ints(rows))},
                        {{"axis", std::int64_t{-1}}}));
  n.set_input(4, nullptr);
  std::vector<Value*> inputs = n.node().inputs;
  while (!inputs.back()) inputs.pop_back();
  n.mutable_node().inputs = inputs;
}

void infer(Infer& n) {
  if (n.attr_int("weight_prepacked") != 0)
    n.unsupported("attribute \"weight_prepacked\"", "only 0 is supported");
  const Sizes s = read(n);
  n.require(!n.has_input(3) || n.elem(3) == ElemType::uint8 || n.elem(3) == n.elem(0),
            input_field(3, "zero_points"), "neither uint8 nor of A's type");
  if (!n.has_rank(0)) return n.output(0, n.elem(0), std::nullopt);
  Shape y = n.shape(0);
  n.require(!y.empty(), input_field(0, "A"), "rank 0, needs at least 1");
  n.same(y.back(), s.k, input_field(0, "A"));
  y.back() = s.n;
  n.output(0, n.elem(0), y);
}

// The shape struct that packing needs.
struct Extents {
  Index k, n, block;
  bool zeros;
};

template <int kBits, int NR>
Tensor pack(const NodeView& n, const Sizes& sizes) {
  const Extents s{sizes.k, sizes.n, sizes.block, n.has_input(3)};
  const std::int64_t width = checked_add(s.n, NR);
  const std::int64_t numbers = checked_mul(width, checked_mul(sizes.blocks, sizes.block));
  checked_mul(numbers, 4);
  TensorBuilder words(ElemType::uint32, {packed_nbits_size<kBits, NR>(s)});
  const auto pack_with = [&](auto zero) {
    const Tensor& scales = *n.constant(2);
    const auto scale = [&](Index j, Index b) {
      return static_cast<float>(scales.number(j * sizes.blocks + b));
    };
    pack_nbits<kBits, NR>(s, n.constant(1)->as<std::uint8_t>().data(), scale, zero,
                          words.data<std::uint32_t>());
  };
  const Tensor* zeros = n.constant(3);
  if (zeros && zeros->elem() == ElemType::uint8) {
    const std::uint8_t* const bytes = zeros->as<std::uint8_t>().data();
    pack_with([&](Index j, Index b) { return nbits_zero<kBits>(bytes, j, b, sizes.blocks); });
  } else {
    pack_with(
        [&](Index j, Index b) { return static_cast<float>(zeros->number(j * sizes.blocks + b)); });
  }
  return words.take();
}

// Weights, scales and zero points as matmul_nbits_packed reads them.
Tensor pack(const NodeView& n, const Sizes& s, int panel) {
  Tensor words;
  with_panel(panel, [&](auto width) {
    constexpr int NR = decltype(width)::value;
    words = s.bits == 2 ? pack<2, NR>(n, s) : s.bits == 4 ? pack<4, NR>(n, s) : pack<8, NR>(n, s);
  });
  return words;
}

// Whether many rows may become integers of 16 bits: level 4 allows even those of 8.
bool pairs_allowed(const Lower& n) {
  const bool known = n.target().sums_pairs || n.target().vector_floats >= 8;
  return known && n.attr_int("accuracy_level") == 4 && !n.options().strict_fp &&
         (!n.has_input(3) || n.elem(3) == ElemType::uint8);
}

// Floats of scratch memory for that.
std::int64_t pairs_scratch(const Sizes& s, const Dim& rows, int panel) {
  // Above some number of rows the size stays the same.
  const std::int64_t many = std::int64_t{1} << 20;
  const std::int64_t m = rows.is_const() ? std::min(rows.value(), many) : many;
  std::int64_t floats = 0;
  if (m < kFewestUnpackedRows) return floats;
  with_panel(panel, [&](auto width) {
    floats = nbits_pairs_size<decltype(width)::value>(
        MatMulNBitsShape<Index>{static_cast<Index>(m), s.k, s.n, s.block});
  });
  return floats;
}

// Calls matmul_nbits_packed, if weights, scales and zero points are constant; else returns false.
bool lower_packed(Lower& n, const Sizes& s, const Dim& rows) {
  if (n.elem(0) != ElemType::float32 || !n.constant(1) || !n.constant(2)) return false;
  if (n.has_input(3) && !n.constant(3)) return false;
  const Tile tile = choose_tile(n.target(), s.n);
  const bool pairs = pairs_allowed(n);
  std::int64_t scratch = std::max(dequant_scratch(rows, s.k, s.n, tile.panel),
                                  checked_mul(s.blocks, checked_add(s.block, 1)));
  if (pairs) scratch = std::max(scratch, pairs_scratch(s, rows, tile.panel));
  // Fixed-point numbers round otherwise than the floats of other targets.
  Call call =
      n.call("matmul_nbits_packed", MatMulNBitsShape<Dim>{rows, s.k, s.n, s.block, n.has_input(3),
                                                          !n.options().strict_fp, pairs});
  call.divisible().template_arg(std::to_string(s.bits));
  add_tile(call, tile);
  call.in(0).read(n.constant(pack(n, s, tile.panel), "w"));
  call.in(5, ElemType::float32).out(0).write(n.thread_scratch(ElemType::float32, scratch));
  add_epilogue(call, n).macs(rows * s.k * s.n);
  return true;
}

void lower(Lower& n) {
  const Sizes s = read(n);
  const Shape& x = n.shape(0);
  const Dim rows = product(x, 0, x.size() - 1);
  if (lower_packed(n, s, rows)) return;
  const Dim scratch = Dim::max(checked_mul(4, s.k), checked_mul(s.blocks, checked_add(s.block, 1)));
  Call call = n.call("matmul_nbits", MatMulNBitsShape<Dim>{rows, s.k, s.n, s.block});
  call.template_arg(std::to_string(s.bits));
  call.in({0, 1, 2}).in(3, n.elem(0)).in(5, n.elem(0)).out(0);
  call.write(n.scratch(ElemType::float32, scratch));
  add_epilogue(call, n).macs(rows * s.k * s.n);
}

// ---- rows of the same weights -----------------------------------------------------------------

void infer_rows(Infer& n) {
  const Sizes s = read(n);
  if (!n.has_rank(0)) return n.output(0, ElemType::float32, std::nullopt);
  Shape y = n.shape(0);
  y.push_back(s.k);
  n.output(0, ElemType::float32, y);
}

// The packed weights are those of the product, and stored once.
void lower_gather(Lower& n) {
  const Sizes s = read(n);
  const Tile tile = choose_tile(n.target(), s.n);
  Call call = n.call("gather_nbits",
                     GatherNBitsShape<Dim>{product(n.shape(0)), s.k, s.n, s.block, n.has_input(3)});
  call.template_arg(std::to_string(s.bits)).template_arg(std::to_string(tile.panel)).in(0);
  call.read(n.constant(pack(n, s, tile.panel), "w")).out(0);
}

constexpr Op gather_row() {
  return internal({
      .name = "GatherPackedRows",
      .inputs = "indices:Tind B:uint8 scales:float zero_points:uint8?",
      .outputs = "output:float",
      .types = "Tind: int32 int64",
      .attributes = "K:int! N:int! bits:int=4 block_size:int!",
      .infer = infer_rows,
      .lower = lower_gather,
  });
}

constexpr Op rows[] = {
    contrib({
        .name = "MatMulNBits",
        .inputs = "A:T1 B:uint8 scales:T1 zero_points:T3? g_idx:int32? bias:T1?",
        .outputs = "Y:T1",
        .types = "T1: float float16 bfloat16; T3: uint8 float float16 bfloat16",
        .attributes = "K:int! N:int! accuracy_level:int=0 bits:int=4 block_size:int! "
                      "weight_prepacked:int=0",
        .limits = "g_idx with groups of other sizes than block_size, weight_prepacked",
        .upgrade = upgrade,
        .infer = infer,
        .lower = lower,
        .epilogue = Epilogue::channel_is_last_axis,
    }),
    gather_row()};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::mat_mul_n_bits
