// Reads genai_config.json.
#include "compiler/tokenizer/genai_config.hpp"

#include "compiler/tokenizer/json_fields.hpp"

namespace onnxc::ops {
namespace {

std::int64_t size_of(const TokenizerField& field, std::int64_t most) {
  const std::int64_t value = field.integer();
  if (value < 1 || value > most) field.fail("is no size of this kind");
  return value;
}

std::string pattern_of(const TokenizerField& field, const char* fallback) {
  const std::string name = field.text_or(fallback);
  const std::size_t at = name.find("%d");
  if (at == std::string::npos || name.find('%', at + 1) != std::string::npos)
    field.fail("has to have one %d, for the layer");
  return name;
}

void read_decoder_names(const TokenizerField& decoder, GenaiConfig& c) {
  const TokenizerField in = decoder["inputs"], out = decoder["outputs"];
  c.input_ids = in["input_ids"].text_or("input_ids");
  c.attention_mask = in["attention_mask"].text_or("attention_mask");
  c.position_ids = in["position_ids"].text_or("position_ids");
  c.logits = out["logits"].text_or("logits");
  c.past_key = pattern_of(in["past_key_names"], "past_key_values.%d.key");
  c.past_value = pattern_of(in["past_value_names"], "past_key_values.%d.value");
  c.present_key = pattern_of(out["present_key_names"], "present.%d.key");
  c.present_value = pattern_of(out["present_value_names"], "present.%d.value");
}

void read_search(const TokenizerField& search, GenaiConfig& c) {
  if (!search.given()) return;
  if (search["num_beams"].integer_or(1) != 1) search["num_beams"].fail("above 1 is not supported");
  const auto number = [&](const char* name, double fallback) {
    const TokenizerField field = search[name];
    const double value = field.given() ? field.number() : fallback;
    if (!(value >= 0) || value > 1e6) field.fail("is no number of this kind");
    return value;
  };
  c.sample = search["do_sample"].flag_or(false);
  c.top_k = search["top_k"].integer_or(0);
  if (c.top_k < 0) search["top_k"].fail("is negative");
  c.top_p = number("top_p", 1);
  c.temperature = number("temperature", 1);
  c.repetition_penalty = number("repetition_penalty", 1);
  if (c.repetition_penalty == 0) search["repetition_penalty"].fail("is zero");
}

}  // namespace

GenaiConfig read_genai_config(std::string_view json) {
  const JsonValue document = read_document(json);
  const TokenizerField file(&document, "");
  const TokenizerField model = file["model"], decoder = model["decoder"];
  if (!decoder.given()) decoder.fail("is missing");
  for (const char* other : {"encoder", "vision", "speech", "embedding"})
    if (model[other].given()) model[other].fail("is not supported: only decoders are");
  if (decoder["sliding_window"].given()) decoder["sliding_window"].fail("is not supported");
  GenaiConfig c;
  const std::string name = decoder["filename"].text_or("model.onnx");
  c.model = name.substr(0, name.rfind('.'));
  c.vocabulary = size_of(model["vocab_size"], 1 << 22);
  c.context = size_of(model["context_length"], 1 << 28);
  c.layers = size_of(decoder["num_hidden_layers"], 1000);
  c.heads = size_of(decoder["num_key_value_heads"], 10000);
  c.head_size = size_of(decoder["head_size"], 100000);
  const JsonValue* ends = document.find("model")->find("eos_token_id");
  if (ends && ends->is(JsonValue::Kind::array))
    model["eos_token_id"].each([&](const TokenizerField& end) { c.ends.push_back(end.integer()); });
  else
    c.ends.push_back(model["eos_token_id"].integer());
  read_decoder_names(decoder, c);
  read_search(file["search"], c);
  return c;
}

}  // namespace onnxc::ops
