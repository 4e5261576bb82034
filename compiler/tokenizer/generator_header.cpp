// Prints the loop around a decoder.
#include "compiler/tokenizer/generator_header.hpp"

#include <map>

#include "compiler/emit/licence.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

using Values = std::map<std::string, std::string>;

// @{name} stands for a value.
std::string filled(std::string_view text, const Values& values) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = text.find("@{", at);
    out += text.substr(at, mark - at);
    if (mark == std::string_view::npos) break;
    const std::size_t end = text.find('}', mark);
    out += values.at(std::string(text.substr(mark + 2, end - mark - 2)));
    at = end + 1;
  }
  return out;
}

constexpr std::string_view kDeclarations = R"(
/* How tokens are chosen: the best one, or, with `sample`, one drawn among the best. */
typedef struct {
  int sample;
  int32_t top_k;  /* as many of the best; 0: all */
  float top_p;    /* of these, as few as have this probability together */
  float temperature, repetition_penalty;
  uint64_t seed;
} @{n}_search;
#define @{N}_SEARCH_DEFAULTS { @{sample}, @{best}, @{top_p}, @{temperature}, @{penalty}, 0 }

/* The next token by the scores of all of them, which it may change. `seen`: the tokens so far;
   `state`: of the random numbers, at first the seed; `order`: memory for `count` numbers. */
#ifdef __cplusplus
extern "C"
#endif
ONNXC_API int64_t @{n}_pick(float* scores, int32_t count, const @{n}_search* search,
                            const int64_t* seen, size_t seen_count, uint64_t* state,
                            int32_t* order);
)";

constexpr std::string_view kFunctions = R"(
extern "C" int64_t @{n}_pick(float* scores, int32_t count, const @{n}_search* search,
                             const int64_t* seen, size_t seen_count, uint64_t* state,
                             int32_t* order) {
  const TokenSearch rules{search->sample != 0, search->top_k, search->top_p, search->temperature,
                          search->repetition_penalty};
  return pick_token(scores, count, rules, seen, seen_count, *state, order);
}
)";

constexpr std::string_view kTop = R"(#pragma once

#include "@{model}.h"
#include "@{stem}.h"

#ifndef @{M}_INPUT_@{first}_MAX_SIZE
#error "compile @{model} with a bound for each of its sizes: --dim NAME=LO..HI"
#endif
/* The longest text that begins or continues a conversation. */
#ifndef @{N}_PROMPT_BYTES
#define @{N}_PROMPT_BYTES 1024
#endif

namespace @{n} {

constexpr size_t kVocabulary = @{vocabulary}, kHeads = @{heads}, kHeadSize = @{head_size};
/* Tokens that the caches hold, and those of one run of the model. */
constexpr size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
#ifdef @{M}_INPUT_@{MASK}_MAX_SIZE
constexpr size_t kMax = smaller(@{context}, @{M}_INPUT_@{MASK}_MAX_SIZE);
#else
constexpr size_t kMax = @{context};
#endif
constexpr size_t kContext =
    smaller(kMax, @{M}_INPUT_@{first}_MAX_SIZE / (kHeads * kHeadSize));
constexpr size_t kChunk = @{M}_INPUT_@{IDS}_MAX_SIZE;

template <class T>
struct Element {};
template <class T>
struct Element<T*> {
  typedef T type;
};

/* All memory of a conversation; the caller's. Its contents before do not matter. */
struct Memory {
  alignas(@{M}_ARENA_ALIGN) unsigned char arena[@{M}_ARENA_BYTES + 1];
  Element<decltype(@{m}_outputs::@{logits})>::type logits[@{M}_OUTPUT_@{LOGITS}_MAX_SIZE];
@{caches}  int64_t ids[kContext + 1], mask[kContext + kChunk], positions[kChunk];
  int64_t prompt[@{N}_MOST_TOKENS(@{N}_PROMPT_BYTES)];
  unsigned char scratch[@{N}_SCRATCH_BYTES(@{N}_PROMPT_BYTES)];
  int32_t order[kVocabulary];
};

/* Models without one of these inputs do not get it. */
template <class In>
auto set_mask(In& in, const int64_t* mask, int64_t count) -> decltype(in.@{mask}, void()) {
  in.@{mask} = mask;
  in.@{mask}_dims[0] = 1;
  in.@{mask}_dims[1] = count;
}
inline void set_mask(...) {}
template <class In>
auto set_positions(In& in, const int64_t* at, int64_t count) -> decltype(in.@{positions}, void()) {
  in.@{positions} = at;
  in.@{positions}_dims[0] = 1;
  in.@{positions}_dims[1] = count;
}
inline void set_positions(...) {}

)";

