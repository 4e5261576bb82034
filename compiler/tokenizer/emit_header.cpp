// base.h of a tokenizer, for C and C++, and the functions that it declares.
#include "compiler/tokenizer/emit_header.hpp"

#include "compiler/emit/licence.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

// %N and %P stand for the name and for the name in upper case.
std::string with_name(const char* text, const Identifier& name) {
  std::string out;
  for (const char* p = text; *p != '\0'; ++p)
    if (*p == '%' && (p[1] == 'N' || p[1] == 'P'))
      out += *++p == 'N' ? name.text() : upper_case(name).text();
    else
      out += *p;
  return out;
}

constexpr const char* kTokenizerDeclarations = R"(
#include <stddef.h>
#include <stdint.h>

#ifndef ONNXC_API
#define ONNXC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  %P_OK = 0,
  %P_BAD_ARGUMENT = 1, /* a null pointer, too little scratch memory, too long a text */
  %P_BAD_VALUE = 5,    /* text that has no token, and there is no unknown one */
  %P_TOO_SMALL = 6     /* the memory for the result; its size says what it takes */
} %N_status;

/* The tokens of a text, with the special ones around it if `special` is not 0. *count is how many
   they are, also with %P_TOO_SMALL. `scratch` is memory of %P_SCRATCH_BYTES(bytes). */
ONNXC_API %N_status %N_encode(const char* text, size_t bytes, int special, int64_t* ids,
                              size_t capacity, size_t* count, void* scratch,
                              size_t scratch_bytes);

/* The text of tokens, in UTF-8 and without a terminating zero; special ones are left out if
   `skip_special` is not 0, numbers without a token always. */
ONNXC_API %N_status %N_decode(const int64_t* ids, size_t count, int skip_special, char* text,
                              size_t capacity, size_t* bytes);

/* The same a token at a time; all zeros before the first one. A character that is not complete is
   held back. A token adds at most %P_TOKEN_TEXT_BYTES, the end 3. */
typedef struct {
  unsigned char pending[4];
  unsigned char pending_count, started, stripped, written;
} %N_decoder;
ONNXC_API %N_status %N_decode_next(%N_decoder* decoder, int64_t id, int skip_special, char* text,
                                   size_t capacity, size_t* bytes);
ONNXC_API %N_status %N_decode_end(%N_decoder* decoder, char* text, size_t capacity,
                                  size_t* bytes);

/* The number of a token by its text: of a special one, or of a word that is one token; -1: none. */
ONNXC_API int64_t %N_id(const char* text, size_t bytes);

#ifdef __cplusplus
}

namespace %N {

/* Containers with data() and size(); returns the status, `count` as above. */
template <class Text, class Ids, class Scratch>
inline %N_status encode(const Text& text, Ids& ids, size_t& count, Scratch& scratch,
                        bool special = true) {
  return %N_encode(text.data(), text.size(), special ? 1 : 0, ids.data(), ids.size(), &count,
                   scratch.data(), scratch.size() * sizeof(*scratch.data()));
}

/* Gives each token's text to print(const char* text, size_t bytes). */
class Decoder {
 public:
  explicit Decoder(bool skip_special = true) : skip_special_(skip_special ? 1 : 0) {}
  template <class Print>
  void next(int64_t id, Print print) {
    char text[%P_TOKEN_TEXT_BYTES];
    size_t bytes = 0;
    %N_decode_next(&state_, id, skip_special_, text, sizeof text, &bytes);
    if (bytes > 0) print(static_cast<const char*>(text), bytes);
  }
  template <class Print>
  void end(Print print) {
    char text[4];
    size_t bytes = 0;
    %N_decode_end(&state_, text, sizeof text, &bytes);
    if (bytes > 0) print(static_cast<const char*>(text), bytes);
  }

 private:
  %N_decoder state_ = {};
  int skip_special_;
};

}  // namespace %N
#endif
)";

constexpr const char* kTokenizerFunctions =
    R"(using namespace onnxc;  // NOLINT: names of this file alone

