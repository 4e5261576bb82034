// StringToVector, VectorToString, StringMapping: tables written as lines of a text.
#include <algorithm>
#include <charconv>
#include <map>

#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"
#include "compiler/ops/text/vocabulary_constants.hpp"

namespace onnxc::ops::string_table {
namespace {

using Vector = std::vector<std::int64_t>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::string part;
  for (char c : text + at)
    if (c != at) {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(part);
      part.clear();
    }
  return parts;
}

// "word<tab>value" in each line.
std::vector<std::pair<std::string, std::string>> lines_of(const NodeView& n) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& line : split(n.attr_string("map"), '\n')) {
    const std::vector<std::string> parts = split(line, '\t');
    n.require(parts.size() == 2, "attribute \"map\"", "{} is no pair", quoted(line));
    out.emplace_back(parts[0], parts[1]);
  }
  n.require(!out.empty(), "attribute \"map\"", "is empty");
  return out;
}

Vector vector_of(const NodeView& n, const std::string& text, const std::string& field) {
  Vector out;
  for (const std::string& part : split(text, ' ')) {
    std::int64_t value = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, value);
    n.require(error == std::errc() && stop == end, field, "{} is no integer", quoted(part));
    out.push_back(value);
  }
  return out;
}

struct Table {
  std::map<std::string, Vector> rows;
  std::map<Vector, std::string> words;
  std::int64_t width = 0;
};

Table table_of(const NodeView& n) {
  Table t;
  for (const auto& [word, values] : lines_of(n)) {
    const Vector row = vector_of(n, values, "attribute \"map\"");
    if (t.rows.empty()) t.width = static_cast<std::int64_t>(row.size());
    n.require(!row.empty() && static_cast<std::int64_t>(row.size()) == t.width, "attribute \"map\"",
              "{} has {} numbers, not {}", quoted(word), row.size(), t.width);
    t.rows[word] = row;
    t.words[row] = word;
  }
  return t;
}

// ---- StringToVector -------------------------------------------------------------------------

Vector unknown_of(const NodeView& n, std::int64_t width) {
  const Vector out = vector_of(n, n.attr_string("unk"), "attribute \"unk\"");
  n.require(static_cast<std::int64_t>(out.size()) == width, "attribute \"unk\"",
            "has {} numbers, not {}", out.size(), width);
  return out;
}

void infer_vector(Infer& n) {
  const Table t = table_of(n);
  unknown_of(n, t.width);
  if (!n.has_rank(0)) return n.output(0, ElemType::int64, std::nullopt);
  Shape out = n.shape(0);
  out.push_back(t.width);
  n.output(0, ElemType::int64, out);
}

void lower_vector(Lower& n) {
  const Table t = table_of(n);
  Vocabulary words;
  Vector values;
  for (const auto& [word, row] : t.rows) {
    words.emplace_back(word, static_cast<std::int32_t>(words.size()));
    values.insert(values.end(), row.begin(), row.end());
  }
  for (std::int64_t v : unknown_of(n, t.width)) values.push_back(v);
  const auto entries = static_cast<std::int64_t>(words.size());
  Call call =
      n.call("string_to_vector", StringTableShape<Dim>{product(n.shape(0)), entries, t.width});
  add_tree(n, call.in(0), prefix_tree(words));
  call.read(n.constant(Tensor::ints(values), "rows")).out(0);
}

// ---- VectorToString -------------------------------------------------------------------------

void infer_string(Infer& n) {
  const Table t = table_of(n);
  if (!n.has_rank(0)) return n.output(0, ElemType::string, std::nullopt);
  Shape out = n.shape(0);
  if (t.width != 1 || out.size() > 1) {
    n.require(!out.empty(), "input 0 \"X\"", "is a scalar");
    n.same(t.width, out.back(), "input 0 \"X\"");
    out.pop_back();
  }
  n.output(0, ElemType::string, out);
}

void lower_string(Lower& n) {
  const Table t = table_of(n);
  std::vector<std::string> words;
  Vector values;
  for (const auto& [row, word] : t.words) {
    words.push_back(word);
    values.insert(values.end(), row.begin(), row.end());
  }
  const auto entries = static_cast<std::int64_t>(words.size());
  words.push_back(n.attr_string("unk"));
  n.call("vector_to_string", StringTableShape<Dim>{product(n.out_shape(0)), entries, t.width})
      .in(0)
      .read(n.constant(Tensor::ints(values), "rows"))
      .read(n.constant(Tensor({entries + 1}, std::move(words)), "words"))
      .out(0);
}

// ---- StringMapping --------------------------------------------------------------------------

void infer_mapping(Infer& n) {
  lines_of(n);
  infer_like_first(n);
}

void lower_mapping(Lower& n) {
  std::map<std::string, std::string> pairs;
  for (auto& [word, value] : lines_of(n)) pairs[word] = value;
  Vocabulary keys;
  std::vector<std::string> words;
  for (const auto& [word, value] : pairs) {
    keys.emplace_back(word, static_cast<std::int32_t>(words.size()));
    words.push_back(value);
  }
  const auto entries = static_cast<std::int64_t>(words.size());
  Call call = n.call("string_mapping", CountShape<Dim>{product(n.shape(0))});
  add_tree(n, call.in(0), prefix_tree(keys));
  call.read(n.constant(Tensor({entries}, std::move(words)), "words")).out(0);
}

constexpr Op rows[] = {extension({.name = "StringMapping",
                                  .inputs = "X:string",
                                  .outputs = "Y:string",
                                  .attributes = "map:string!",
                                  .infer = infer_mapping,
                                  .lower = lower_mapping}),
                       extension({.name = "StringToVector",
                                  .inputs = "X:string",
                                  .outputs = "Y:int64",
                                  .attributes = "map:string! unk:string!",
                                  .infer = infer_vector,
                                  .lower = lower_vector}),
                       extension({.name = "VectorToString",
                                  .inputs = "X:int64",
                                  .outputs = "Y:string",
                                  .attributes = "map:string! unk:string!",
                                  .infer = infer_string,
                                  .lower = lower_string})};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_table
