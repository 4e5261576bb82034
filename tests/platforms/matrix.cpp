// Runs the models of matrix_test.sh: self tests, strings, and the same results from each form of
// the weights and with two threads. Prints what is wrong, else "right".
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "models.h"

// A system without threads: pools have one.
#if defined(MATRIX_NO_THREADS)
extern "C" {
int onnxc_thread_start(void (*)(void*), void*, void**) { return 1; }
void onnxc_thread_wait(void) {}
void onnxc_thread_wake(void*) {}
void onnxc_thread_yield(void) {}
}
#endif

namespace {

bool right = true;

void require(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  right = false;
}

template <std::size_t N>
struct Memory {
  alignas(64) unsigned char bytes[N];
};

#define MODEL(name, NAME)                                                         \
  void test_##name() {                                                            \
    static Memory<NAME##_ARENA_BYTES + 1> arena;                                  \
    static Memory<NAME##_SELFTEST_BYTES + 1> outputs;                             \
    name##_difference d;                                                          \
    require(name##_selftest(arena.bytes, outputs.bytes, &d) == NAME##_OK, #name); \
  }
#include "models.inc"
#undef MODEL

float picture[16 * 16];
float want[4];

// The example 02 with weights of one form.
#define SHAPES(name, NAME, weights)                                               \
  void run_##name() {                                                             \
    static Memory<NAME##_ARENA_BYTES + 1> arena;                                  \
    static Memory<NAME##_POOL_BYTES> memory;                                      \
    name##_pool* const pool = name##_pool_start(memory.bytes, 2);                 \
    require(pool != nullptr, #name ": a pool");                                   \
    for (int again = 0; again < 20; ++again) {                                    \
      float got[4] = {};                                                          \
      name##_inputs in = {};                                                      \
      name##_outputs out = {};                                                    \
      in.picture = picture;                                                       \
      weights;                                                                    \
      out.probability = got;                                                      \
      in.pool_ = again % 2 != 0 ? pool : nullptr;                                 \
      require(name##_run(&in, &out, arena.bytes) == NAME##_OK, #name);            \
      if (want[0] == 0.0f) std::memcpy(want, got, sizeof want);                   \
      require(std::memcmp(want, got, sizeof want) == 0, #name ": other results"); \
    }                                                                             \
    name##_pool_stop(pool);                                                       \
  }

SHAPES(shapes_inline, SHAPES_INLINE, )
#if defined(MATRIX_STRING)
SHAPES(shapes_string, SHAPES_STRING, )
#endif
#if defined(MATRIX_INCBIN)
SHAPES(shapes_incbin, SHAPES_INCBIN, )
#endif
#if defined(MATRIX_EXTERN)
alignas(64) const unsigned char file[] = {
#include "shapes_extern.inc"
};
SHAPES(shapes_extern, SHAPES_EXTERN, in.weights_ = file)
#endif

words_string word(const char* text) {
  words_string w = {};
  w.data = text;
  w.size = static_cast<std::int64_t>(std::strlen(text));
  return w;
}

void run_words() {
  static Memory<WORDS_ARENA_BYTES + 1> arena;
  const words_string x[4] = {word("\xc3\x89"
                                  "A"),
                             word("\xd0\xbf\xd1\x80\xd0\xb8"), word("\xcf\x83"), word("abc")};
  const char* const expected[3] = {"\xd0\x9f\xd0\xa0\xd0\x98", "\xce\xa3", "ABC"};
  words_string y[4] = {};
  y[3] = word("kept");
  char text[64];
  words_inputs in = {};
  words_outputs out = {};
  in.x = x;
  out.y = y;
  out.y_text = text;
  out.y_text_capacity = sizeof text;
  require(words_run(&in, &out, arena.bytes) == WORDS_OK, "words");
  for (int i = 0; i < 3; ++i)
    require(y[i].size == static_cast<std::int64_t>(std::strlen(expected[i])) &&
                std::memcmp(y[i].data, expected[i], std::strlen(expected[i])) == 0,
            "words: another text");
  require(std::strcmp(y[3].data, "kept") == 0, "words: past the end");
}

}  // namespace

int main() {
#define MODEL(name, NAME) test_##name();
#include "models.inc"
#undef MODEL
  for (int i = 0; i < 256; ++i) picture[i] = static_cast<float>(i * 7 % 16) / 16.0f;
  run_shapes_inline();
#if defined(MATRIX_STRING)
  run_shapes_string();
#endif
#if defined(MATRIX_INCBIN)
  run_shapes_incbin();
#endif
#if defined(MATRIX_EXTERN)
  run_shapes_extern();
#endif
  run_words();
  if (right) std::puts("right");
  return right ? 0 : 1;
}
