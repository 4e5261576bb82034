// What a model with open sizes takes at some values of them.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "compiler/interface/figures.hpp"
#include "compiler/ir/size_names.hpp"
#include "compiler/products/report/sections.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

enum class Axis : std::uint8_t { batch, image, length };

struct OpenAxis {
  const SizeSymbol* symbol = nullptr;
  Axis axis = Axis::length;
};

// Small, usual, large.
constexpr std::size_t kExamples = 3;
using Values = std::array<std::int64_t, kExamples>;

// Rows and columns of images are multiples of 32, which most networks need.
Values values_of(const OpenAxis& open) {
  Values values = {8, 32, 128};
  if (open.axis == Axis::batch) values = {1, 8, 32};
  if (open.axis == Axis::image) values = {64, 224, 640};
  const ExtentRange& range = open.symbol->range;
  for (std::int64_t& v : values) {
    v = std::max(v, range.low);
    if (range.high) v = std::min(v, *range.high);
  }
  return values;
}

std::vector<OpenAxis> open_axes(const Program& p) {
  std::vector<OpenAxis> list;
  for (const SizeSymbol& s : p.symbols) {
    if (s.input < 0) continue;
    const BufferId input = p.inputs[static_cast<std::size_t>(s.input)];
    const std::size_t rank = p.at(input).shape.size();
    list.push_back({&s, s.axis == 0 && rank > 1 ? Axis::batch
                        : rank > 3              ? Axis::image
                                                : Axis::length});
  }
  return list;
}

// Sizes that follow from those of the inputs, or have a bound, too.
void complete(const Program& p, SizeValues& sizes) {
  for (const SizeSymbol& s : p.symbols) {
    if (sizes.count(s.name)) continue;
    const auto value = s.definition ? at_sizes(*s.definition, sizes) : std::nullopt;
    if (value || s.range.high) sizes[s.name] = value ? *value : *s.range.high;
  }
}

bool fits(const Program& p, const SizeValues& sizes) {
  return std::all_of(p.input_relations.begin(), p.input_relations.end(), [&](const Relation& r) {
    const auto a = at_sizes(r.a, sizes), b = at_sizes(r.b, sizes);
    return !a || !b || *a == *b || (r.may_broadcast && (*a == 1 || *b == 1));
  });
}

// With a batch of one the other sizes grow, then the batch does at their middle.
std::vector<SizeValues> examples(const std::vector<OpenAxis>& open) {
  const bool all_batch = std::all_of(open.begin(), open.end(),
                                     [](const OpenAxis& o) { return o.axis == Axis::batch; });
  const bool no_batch = std::none_of(open.begin(), open.end(),
                                     [](const OpenAxis& o) { return o.axis == Axis::batch; });
  std::vector<SizeValues> list;
  const auto add = [&](std::size_t batch, std::size_t other) {
    SizeValues sizes;
    for (const OpenAxis& o : open)
      sizes[o.symbol->name] = values_of(o)[o.axis == Axis::batch ? batch : other];
    if (std::find(list.begin(), list.end(), sizes) == list.end()) list.push_back(sizes);
  };
  for (std::size_t i = 0; i < kExamples; ++i) add(all_batch ? i : 0, i);
  if (!all_batch && !no_batch)
    for (std::size_t i = 1; i < kExamples; ++i) add(i, 1);
  return list;
}

void write_names(JsonWriter& j, const SizeValues& sizes) {
  j.begin_object();
  for (const auto& [symbol, value] : sizes)
    if (has_name(symbol)) j.field(name_of_symbol(symbol), value);
  j.end_object();
}

void write_example(JsonWriter& j, const EmitContext& c, const SizeValues& given) {
  SizeValues sizes = given;
  complete(c.program, sizes);
  const std::int64_t macs = at_sizes(c.macs, sizes).value_or(-1);
  std::int64_t heap = -1;
  if (const auto bytes = heap_bytes(c.program)) heap = at_sizes(*bytes, sizes).value_or(-1);
  if (!fits(c.program, sizes) || (macs < 0 && heap < 0)) return;
  write_names(j.begin_object().key("sizes"), given);
  if (macs >= 0) j.field("macs", macs);
  if (heap >= 0) j.field("heap_bytes", heap);
  j.end_object();
}

// What the sizes of a program are called in expressions, and what is known of them.
void write_symbols(JsonWriter& j, const Program& p) {
  j.key("sizes").begin_array();
  for (const SizeSymbol& s : p.symbols) {
    if (s.is_draw) continue;
    j.begin_object().field("name", std::string_view(readable_sizes(s.name)));
    if (s.range.low > 0) j.field("low", s.range.low);
    if (s.range.high) j.field("high", *s.range.high);
    if (s.definition) write_size(j.key("definition"), *s.definition);
    j.end_object();
  }
  j.end_array();
}

}  // namespace

SizeValues typical_sizes(const Program& p) {
  SizeValues sizes;
  for (const OpenAxis& o : open_axes(p))
    sizes[o.symbol->name] = values_of(o)[o.axis == Axis::batch ? 0 : kExamples / 2];
  if (sizes.empty()) return {};
  complete(p, sizes);
  return fits(p, sizes) ? sizes : SizeValues();
}

void write_examples(JsonWriter& j, const EmitContext& c) {
  const std::vector<OpenAxis> open = open_axes(c.program);
  if (open.empty()) return;
  write_symbols(j, c.program);
  const SizeValues all = typical_sizes(c.program);
  SizeValues inputs;
  for (const OpenAxis& o : open)
    if (all.count(o.symbol->name)) inputs[o.symbol->name] = all.at(o.symbol->name);
  if (!all.empty()) write_names(j.key("typical_sizes"), inputs);
  j.key("examples").begin_array();
  for (const SizeValues& sizes : examples(open)) write_example(j, c, sizes);
  j.end_array();
}

}  // namespace onnxc