constexpr std::string_view kClass = R"(class Generator {
 public:
  explicit Generator(Memory& memory, const @{n}_search& search = @{N}_SEARCH_DEFAULTS)
      : m_(memory), search_(search), random_(search.seed) {}

  /* Tokens of the context so far; whether there is room for no more. */
  size_t size() const { return size_; }
  bool full() const { return size_ >= kContext; }
  /* Forgets the context. */
  void clear() { size_ = 0; }

  /* Lets the model read tokens, in parts of up to kChunk. BAD_VALUE: they do not fit. */
  @{m}_status read(const int64_t* ids, size_t count) {
    if (count > kContext - size_) return @{M}_BAD_VALUE;
    for (size_t done = 0; done < count;) {
      const size_t part = count - done < kChunk ? count - done : kChunk;
      const @{m}_status status = run(ids + done, part);
      if (status != @{M}_OK) return status;
      done += part;
    }
    return @{M}_OK;
  }

  /* The next token, chosen by what the model said about the last one. */
  int64_t pick() {
    return @{n}_pick(m_.logits + last_row_ * kVocabulary, static_cast<int32_t>(kVocabulary),
                     &search_, m_.ids, size_, &random_, m_.order);
  }

  static bool is_end(int64_t id) { return @{ends}; }

  /* Reads a text, then generates up to `most` tokens, and gives the text of each to
     print(const char* text, size_t bytes). */
  template <class Print>
  @{m}_status talk(const char* text, size_t bytes, bool special, size_t most, Print print) {
    size_t count = 0;
    if (bytes > @{N}_PROMPT_BYTES ||
        @{n}_encode(text, bytes, special ? 1 : 0, m_.prompt, sizeof m_.prompt / sizeof *m_.prompt,
                    &count, m_.scratch, sizeof m_.scratch) != @{N}_OK)
      return @{M}_BAD_ARGUMENT;
    if (count == 0 && size_ == 0) return @{M}_BAD_VALUE;
    @{m}_status status = read(m_.prompt, count);
    Decoder decoder;
    while (status == @{M}_OK && most-- > 0 && !full()) {
      const int64_t id = pick();
      status = read(&id, 1);
      if (is_end(id)) break;
      decoder.next(id, print);
    }
    decoder.end(print);
    return status;
  }

 private:
  @{m}_status run(const int64_t* ids, size_t count) {
    const size_t total = size_ + count;
    for (size_t i = 0; i < count; ++i) {
      m_.ids[size_ + i] = ids[i];
      m_.positions[i] = static_cast<int64_t>(size_ + i);
    }
    for (size_t i = 0; i < total; ++i) m_.mask[i] = 1;
    @{m}_inputs in = {};
    @{m}_outputs out = {};
    int64_t dims[8] = {};
    in.@{ids} = m_.ids + size_;
    in.@{ids}_dims[0] = 1;
    in.@{ids}_dims[1] = static_cast<int64_t>(count);
    set_mask(in, m_.mask, static_cast<int64_t>(total));
    set_positions(in, m_.positions, static_cast<int64_t>(count));
    out.@{logits} = m_.logits;
    out.@{logits}_capacity = sizeof m_.logits / sizeof *m_.logits;
    out.@{logits}_dims = dims;
@{bindings}    const @{m}_status status = @{m}_run(&in, &out, m_.arena);
    if (status != @{M}_OK) return status;
    last_row_ = static_cast<size_t>(dims[1]) - 1;
    size_ = total;
    newest_ = 1 - newest_;
    return status;
  }

  Memory& m_;
  @{n}_search search_;
  uint64_t random_;
  size_t size_ = 0, last_row_ = 0;
  int newest_ = 0; /* which half of the caches the last run wrote */
};

}  // namespace @{n}
)";

