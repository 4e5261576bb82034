// TfIdfVectorizer: counts the n-grams of a pool in sequences of integers or strings.
#include <algorithm>
#include <numeric>

#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc::ops::tf_idf_vectorizer {
namespace {

using Ints = std::vector<std::int64_t>;

// Larger values are errors, and sums of values below it cannot overflow.
constexpr std::int64_t kMax = std::int64_t{1} << 31;

struct Pool {
  std::int64_t least = 0, most = 0;  // lengths of n-grams
  bool of_strings = false;
  Ints begin, token_begin;  // index of the first n-gram and token of each length
  Ints tokens;
  std::vector<std::string> words;
  Ints places;
  std::vector<float> weights;
  std::int64_t width = 0;
};

void read_lengths(const NodeView& n, Pool& pool) {
  const Ints& starts = n.attr_ints("ngram_counts");
  pool.least = n.attr_int("min_gram_length");
  pool.most = n.attr_int("max_gram_length");
  n.require(pool.least >= 1 && pool.least <= pool.most, "attribute \"min_gram_length\"",
            "{} to {} is no range of lengths", pool.least, pool.most);
  const auto lengths = static_cast<std::int64_t>(starts.size());
  n.require(pool.most <= lengths, "attribute \"max_gram_length\"",
            "{}, but ngram_counts has {} lengths", pool.most, lengths);
  const auto size =
      static_cast<std::int64_t>(pool.of_strings ? pool.words.size() : pool.tokens.size());
  pool.begin.push_back(0);
  for (std::int64_t i = 0; i < lengths; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t start = starts[at], end = i + 1 < lengths ? starts[at + 1] : size;
    n.require(start >= 0 && start <= end && end <= size, "attribute \"ngram_counts\"",
              "{} to {} lies outside of the pool of {}", start, end, size);
    n.require((end - start) % (i + 1) == 0, "attribute \"ngram_counts\"",
              "{} elements do not make {}-grams", end - start, i + 1);
    pool.token_begin.push_back(start);
    pool.begin.push_back(pool.begin.back() + (end - start) / (i + 1));
  }
}

void read_places(const NodeView& n, Pool& pool) {
  pool.places = n.attr_ints("ngram_indexes");
  const auto grams = static_cast<std::int64_t>(pool.places.size());
  n.require(grams == pool.begin.back(), "attribute \"ngram_indexes\"",
            "has {}, the pool {} n-grams", grams, pool.begin.back());
  for (std::int64_t place : pool.places) {
    n.require(place >= 0 && place < kMax, "attribute \"ngram_indexes\"", "{} is no place", place);
    pool.width = std::max(pool.width, place + 1);
  }
  n.require(grams > 0, "attribute \"ngram_indexes\"", "is empty");
  pool.weights.assign(pool.places.size(), 1.0f);
  if (!n.has_attr("weights") || n.attr_string("mode") == "TF") return;
  const auto& weights = n.attr_floats("weights");
  n.require(weights.size() == pool.places.size(), "attribute \"weights\"", "has {} for {} n-grams",
            weights.size(), pool.places.size());
  pool.weights = weights;
}

Pool read_pool(const NodeView& n) {
  const std::string& mode = n.attr_string("mode");
  n.require(mode == "TF" || mode == "IDF" || mode == "TFIDF", "attribute \"mode\"",
            "{} is none of TF, IDF, TFIDF", quoted(mode));
  n.require(n.attr_int("max_skip_count") >= 0, "attribute \"max_skip_count\"", "is negative");
  Pool pool;
  if (n.has_attr("pool_strings")) pool.words = n.attr_strings("pool_strings");
  if (n.has_attr("pool_int64s")) pool.tokens = n.attr_ints("pool_int64s");
  pool.of_strings = n.input(0).elem == ElemType::string;
  n.require(pool.of_strings ? pool.tokens.empty() : pool.words.empty(), "inputs",
            "X has other elements than the pool");
  read_lengths(n, pool);
  read_places(n, pool);
  return pool;
}

template <class T>
void sort_length(Pool& pool, std::vector<T>& tokens, std::size_t length) {
  const auto first = static_cast<std::size_t>(pool.begin[length - 1]);
  const auto count = static_cast<std::size_t>(pool.begin[length]) - first;
  const auto token = tokens.begin() + pool.token_begin[length - 1];
  const auto gram = [&](std::size_t g) {
    const auto start = token + static_cast<std::ptrdiff_t>(g * length);
    return std::vector<T>(start, start + static_cast<std::ptrdiff_t>(length));
  };
  std::vector<std::pair<std::vector<T>, std::size_t>> order;
  for (std::size_t g = 0; g < count; ++g) order.emplace_back(gram(g), first + g);
  std::sort(order.begin(), order.end());
  const Ints places = pool.places;
  const std::vector<float> weights = pool.weights;
  for (std::size_t g = 0; g < count; ++g) {
    std::copy(order[g].first.begin(), order[g].first.end(),
              token + static_cast<std::ptrdiff_t>(g * length));
    pool.places[first + g] = places[order[g].second];
    pool.weights[first + g] = weights[order[g].second];
  }
}

void infer(Infer& n) {
  const Pool pool = read_pool(n);
  if (!n.has_rank(0)) return n.output(0, ElemType::float32, std::nullopt);
  Shape out = n.shape(0);
  n.require(out.size() == 1 || out.size() == 2, "input 0 \"X\"", "has rank {}, not 1 or 2",
            out.size());
  out.back() = pool.width;
  n.output(0, ElemType::float32, out);
}

Shape to_dims(const Ints& values) { return Shape(values.begin(), values.end()); }

void lower(Lower& n) {
  Pool pool = read_pool(n);
  for (std::size_t length = 1; length < pool.begin.size(); ++length) {
    if (pool.of_strings)
      sort_length(pool, pool.words, length);
    else
      sort_length(pool, pool.tokens, length);
  }
  const auto grams = static_cast<std::int64_t>(pool.places.size());
  const auto words = static_cast<std::int64_t>(pool.words.size());
  const BufferId tokens =
      n.constant(pool.of_strings ? Tensor({words}, pool.words) : Tensor::ints(pool.tokens), "pool");
  const Shape& x = n.shape(0);
  Call call =
      n.call("tf_idf", TfIdfShape<Dim>{.rows = x.size() == 2 ? x[0] : Dim(1),
                                       .columns = x.back(),
                                       .width = pool.width,
                                       .grams = grams,
                                       .least = pool.least,
                                       .most = pool.most,
                                       .max_skips = std::min(n.attr_int("max_skip_count"), kMax),
                                       .binary = n.attr_string("mode") == "IDF",
                                       .begin = to_dims(pool.begin),
                                       .token_begin = to_dims(pool.token_begin)});
  call.in(0).read(tokens).read(n.constant(Tensor::ints(pool.places), "places"));
  call.read(n.constant(Tensor::of<float>(ElemType::float32, {grams}, pool.weights), "weights"));
  call.out(0).write(n.scratch(ElemType::int64, grams, "counts"));
}

constexpr Op rows[] = {{
    .name = "TfIdfVectorizer",
    .versions = "9",
    .inputs = "X:T",
    .outputs = "Y:T1",
    .types = "T: string int32 int64; T1: float",
    .attributes = "max_gram_length:int! max_skip_count:int! min_gram_length:int! mode:string! "
                  "ngram_counts:ints! ngram_indexes:ints! pool_int64s:ints pool_strings:strings "
                  "weights:floats",
    .infer = infer,
    .lower = lower,
}};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::tf_idf_vectorizer
