// StringNormalizer: removes stop words and changes the case of the rest.
#include <algorithm>

#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "templates/text/code_point.hpp"
#include "templates/text/letter_case.hpp"

namespace onnxc::ops::string_normalizer {
namespace {

// Case mapping follows Unicode for single characters, as in most languages.
void check_locale(const NodeView& n) {
  if (!n.has_attr("locale")) return;
  const std::string language = n.attr_string("locale").substr(0, 2);
  if (language == "tr" || language == "az" || language == "lt")
    n.unsupported("attribute \"locale\"", "the case rules of " + quoted(language));
}

void infer(Infer& n) {
  const std::string& action = n.attr_string("case_change_action");
  n.require(action == "LOWER" || action == "UPPER" || action == "NONE",
            "attribute \"case_change_action\"", "{} is none of LOWER, UPPER, NONE", quoted(action));
  check_locale(n);
  if (!n.has_rank(0)) return n.output(0, ElemType::string, std::nullopt);
  Shape out = n.shape(0);
  n.require(out.size() == 1 || out.size() == 2, "input 0 \"X\"", "has rank {}, not 1 or 2",
            out.size());
  if (out.size() == 2) out[0] = n.same(Dim(1), out[0], "input 0 \"X\"");
  out.back() = n.unknown_extent(Dim::max(out.back(), 1));
  n.output(0, ElemType::string, out);
}

std::string lower_case(const std::string& word) {
  std::string out;
  for (const char *p = word.data(), *end = p + word.size(); p < end;) {
    const CodePoint c = code_point_at(p, end);
    char bytes[4];
    out.append(bytes, put_code_point(bytes, to_lower(c.value)));
    p += c.bytes;
  }
  return out;
}

// Valid UTF-8 sorts by bytes in the order of its code points.
bool before(const std::string& a, const std::string& b, bool by_bytes) {
  if (by_bytes) return a < b;
  std::vector<std::int32_t> points[2];
  for (const std::string* s : {&a, &b})
    for (const char *p = s->data(), *end = p + s->size(); p < end;) {
      const CodePoint c = code_point_at(p, end);
      points[s == &b].push_back(c.value);
      p += c.bytes;
    }
  return points[0] < points[1];
}

std::vector<std::string> stop_words(const Lower& n, bool case_sensitive) {
  if (!n.has_attr("stopwords")) return {};
  std::vector<std::string> words = n.attr_strings("stopwords");
  if (!case_sensitive)
    for (std::string& w : words) w = lower_case(w);
  std::sort(words.begin(), words.end(),
            [&](const auto& a, const auto& b) { return before(a, b, case_sensitive); });
  return words;
}

void lower(Lower& n) {
  const bool case_sensitive = n.attr_int("is_case_sensitive") != 0;
  const std::string& action = n.attr_string("case_change_action");
  std::vector<std::string> words = stop_words(n, case_sensitive);
  const auto word_count = static_cast<std::int64_t>(words.size());
  const BufferId constant = n.constant(Tensor({word_count}, std::move(words)), "stopwords");
  const Dim count = product(n.shape(0));
  n.call("string_normalizer_extents",
         StringNormalizerExtentsShape<Dim>{count, word_count, case_sensitive})
      .in(0)
      .read(constant)
      .extents({n.out_shape(0).back()});
  n.call("string_normalizer", StringNormalizerShape<Dim>{count, word_count, case_sensitive,
                                                         action == "UPPER", action == "LOWER"})
      .in(0)
      .read(constant)
      .out(0)
      .heap();
}

constexpr Op rows[] = {{
    .name = "StringNormalizer",
    .versions = "10",
    .inputs = "X:string",
    .outputs = "Y:string",
    .attributes = "case_change_action:string=NONE is_case_sensitive:int=0 locale:string "
                  "stopwords:strings",
    .limits = "locales with case rules of their own (tr, az, lt)",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_normalizer
