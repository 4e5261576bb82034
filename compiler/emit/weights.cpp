// Constants of the model in generated code: typed arrays, an .incbin blob, string literals, or a
// file that the caller binds.
#include <charconv>
#include <cstring>
#include <map>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/fixed_text.hpp"
#include "compiler/emit/licence.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/interface/sanitized_text.hpp"
#include "compiler/ir/print_program.hpp"
#include "compiler/support/checked.hpp"
#include "compiler/support/hash.hpp"
#include "runtime_min/weights.hpp"

namespace onnxc {
namespace {

constexpr std::int64_t kInlineLimit = std::int64_t{2} << 20;
constexpr std::int64_t kEmbedLimit = std::int64_t{256} << 20;
constexpr std::size_t kClLimit = 65535;  // bytes of a string literal
constexpr const char* kLongForCl =
    "#if defined(_MSC_VER) && !defined(__clang__)\n"
    "#error \"a longer string than cl takes: generate with --weights extern or inline\"\n"
    "#endif\n";

void mark_read(const Program& p, std::vector<bool>& read) {
  for (const Step& step : p.steps)
    Program::each_buffer(
        step, [&](BufferId id) { read[static_cast<std::size_t>(p.root(id).first)] = true; });
}

WeightsMode resolve(WeightsMode wanted, std::int64_t bytes) {
  if (wanted != WeightsMode::automatic) return wanted;
  if (bytes <= kInlineLimit) return WeightsMode::inline_arrays;
  return bytes <= kEmbedLimit ? WeightsMode::incbin : WeightsMode::external;
}

// One element as a literal of the type that emit_inline_weight declares.
std::string element(const Tensor& t, std::size_t i) {
  switch (t.elem()) {
    case ElemType::float32:
      return float_literal(t.as<float>()[i]);
    case ElemType::float64:
      return double_literal(t.as<double>()[i]);
    case ElemType::boolean:
      return t.as<std::uint8_t>()[i] ? "true" : "false";
    case ElemType::int64: {
      const std::int64_t v = t.as<std::int64_t>()[i];
      return v == INT64_MIN ? "INT64_MIN" : fmt::format("{}", v);
    }
    case ElemType::int32: {
      const std::int32_t v = t.as<std::int32_t>()[i];
      return v == INT32_MIN ? "INT32_MIN" : fmt::format("{}", v);
    }
    case ElemType::uint64:
      return fmt::format("{}u", t.as<std::uint64_t>()[i]);
    case ElemType::uint32:
      return fmt::format("{}u", t.as<std::uint32_t>()[i]);
    case ElemType::int16:
      return fmt::format("{}", t.as<std::int16_t>()[i]);
    case ElemType::uint16:
      return fmt::format("{}", t.as<std::uint16_t>()[i]);
    case ElemType::int8:
      return fmt::format("{}", t.as<std::int8_t>()[i]);
    case ElemType::uint8:
      return fmt::format("{}", t.as<std::uint8_t>()[i]);
    default:
      return elem_bytes(t.elem()) == 2 ? fmt::format("{:#06x}", t.as<std::uint16_t>()[i])
                                       : fmt::format("{:#04x}", t.as<std::uint8_t>()[i]);
  }
}

// Complex numbers as their real and imaginary parts, one after the other.
Tensor parts_of(const Tensor& t) {
  const bool single = t.elem() == ElemType::complex64;
  const auto bytes = t.bytes();
  return {single ? ElemType::float32 : ElemType::float64,
          {t.size(), 2},
          Blob::owned({bytes.begin(), bytes.end()})};
}

// Collects the constants of programs.
class WeightPlanner {
 public:
  WeightPlanner(WeightPlan& plan, const std::set<std::string>& reserved) : plan_(plan) {
    for (const std::string& name : reserved) names_.reserve(name);
  }

  void add(const Program& program) {
    plan_.alignment = program.alignment;
    std::vector<int>& entry_of = plan_.entry_of[&program];
    entry_of.assign(program.buffers.size(), -1);
    std::vector<bool> read(program.buffers.size());
    mark_read(program, read);
    for (std::size_t i = 0; i < program.buffers.size(); ++i) {
      const Buffer& b = program.buffers[i];
      if (b.kind == Buffer::Kind::constant && b.view_of < 0 && read[i]) entry_of[i] = entry(b);
    }
  }

 private:
  int entry(const Buffer& b) {
    const std::uint64_t hash = b.constant.content_hash();
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto it = first; it != last; ++it)
      if (plan_.entries[static_cast<std::size_t>(it->second)].constant.same_content(b.constant))
        return it->second;
    const auto index = static_cast<int>(plan_.entries.size());
    by_hash_.emplace(hash, index);
    plan_.add(b.constant, names_.unique(identifier_from(b.name)));
    return index;
  }

  WeightPlan& plan_;
  NameScope names_;
  std::multimap<std::uint64_t, int> by_hash_;
};

}  // namespace

