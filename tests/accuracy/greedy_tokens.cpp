// Runs a compiled language model over all positions and writes the logits of each.
//
// usage: greedy_tokens TOKENS LOGITS
//     TOKENS: an int64 for each position; -1 stands for the greedy token of the position before
//     LOGITS: gets float32, a row for each position
// greedy_tokens.py compiles it with the code of a model and with caches.inc, which lists the caches
// as CACHE(input, output). IN_PLACE: whether the model updates them where they are.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

#include "net.h"

namespace {

constexpr std::size_t tokens_of_step = NET_INPUT_INPUT_IDS_SIZE;
constexpr std::size_t capacity = NET_INPUT_ATTENTION_MASK_MAX_SIZE;
constexpr std::size_t vocabulary = NET_OUTPUT_LOGITS_SIZE / tokens_of_step;

std::vector<std::int64_t> read_tokens(const char* path) {
  std::vector<std::int64_t> tokens(capacity);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(tokens.data()),
            static_cast<std::streamsize>(capacity * sizeof tokens[0]));
  if (!file) tokens.clear();
  return tokens;
}

template <std::size_t Rank>
std::size_t elements(const std::int64_t (&shape)[Rank]) {
  std::int64_t product = 1;
  for (const std::int64_t n : shape) product *= n;
  return static_cast<std::size_t>(product);
}

// A cache that a step reads, and the memory that it writes.
struct Cache {
  explicit Cache(std::size_t size) : past(size), present(IN_PLACE ? 0 : size) {}

  float* out() { return IN_PLACE ? past.data() : present.data(); }

  std::vector<float> past, present;
};

class Model {
 public:
  Model() {
    in_.attention_mask = mask_.data();
    in_.attention_mask_dims[0] = 1;
    out_.logits = logits_.data();
#ifdef NET_THREADS
    in_.pool_ = net_pool_start(pool_, NET_THREADS);
#endif
  }

  ~Model() {
#ifdef NET_THREADS
    net_pool_stop(in_.pool_);
#endif
  }

  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // Tokens that follow `past` earlier ones.
  net_status step(const std::int64_t* ids, std::size_t past) {
    in_.input_ids = ids;
    in_.attention_mask_dims[1] = static_cast<std::int64_t>(past + tokens_of_step);
#define CACHE(input, output)        \
  in_.input = input##_.past.data(); \
  out_.output = input##_.out();
#include "caches.inc"
#undef CACHE
    const net_status status = net_run(&in_, &out_, arena_);
    if (!IN_PLACE) {
#define CACHE(input, output) input##_.past.swap(input##_.present);
#include "caches.inc"
#undef CACHE
    }
    return status;
  }

  const std::vector<float>& logits() const { return logits_; }

  std::int64_t greedy() const {
    return std::max_element(logits_.end() - vocabulary, logits_.end()) -
           (logits_.end() - vocabulary);
  }

 private:
#define CACHE(input, output) Cache input##_{elements(net::in::input::shape)};
#include "caches.inc"
#undef CACHE

  alignas(NET_ARENA_ALIGN) unsigned char arena_[NET_ARENA_BYTES];
#ifdef NET_THREADS
  alignas(NET_ARENA_ALIGN) unsigned char pool_[NET_POOL_BYTES];
#endif
  std::vector<std::int64_t> mask_ = std::vector<std::int64_t>(capacity, 1);
  std::vector<float> logits_ = std::vector<float>(NET_OUTPUT_LOGITS_SIZE);
  net_inputs in_{};
  net_outputs out_{};
};

int run(std::vector<std::int64_t>& tokens, std::ofstream& file) {
  static Model model;
  for (std::size_t past = 0; past < capacity; past += tokens_of_step) {
    if (tokens[past] < 0) tokens[past] = model.greedy();
    const net_status status = model.step(&tokens[past], past);
    if (status != NET_OK) {
      std::fprintf(stderr, "position %zu: %s\n", past, net_status_text(status));
      return 1;
    }
    file.write(reinterpret_cast<const char*>(model.logits().data()),
               static_cast<std::streamsize>(NET_OUTPUT_LOGITS_SIZE * sizeof(float)));
  }
  return file.flush() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  std::vector<std::int64_t> tokens = read_tokens(words[1]);
  std::ofstream file(words[2], std::ios::binary);
  return tokens.empty() ? 2 : run(tokens, file);
}
