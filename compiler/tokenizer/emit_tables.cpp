// Tables as arrays, or in a file of their own.
#include "compiler/tokenizer/emit_tables.hpp"

#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

constexpr std::int64_t kMaxInline = std::int64_t{2} << 20;  // as for weights

}  // namespace

TokenizerTables::TokenizerTables(const Identifier& name, const FileStem& stem)
    : context_{model_, program_, target_, options_, name, "", stem} {
  program_.alignment = 8;
}

std::string TokenizerTables::add(const std::string& name, Tensor values) {
  WeightPlan& plan = context_.weights;
  const std::string identifier = name + "_table";
  for (const WeightPlan::Entry& e : plan.entries)
    if (e.identifier == identifier) return identifier + "()";
  const auto bytes = static_cast<std::int64_t>(values.bytes().size());
  plan.entries.push_back({std::move(values), plan.blob_bytes, identifier_from(identifier)});
  plan.data_bytes += bytes;
  plan.blob_bytes += (bytes + 7) / 8 * 8;
  return identifier + "()";
}

std::string TokenizerTables::integers(const std::string& name,
                                      const std::vector<std::int32_t>& values) {
  return add(name, Tensor::of<std::int32_t>(ElemType::int32,
                                            {static_cast<std::int64_t>(values.size())}, values));
}

std::string TokenizerTables::bytes(const std::string& name,
                                   const std::vector<std::uint8_t>& values) {
  return add(name, Tensor::of<std::uint8_t>(ElemType::uint8,
                                            {static_cast<std::int64_t>(values.size())}, values));
}

std::string TokenizerTables::numbers(const std::string& name, const std::vector<double>& values) {
  return add(name, Tensor::of<double>(ElemType::float64, {static_cast<std::int64_t>(values.size())},
                                      values));
}

std::string TokenizerTables::tree(const std::string& name, const ops::Vocabulary& words) {
  const ops::PrefixTreeTables t = ops::prefix_tree(words);
  return fmt::format("{}, {}, {}", integers(name + "_child", t.child),
                     bytes(name + "_byte", t.byte), integers(name + "_value", t.value));
}

std::string TokenizerTables::set(const std::string& name, const ops::CharacterSetTable& set) {
  return fmt::format("{}, {}", integers(name, set.words), set.ranges);
}

void TokenizerTables::place(WeightsMode wanted) {
  WeightPlan& plan = context_.weights;
  plan.mode = wanted != WeightsMode::automatic ? wanted
              : plan.data_bytes <= kMaxInline  ? WeightsMode::inline_arrays
                                               : WeightsMode::incbin;
}

std::string TokenizerTables::definitions() const {
  const WeightPlan& plan = context_.weights;
  CodeWriter w;
  if (!plan.has_source()) {
    w.line("#define ONNXC_WEIGHTS_SECTION {}_WEIGHTS_SECTION", upper_case(context_.name));
    w.raw_line("constexpr std::size_t kAlignment = 8;");
    for (const WeightPlan::Entry& e : plan.entries)
      w.raw(emit_inline_weight(e.constant, e.identifier + "_data"));
    w.raw_line("#undef ONNXC_WEIGHTS_SECTION");
  }
  for (const WeightPlan::Entry& e : plan.entries) {
    const std::string type(info(e.constant.elem()).cpp_name);
    const std::string data = plan.has_source()
                                 ? fmt::format(
                                       "static_cast<const {}*>(static_cast<const void*>({}_weights_"
                                       "data + {}))",
                                       type, context_.name.text(), e.offset)
                                 : e.identifier + "_data";
    w.raw_line(
        fmt::format("inline const {}* {}() {{ return {}; }}", type, e.identifier.text(), data));
  }
  return w.take();
}

}  // namespace onnxc
