// Prints the loop around a decoder.
#include "compiler/tokenizer/generator_header.hpp"

#include "compiler/emit/fixed_text.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

Identifier of_layer(const std::string& pattern, std::int64_t layer) {
  std::string name = pattern;
  return identifier_from(name.replace(name.find("%d"), 2, std::to_string(layer)));
}

// Members for the caches, and the statements that bind them.
void add_caches(const ops::GenaiConfig& c, const Identifier& model, TextValues& values) {
  std::string caches, bindings;
  for (std::int64_t layer = 0; layer < c.layers; ++layer)
    for (const bool key : {true, false}) {
      const Identifier past = of_layer(key ? c.past_key : c.past_value, layer);
      const Identifier present = of_layer(key ? c.present_key : c.present_value, layer);
      caches +=
          fmt::format("  Element<decltype({}_outputs::{})>::type {}[2][{}_OUTPUT_{}_MAX_SIZE];\n",
                      model, present, past, upper_case(model), upper_case(present));
      bindings +=
          fixed_text("compiler/tokenizer/text/cache.in", {{"past", past}, {"present", present}});
    }
  values.emplace("caches", TextValue::code(caches));
  values.emplace("bindings", TextValue::code(bindings));
}

TextValues names_of(const ops::GenaiConfig& c, const Identifier& name) {
  const auto number = [](double value) {
    return TextValue::code(float_literal(static_cast<float>(value)));
  };
  return {{"name", name},
          {"NAME", upper_case(name)},
          {"sample", c.sample ? 1 : 0},
          {"best", c.top_k},
          {"top_p", number(c.top_p)},
          {"temperature", number(c.temperature)},
          {"penalty", number(c.repetition_penalty)}};
}

}  // namespace

std::string generator_header(const ops::GenaiConfig& c, const Identifier& name,
                             const FileStem& stem, const std::string& model) {
  const auto model_stem = FileStem::from(model);
  if (!model_stem)
    throw FatalError(exit_code::usage, fmt::format("'{}' is no name for files", model));
  const Identifier m = identifier_from(model);
  std::string ends;
  for (const std::int64_t end : c.ends)
    ends += fmt::format("{}id == {}", ends.empty() ? "" : " || ", end);
  TextValues v = names_of(c, name);
  v.insert({{"stem", stem},
            {"model", m},
            {"MODEL", upper_case(m)},
            {"model_stem", *model_stem},
            {"first", upper_case(of_layer(c.past_key, 0))},
            {"vocabulary", c.vocabulary},
            {"heads", c.heads},
            {"head_size", c.head_size},
            {"context", c.context},
            {"ends", TextValue::code(ends.empty() ? "id < 0" : ends)},
            {"positions", identifier_from(c.position_ids)}});
  const auto port = [&](const char* lower, const char* upper, const std::string& tensor) {
    const Identifier identifier = identifier_from(tensor);
    v.insert({{lower, identifier}, {upper, upper_case(identifier)}});
  };
  port("mask", "MASK", c.attention_mask);
  port("ids", "IDS", c.input_ids);
  port("logits", "LOGITS", c.logits);
  add_caches(c, m, v);
  return fixed_text("compiler/tokenizer/text/generate.hpp.in", v);
}

std::string generator_declarations(const ops::GenaiConfig& c, const Identifier& name) {
  return fixed_text("compiler/tokenizer/text/pick.h.in", names_of(c, name));
}

std::string generator_functions(const Identifier& name) {
  return fixed_text("compiler/tokenizer/text/pick.cpp.in", {{"name", name}});
}

}  // namespace onnxc
