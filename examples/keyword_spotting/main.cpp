// Which word was said? Features of recorded words go through an 8-bit network on a bare Cortex-M4F.
// No heap: all memory is in the two arrays below.
#include <cstddef>
#include <cstdint>

#include "keywords.h"
#include "startup.hpp"
#include "words.h"

// The linker makes these two for a section whose name is an identifier: CMakeLists.txt puts the
// weights, and the data of the self test, into one.
extern "C" const std::uint8_t __start_keywords_weights[], __stop_keywords_weights[];

namespace {

alignas(KEYWORDS_ARENA_ALIGN) std::uint8_t arena[KEYWORDS_ARENA_BYTES];
alignas(KEYWORDS_ARENA_ALIGN) std::uint8_t selftest_memory[KEYWORDS_SELFTEST_BYTES];

void print_number(std::uint32_t n) {
  char digits[11] = "";
  std::size_t at = sizeof digits - 1;
  do {
    digits[--at] = static_cast<char>('0' + n % 10);
    n /= 10;
  } while (n > 0);
  print(digits + at);
}

void print_bytes(const char* what, std::uint32_t bytes) {
  print(what);
  print_number(bytes);
  print(" bytes\n");
}

// The index of the word, or WORDS after an error.
int recognise(const std::int8_t (&features)[KEYWORDS_INPUT_FEATURES_SIZE]) {
  std::int8_t logits[WORDS];
  if (keywords::run(features, logits, arena) != KEYWORDS_OK) return WORDS;
  int best = 0;
  for (int i = 1; i < WORDS; ++i) {
    if (logits[i] > logits[best]) best = i;
  }
  return best;
}

bool passes_selftest() {
  keywords_difference difference = {};
  const int status = keywords_selftest(arena, selftest_memory, &difference);
  print(status == KEYWORDS_OK ? "self test: pass\n" : "self test: failed\n");
  return status == KEYWORDS_OK;
}

}  // namespace

extern "C" int app_main() {
  print_bytes("arena: ", KEYWORDS_ARENA_BYTES);
  print_bytes("stack: at most ", KEYWORDS_STACK_BYTES);
  print_bytes("code: ", KEYWORDS_CODE_BYTES);
  const auto weights = __stop_keywords_weights - __start_keywords_weights;
  print_bytes("weights and the self test's data: ", static_cast<std::uint32_t>(weights));
  if (!passes_selftest()) return 1;
  int right = 0;
  for (int said = 0; said < WORDS; ++said) {
    const int heard = recognise(kRecorded[said]);
    if (heard == WORDS) return 2;
    print("said ");
    print(kWordNames[said]);
    print(", heard ");
    print(kWordNames[heard]);
    print("\n");
    right += heard == said;
  }
  return right == WORDS ? 0 : 3;
}
