// std::filesystem makes wide paths of text by mbrtowc of the C library, whose only alphabet on
// Windows is that of the user's country. Paths in the compiler are UTF-8, as its arguments are
// (windows.manifest): the linker puts this function in the place of theirs.
#include <cerrno>
#include <cstring>
#include <cwchar>

namespace {

constexpr std::size_t kBad = static_cast<std::size_t>(-1), kCut = static_cast<std::size_t>(-2);

struct Decoded {
  unsigned code = 0;
  std::size_t bytes = 0;  // or one of the two above
};

Decoded decode(const char* text, std::size_t size) {
  if (size == 0) return {0, kCut};
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {first, 1};
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return {0, kBad};
  unsigned code = first & (0x7fu >> n);
  for (std::size_t i = 1; i < n; ++i) {
    if (i == size) return {0, kCut};
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xc0) != 0x80) return {0, kBad};
    code = code << 6 | (c & 0x3f);
  }
  constexpr unsigned kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[n] || code > 0x10ffff || surrogate) return {0, kBad};
  return {code, n};
}

}  // namespace

extern "C" {

// Of a pair of surrogates the first call gives the one and takes all bytes but the last, which
// gives the other; the state holds it meanwhile.
std::size_t __wrap_mbrtowc(wchar_t* out, const char* text, std::size_t size,
                           std::mbstate_t* state) {
  static std::mbstate_t own{};
  if (state == nullptr) state = &own;
  if (text == nullptr) return *state = {}, 0;
  unsigned second = 0;
  std::memcpy(&second, state, sizeof second < sizeof *state ? sizeof second : sizeof *state);
  if (second != 0) {
    *state = {};
    if (size == 0) return kCut;
    if (out != nullptr) *out = static_cast<wchar_t>(second);
    return 1;
  }
  const Decoded d = decode(text, size);
  if (d.bytes == kBad) errno = EILSEQ;
  if (d.bytes == kBad || d.bytes == kCut) return d.bytes;
  if (d.code < 0x10000) {
    if (out != nullptr) *out = static_cast<wchar_t>(d.code);
    return d.code == 0 ? 0 : d.bytes;
  }
  const unsigned rest = d.code - 0x10000;
  second = 0xdc00 + (rest & 0x3ff);
  std::memcpy(state, &second, sizeof second < sizeof *state ? sizeof second : sizeof *state);
  if (out != nullptr) *out = static_cast<wchar_t>(0xd800 + (rest >> 10));
  return d.bytes - 1;
}
}
