// A conversation with a tiny language model: text in, text out, without a heap.
//   05_chat            asks a few questions
//   05_chat TEXT...    asks these, as one conversation
#include <cstdio>
#include <cstring>

#include "words_generate.hpp"

static words::Memory memory;  // all that the conversation needs

int main(int argc, char** argv) {
  const char* const examples[] = {"hello", "what colour is snow?", "what does a duck say?",
                                  "what is the capital of Japan?", "what is 2 and 3?"};
  const char* const* const first = argc > 1 ? argv + 1 : examples;
  const int count = argc > 1 ? argc - 1 : static_cast<int>(sizeof examples / sizeof *examples);
  words::Generator talk(memory);
  for (int i = 0; i < count; ++i) {
    // A conversation restarts when half of the context is used.
    if (talk.size() > words::kContext / 2) talk.clear();
    char prompt[256];
    const int bytes = std::snprintf(prompt, sizeof prompt,
                                    "%sYou: %s\nBot:", talk.size() > 0 ? "\n" : "", first[i]);
    if (bytes < 0 || bytes >= static_cast<int>(sizeof prompt)) return 2;
    std::printf("You: %s\nBot:", first[i]);
    const chat_status status =
        talk.talk(prompt, static_cast<size_t>(bytes), true, 40,
                  [](const char* text, size_t size) { std::fwrite(text, 1, size, stdout); });
    std::printf("\n");
    if (status != CHAT_OK) {
      std::printf("(%s)\n", chat_status_text(status));
      return 1;
    }
  }
  std::printf("\n%zu tokens of a context of %zu, %zu bytes of memory\n", talk.size(),
              words::kContext, sizeof memory);
  return 0;
}
