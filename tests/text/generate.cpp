// Prints what a decoder says.
#include "words_generate.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static words::Memory memory;

// usage: main SEED MOST TEXT...; seed 0: the best tokens. Texts follow each other in one talk.
int main(int, char** argv) {
  words_search search = WORDS_SEARCH_DEFAULTS;
  search.seed = strtoull(argv[1], nullptr, 10);
  search.sample = search.seed != 0;
  words::Generator talk(memory, search);
  for (char** text = argv + 3; *text != nullptr; ++text) {
    const net_status status =
        talk.talk(*text, strlen(*text), true, strtoul(argv[2], nullptr, 10),
                  [](const char* part, size_t bytes) { fwrite(part, 1, bytes, stdout); });
    printf("\n");
    if (status != NET_OK) return 10 + static_cast<int>(status);
  }
  return 0;
}
