// Measures a token, or a prompt, of a compiled language model, and a streaming read of the bytes
// that it needs.
//
// usage: language_model WEIGHTS PAST STEPS
// Prints the least and the median time of a call after PAST other tokens, the least time of the
// read in the same number of threads, all in milliseconds, the bytes, and the peak of memory in
// bytes. language_model.py compiles it with the code of a model and with caches.inc, which lists
// the caches as CACHE(input, output).
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "net.h"

namespace {

#ifdef NET_THREADS
constexpr std::size_t threads = NET_THREADS;
#else
constexpr std::size_t threads = 1;
#endif
constexpr std::size_t capacity = NET_INPUT_ATTENTION_MASK_MAX_SIZE;
constexpr std::size_t tokens = NET_INPUT_INPUT_IDS_SIZE;

// Memory in large pages, which save looking addresses up. Never freed.
void* large_pages(std::size_t size) {
  constexpr std::size_t page = std::size_t{2} << 20;
  size = (size + page - 1) / page * page;
  void* const memory = std::aligned_alloc(page, size);
  if (memory == nullptr) std::exit(3);
  madvise(memory, size, MADV_HUGEPAGE);
  std::memset(memory, 0, size);
  return memory;
}

template <class F>
double milliseconds(F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

// The exclusive or of `count` bytes: a chain for every word of a few cache lines.
std::uint64_t read_all(const unsigned char* bytes, std::size_t count) {
  constexpr std::size_t words = 32;
  std::uint64_t chains[words] = {}, line[words], all = 0;
  for (std::size_t at = 0; at + sizeof line <= count; at += sizeof line) {
    std::memcpy(line, bytes + at, sizeof line);
    for (std::size_t i = 0; i < words; ++i) chains[i] ^= line[i];
  }
  for (const std::uint64_t c : chains) all ^= c;
  return all;
}

// The least time of a read by all threads, which wait for each other at the beginning.
double read_time(const unsigned char* bytes, std::size_t count, std::size_t rounds) {
  std::atomic<std::size_t> started{0}, ended{0};
  std::atomic<std::uint64_t> all{0};
  const auto read = [&](std::size_t number) {
    const std::size_t share = count / threads;
    all ^= read_all(bytes + number * share, share);
  };
  std::vector<std::thread> others;
  for (std::size_t n = 1; n < threads; ++n)
    others.emplace_back([&, n] {
      for (std::size_t round = 1; round <= rounds; ++round) {
        while (started.load() < round) {
        }
        read(n);
        ++ended;
      }
    });
  double least = 1e9;
  for (std::size_t round = 1; round <= rounds; ++round)
    least = std::min(least, milliseconds([&] {
                       started = round;
                       read(0);
                       while (ended.load() < round * (threads - 1)) {
                       }
                     }));
  for (std::thread& other : others) other.join();
  return least;
}

template <std::size_t Rank>
std::size_t elements(const std::int64_t (&shape)[Rank]) {
  std::int64_t product = 1;
  for (const std::int64_t n : shape) product *= n;
  return static_cast<std::size_t>(product);
}

// All caches, one after the other: large pages of their own would take more memory than they.
float* next_cache(std::size_t size) {
  std::size_t all = 0;
#define CACHE(input, output) all += elements(net::in::input::shape);
#include "caches.inc"
#undef CACHE
  static float* next = static_cast<float*>(large_pages(all * sizeof(float)));
  next += size;
  return next - size;
}

// A cache in place with small numbers, and the bytes of it that belong to `past` tokens.
float* cache(std::size_t size, std::size_t past, std::size_t& used) {
  float* const memory = next_cache(size);
  for (std::size_t i = 0; i < size; ++i)
    memory[i] = static_cast<float>(i * 2654435761u % 2001) / 1000.0f - 1.0f;
  used += size / capacity * past * sizeof(float);
  return memory;
}

struct Model {
  net_inputs in{};
  net_outputs out{};
  std::vector<std::int64_t> ids = std::vector<std::int64_t>(tokens);
  std::vector<std::int64_t> mask = std::vector<std::int64_t>(capacity, 1);
  std::vector<float> logits = std::vector<float>(NET_OUTPUT_LOGITS_SIZE);
  std::size_t bytes = NET_WEIGHTS_BYTES;

  Model(const void* weights, std::size_t past) {
    for (std::size_t i = 0; i < tokens; ++i) ids[i] = static_cast<std::int64_t>(i * 7919 % 40000);
    in.input_ids = ids.data();
    in.attention_mask = mask.data();
    in.attention_mask_dims[0] = 1;
    in.attention_mask_dims[1] = static_cast<std::int64_t>(past + tokens);
    in.weights_ = weights;
    out.logits = logits.data();
#define CACHE(input, output) \
  in.input = out.output = cache(elements(net::in::input::shape), past, bytes);
#include "caches.inc"
#undef CACHE
  }
};

alignas(NET_ARENA_ALIGN) unsigned char arena[NET_ARENA_BYTES];
#ifdef NET_THREADS
alignas(NET_ARENA_ALIGN) unsigned char pool[NET_POOL_BYTES];
#endif

// That of this program alone: getrusage counts what ran before it in the same process.
std::size_t peak_memory() {
  std::ifstream status("/proc/self/status");
  std::size_t kilobytes = 0;
  for (std::string word; status >> word;)
    if (word == "VmHWM:") status >> kilobytes;
  return kilobytes * 1024;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const auto past = static_cast<std::size_t>(std::atoi(words[2]));
  const auto steps = static_cast<std::size_t>(std::max(1, std::atoi(words[3])));
  void* const weights = large_pages(NET_WEIGHTS_BYTES);
  std::ifstream file(words[1], std::ios::binary);
  if (!file.read(static_cast<char*>(weights), NET_WEIGHTS_BYTES)) return 2;
  Model model(weights, past);
#ifdef NET_THREADS
  model.in.pool_ = net_pool_start(pool, NET_THREADS);
#endif
  std::vector<double> times;
  for (std::size_t i = 0; i < steps; ++i) {
    net_status status = NET_OK;
    times.push_back(milliseconds([&] { status = net_run(&model.in, &model.out, arena); }));
    if (status != NET_OK) return std::fprintf(stderr, "%s\n", net_status_text(status)), 1;
  }
#ifdef NET_THREADS
  net_pool_stop(model.in.pool_);
#endif
  const std::size_t peak = peak_memory();
  std::sort(times.begin(), times.end());
  const auto* const bytes = static_cast<const unsigned char*>(large_pages(model.bytes));
  std::printf("%g %g %g %zu %zu\n", times[0], times[steps / 2],
              read_time(bytes, model.bytes, steps), model.bytes, peak);
}
