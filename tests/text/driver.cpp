// Runs a generated tokenizer on texts of standard input, each after a line with its size in bytes;
// writes a line of its tokens, and the text that they become: at once, and token by token.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokens.h"

static unsigned char scratch[TOKENS_SCRATCH_BYTES(1 << 16)];
static char text[1 << 16], back[1 << 20];
static int64_t ids[TOKENS_MOST_TOKENS(1 << 16)];

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static void write_hex(const char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) printf("%02x", static_cast<unsigned char>(bytes[i]));
  printf("\n");
}

// The same text, a token at a time.
static void check_stream(size_t count, const char* want, size_t bytes) {
  size_t at = 0;
  tokens::Decoder decoder;
  const auto print = [&](const char* more, size_t size) {
    if (at + size > bytes || memcmp(want + at, more, size) != 0) fail("streams differ");
    at += size;
  };
  for (size_t i = 0; i < count; ++i) decoder.next(ids[i], print);
  decoder.end(print);
  if (at != bytes) fail("a stream is shorter");
}

int main() {
  size_t bytes = 0;
  while (scanf("%zu", &bytes) == 1) {
    getchar();
    if (bytes > sizeof text || fread(text, 1, bytes, stdin) != bytes) fail("bad input");
    // No byte past what the header asks for is touched, wherever it begins.
    unsigned char* const memory = scratch + sizeof scratch - TOKENS_SCRATCH_BYTES(bytes);
    size_t count = 0, size = 0, again = 0;
    if (tokens_encode(text, bytes, 1, ids, TOKENS_MOST_TOKENS(bytes), &count, memory,
                      TOKENS_SCRATCH_BYTES(bytes)) != TOKENS_OK)
      fail("encode");
    if (count > 0 && tokens_encode(text, bytes, 1, ids, count - 1, &again, memory,
                                   TOKENS_SCRATCH_BYTES(bytes)) != TOKENS_TOO_SMALL)
      fail("too small");
    if (count > 0 && again != count) fail("another count");
    if (tokens_encode(text, bytes, 1, ids, count, &count, memory, TOKENS_SCRATCH_BYTES(bytes)) !=
        TOKENS_OK)
      fail("encode again");
    for (size_t i = 0; i < count; ++i)
      printf("%s%lld", i ? " " : "", static_cast<long long>(ids[i]));
    printf("\n");
    if (tokens_decode(ids, count, 1, back, sizeof back, &size) != TOKENS_OK) fail("decode");
    write_hex(back, size);
    check_stream(count, back, size);
  }
  return 0;
}