constexpr std::string_view kBinding = R"(    in.@{past} = m_.@{past}[newest_];
    in.@{past}_dims[0] = 1;
    in.@{past}_dims[1] = static_cast<int64_t>(kHeads);
    in.@{past}_dims[2] = static_cast<int64_t>(size_);
    in.@{past}_dims[3] = static_cast<int64_t>(kHeadSize);
    out.@{present} = m_.@{past}[1 - newest_];
    out.@{present}_capacity = sizeof m_.@{past}[0] / sizeof *m_.@{past}[0];
)";

std::string of_layer(const std::string& pattern, std::int64_t layer) {
  std::string name = pattern;
  return identifier_from(name.replace(name.find("%d"), 2, std::to_string(layer))).text();
}

std::string upper(const std::string& identifier) {
  return upper_case(identifier_from(identifier)).text();
}

// Members for the caches, and the statements that bind them.
void add_caches(const ops::GenaiConfig& c, Values& values) {
  for (std::int64_t layer = 0; layer < c.layers; ++layer)
    for (const bool key : {true, false}) {
      const std::string past = of_layer(key ? c.past_key : c.past_value, layer);
      const std::string present = of_layer(key ? c.present_key : c.present_value, layer);
      values["caches"] +=
          fmt::format("  Element<decltype({}_outputs::{})>::type {}[2][{}_OUTPUT_{}_MAX_SIZE];\n",
                      values.at("m"), present, past, values.at("M"), upper(present));
      values["bindings"] += filled(kBinding, {{"past", past}, {"present", present}});
    }
}

Values names_of(const ops::GenaiConfig& c, const Identifier& name) {
  Values v = {{"n", name.text()},
              {"N", upper_case(name).text()},
              {"sample", c.sample ? "1" : "0"},
              {"best", std::to_string(c.top_k)},
              {"top_p", float_literal(static_cast<float>(c.top_p))},
              {"temperature", float_literal(static_cast<float>(c.temperature))},
              {"penalty", float_literal(static_cast<float>(c.repetition_penalty))}};
  return v;
}

}  // namespace

std::string generator_header(const ops::GenaiConfig& c, const Identifier& name,
                             const FileStem& stem, const std::string& model) {
  const auto model_stem = FileStem::from(model);
  if (!model_stem)
    throw FatalError(exit_code::usage, fmt::format("'{}' is no name for files", model));
  const Identifier m = identifier_from(model);
  Values v = names_of(c, name);
  v["m"] = m.text();
  v["M"] = upper_case(m).text();
  v["model"] = model_stem->text();
  v["stem"] = stem.text();
  v["first"] = upper(of_layer(c.past_key, 0));
  v["MASK"] = upper(c.attention_mask);
  v["ids"] = identifier_from(c.input_ids).text();
  v["IDS"] = upper(c.input_ids);
  v["mask"] = identifier_from(c.attention_mask).text();
  v["positions"] = identifier_from(c.position_ids).text();
  v["logits"] = identifier_from(c.logits).text();
  v["LOGITS"] = upper(c.logits);
  v["vocabulary"] = std::to_string(c.vocabulary);
  v["heads"] = std::to_string(c.heads);
  v["head_size"] = std::to_string(c.head_size);
  v["context"] = std::to_string(c.context);
  for (const std::int64_t end : c.ends)
    v["ends"] += fmt::format("{}id == {}", v["ends"].empty() ? "" : " || ", end);
  if (v["ends"].empty()) v["ends"] = "id < 0";
  add_caches(c, v);
  CodeWriter w;
  w.line("// {}_generate.hpp - generated by onnxc {}: text by {}. Do not edit.", stem,
         ONNXC_VERSION, *model_stem);
  w.raw_line(licence_line("// "));
  return w.take() + filled(kTop, v) + filled(kClass, v);
}

std::string generator_declarations(const ops::GenaiConfig& c, const Identifier& name) {
  return filled(kDeclarations, names_of(c, name));
}

std::string generator_functions(const Identifier& name) {
  return filled(kFunctions, {{"n", name.text()}});
}

}  // namespace onnxc
