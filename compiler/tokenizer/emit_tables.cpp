// Tables as arrays, or in a file of their own.
#include "compiler/tokenizer/emit_tables.hpp"

#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

constexpr std::int64_t kMaxInline = std::int64_t{2} << 20;  // as for weights

}  // namespace

std::string TokenizerTables::add(const std::string& name, Tensor values) {
  const std::string identifier = name + "_table";
  if (std::none_of(plan_.entries.begin(), plan_.entries.end(),
                   [&](const WeightPlan::Entry& e) { return e.identifier == identifier; }))
    plan_.add(std::move(values), identifier_from(identifier));
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
  plan_.mode = wanted != WeightsMode::automatic ? wanted
               : plan_.data_bytes <= kMaxInline ? WeightsMode::inline_arrays
                                                : WeightsMode::incbin;
}

std::string TokenizerTables::definitions() const {
  CodeWriter w;
  if (!plan_.has_source()) {
    w.line("#define ONNXC_WEIGHTS_SECTION {}_WEIGHTS_SECTION", upper_case(name_));
    w.raw_line("constexpr std::size_t kAlignment = 8;");
    for (const WeightPlan::Entry& e : plan_.entries)
      w.raw(emit_inline_weight(e.constant, e.identifier + "_data"));
    w.raw_line("#undef ONNXC_WEIGHTS_SECTION");
  }
  for (const WeightPlan::Entry& e : plan_.entries) {
    const std::string type(info(e.constant.elem()).cpp_name);
    const std::string data = plan_.has_source()
                                 ? fmt::format(
                                       "static_cast<const {}*>(static_cast<const void*>({}_weights_"
                                       "data + {}))",
                                       type, name_.text(), e.offset)
                                 : e.identifier + "_data";
    w.raw_line(
        fmt::format("inline const {}* {}() {{ return {}; }}", type, e.identifier.text(), data));
  }
  return w.take();
}

}  // namespace onnxc