extern "C" {

%N_status %N_encode(const char* text, size_t bytes, int special, int64_t* ids, size_t capacity,
                    size_t* count, void* scratch, size_t scratch_bytes) {
  if ((text == nullptr && bytes > 0) || (ids == nullptr && capacity > 0) || count == nullptr ||
      scratch == nullptr || bytes > %P_MOST_BYTES || scratch_bytes < %P_SCRATCH_BYTES(bytes))
    return %P_BAD_ARGUMENT;
  TokenSink sink{ids, capacity, 0, static_cast<std::size_t>(-1)};
  const Status status =
      encode_text({text, static_cast<std::int64_t>(bytes)}, special != 0, sink, scratch);
  *count = sink.count;
  if (status != Status::ok) return static_cast<%N_status>(status);
  return sink.count > capacity ? %P_TOO_SMALL : %P_OK;
}

%N_status %N_decode(const int64_t* ids, size_t count, int skip_special, char* text,
                    size_t capacity, size_t* bytes) {
  if ((ids == nullptr && count > 0) || (text == nullptr && capacity > 0) || bytes == nullptr)
    return %P_BAD_ARGUMENT;
  TokenTextState state{};
  TextSink sink{text, capacity, 0};
  for (size_t i = 0; i < count; ++i)
    put_token(TextRules{}, token_pieces(), ids[i], skip_special != 0, state, sink);
  end_tokens(state, sink);
  *bytes = sink.size;
  return sink.size > capacity ? %P_TOO_SMALL : %P_OK;
}

%N_status %N_decode_next(%N_decoder* decoder, int64_t id, int skip_special, char* text,
                         size_t capacity, size_t* bytes) {
  if (decoder == nullptr || (text == nullptr && capacity > 0) || bytes == nullptr)
    return %P_BAD_ARGUMENT;
  static_assert(sizeof(TokenTextState) == sizeof(%N_decoder), "one is the other");
  TextSink sink{text, capacity, 0};
  TokenTextState state;
  std::memcpy(&state, decoder, sizeof state);
  put_token(TextRules{}, token_pieces(), id, skip_special != 0, state, sink);
  *bytes = sink.size;
  if (sink.size > capacity) return %P_TOO_SMALL;
  std::memcpy(decoder, &state, sizeof state);
  return %P_OK;
}

%N_status %N_decode_end(%N_decoder* decoder, char* text, size_t capacity, size_t* bytes) {
  if (decoder == nullptr || (text == nullptr && capacity > 0) || bytes == nullptr)
    return %P_BAD_ARGUMENT;
  TextSink sink{text, capacity, 0};
  TokenTextState state;
  std::memcpy(&state, decoder, sizeof state);
  end_tokens(state, sink);
  *bytes = sink.size;
  if (sink.size > capacity) return %P_TOO_SMALL;
  *decoder = %N_decoder{};
  return %P_OK;
}

int64_t %N_id(const char* text, size_t bytes) {
  if (text == nullptr) return -1;
  const Text x{text, static_cast<std::int64_t>(bytes)};
  const std::int32_t added = number_of(added_tree(), x);
  if (added >= 0) return kAdded[added].id;
  return number_of(words_tree(), x);
}

}  // extern "C"
)";

}  // namespace

std::string tokenizer_header(const EmitContext& c, const TokenizerMemory& memory,
                             const std::string& sha256, const std::string& more) {
  const Identifier prefix = upper_case(c.name);
  CodeWriter w;
  w.line("/* {}.h - generated by onnxc {} from a tokenizer of sha256", c.stem, ONNXC_VERSION);
  w.line(" * {}. Do not edit.", comment_text(sha256));
  w.raw_line(licence_line(" * "));
  w.raw_line(" *");
  w.line(" * memory    {} bytes of tables", c.weights.data_bytes);
  w.raw_line(
      " * threads   functions are re-entrant: one scratch memory per concurrent call, nothing");
  w.raw_line(" *           else is written. They never allocate, throw, or read files.");
  w.raw_line(" */");
  w.line("#ifndef ONNXC_{}_H", prefix);
  w.line("#define ONNXC_{}_H", prefix);
  w.raw_line("");
  w.line("#define {}_VOCABULARY {}  /* numbers of tokens are less */", prefix, memory.vocabulary);
  w.raw_line("/* Bytes of scratch memory, and the most tokens, for a text of `bytes`. */");
  w.line("#define {}_SCRATCH_BYTES(bytes) ((size_t)(bytes) * {} + {})", prefix, memory.factor,
         memory.constant);
  w.line("#define {}_MOST_TOKENS(bytes) ((size_t)(bytes) * {} + {})", prefix, memory.tokens_factor,
         memory.tokens_constant);
  w.line("#define {}_MOST_BYTES ((size_t){})", prefix,
         (std::int64_t{1} << 30) / std::max<std::int64_t>(memory.factor, 1));
  w.line("#define {}_TOKEN_TEXT_BYTES {}", prefix, 3 * (memory.longest_piece + 4));
  w.raw(with_name(kTokenizerDeclarations, c.name));
  w.raw(more);
  w.raw_line("");
  w.raw_line("#endif");
  return w.take();
}

std::string tokenizer_functions(const Identifier& name) {
  return with_name(kTokenizerFunctions, name);
}

}  // namespace onnxc