void WeightPlan::add(Tensor constant, Identifier identifier) {
  entries.push_back({std::move(constant), blob_bytes, std::move(identifier)});
  const Entry& e = entries.back();
  const auto bytes = e.is_text() ? 0 : static_cast<std::int64_t>(e.constant.bytes().size());
  data_bytes = checked_add(data_bytes, bytes);
  blob_bytes = checked_mul(checked_add(blob_bytes + bytes, alignment - 1) / alignment, alignment);
}

void WeightPlan::add_header(const std::vector<const Program*>& programs,
                            const std::string& sha256) {
  Hash hash;
  hash.add(ONNXC_VERSION);
  for (const Program* program : programs) hash.add(print(*program));
  for (const Entry& e : entries) hash.add(e.offset);
  layout = hash.value();
  WeightsHeader content = {kWeightsMagic, layout, {}, {}};
  for (std::size_t i = 0; i < sizeof content.model && 2 * i + 1 < sha256.size(); ++i)
    std::from_chars(&sha256[2 * i], &sha256[2 * i + 2], content.model[i], 16);
  const std::int64_t bytes =
      (static_cast<std::int64_t>(sizeof content) + alignment - 1) / alignment * alignment;
  header.assign(static_cast<std::size_t>(bytes), '\0');
  std::memcpy(header.data(), &content, sizeof content);
  for (Entry& e : entries) e.offset = checked_add(e.offset, bytes);
  blob_bytes = checked_add(blob_bytes, bytes);
}

WeightPlan plan_weights(const std::vector<const Program*>& programs, WeightsMode wanted,
                        const std::set<std::string>& reserved) {
  WeightPlan plan;
  WeightPlanner planner(plan, reserved);
  for (const Program* program : programs) planner.add(*program);
  plan.mode = resolve(wanted, plan.data_bytes);
  if (plan.data_bytes == 0) plan.mode = WeightsMode::inline_arrays;
  return plan;
}

std::string emit_inline_weight(const Tensor& tensor, const std::string& identifier) {
  CodeWriter w;
  if (is_complex(tensor.elem())) return emit_inline_weight(parts_of(tensor), identifier);
  const std::string_view cpp = info(tensor.elem()).cpp_name;
  const bool plain =
      cpp == "float" || cpp == "double" || cpp == "bool" || cpp.substr(0, 5) == "std::";
  const auto count = static_cast<std::size_t>(tensor.size());
  // A struct type has no literals: its bits are stored, and run() reads them as the type.
  const std::string type = plain                            ? std::string(cpp)
                           : elem_bytes(tensor.elem()) == 2 ? "std::uint16_t"
                                                            : "std::uint8_t";
  w.wrapped({fmt::format("alignas(kAlignment) const {} {}[{}]", type, identifier,
                         std::max<std::size_t>(count, 1)),
             "ONNXC_WEIGHTS_SECTION = {"},
            4);
  w.indent();
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < count; ++i) pieces.push_back(element(tensor, i) + ",");
  w.wrapped(pieces);
  w.close("};");
  return w.take();
}

std::string emit_text_constant(const Tensor& tensor, const std::string& identifier) {
  CodeWriter w;
  const auto& strings = tensor.strings();
  w.open(fmt::format("constexpr Text {}[{}] = {{", identifier,
                     std::max<std::size_t>(strings.size(), 1)));
  for (const std::string& s : strings) w.line("    text({}),", string_literal(s));
  w.close("};");
  return w.take();
}

std::string weights_blob(const WeightPlan& weights) {
  std::string blob = weights.header;
  blob.resize(static_cast<std::size_t>(weights.blob_bytes), '\0');
  for (const WeightPlan::Entry& e : weights.entries) {
    if (e.is_text()) continue;
    const auto bytes = e.constant.bytes();
    if (!bytes.empty()) std::memcpy(blob.data() + e.offset, bytes.data(), bytes.size());
  }
  return blob;
}

std::string weights_declaration(const Identifier& name, WeightsMode mode) {
  return fixed_text(
      "compiler/emit/text/weights_declaration.in",
      {{"type", TextValue::code(mode == WeightsMode::incbin ? "unsigned char" : "char")},
       {"symbol", name.with("_weights_data")}});
}

std::string emit_weights_source(const WeightPlan& weights, const Identifier& name,
                                const FileStem& stem) {
  const Identifier symbol = name.with("_weights_data");
  if (weights.mode == WeightsMode::incbin)
    return fixed_text("compiler/emit/text/weights_incbin.cpp.in",
                      {{"stem", stem}, {"symbol", symbol}, {"alignment", weights.alignment}});
  const std::string blob = weights_blob(weights);
  const bool long_for_cl = blob.size() >= kClLimit;
  CodeWriter w;
  w.raw(fixed_text("compiler/emit/text/weights_string.cpp.in",
                   {{"stem", stem},
                    {"symbol", symbol},
                    {"alignment", weights.alignment},
                    {"limit", TextValue::code(long_for_cl ? kLongForCl : "")},
                    {"declaration", TextValue::code(weights_declaration(name, weights.mode))}}));
  w.indent();
  constexpr std::size_t kPerLine = 24;
  for (std::size_t i = 0; i < blob.size(); i += kPerLine)
    w.line("{}", byte_literal(std::string_view(blob).substr(i, kPerLine)));
  w.raw_line(";");
  return w.take();
}

}  // namespace onnxc
