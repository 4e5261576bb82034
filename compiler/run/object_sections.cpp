// Reads the tables of sections of ELF, COFF and Mach-O: whoever compiles for another system runs
// onnxc on his own.
#include <optional>
#include <string_view>

#include "compiler/run/measure.hpp"
#include "compiler/support/read_file.hpp"

namespace onnxc {
namespace {

enum class Kind { code, data, other };  // other: no place in flash

struct Section {
  Kind kind = Kind::other;
  std::uint64_t bytes = 0;
};

// Numbers in the byte order of the file; what is past its end is 0.
class Fields {
 public:
  explicit Fields(const std::string& file) : file_(file) {}
  std::endian order = std::endian::little;

  std::uint64_t at(std::uint64_t offset, unsigned size) const {
    std::uint64_t v = 0;
    if (offset > file_.size() || size > file_.size() - offset) return 0;
    for (unsigned i = 0; i < size; ++i) {
      const std::uint64_t k = order == std::endian::big ? i : size - 1 - i;
      v = v << 8 | static_cast<unsigned char>(file_[offset + k]);
    }
    return v;
  }
  bool has(std::uint64_t offset, std::uint64_t size) const {
    return offset <= file_.size() && size <= file_.size() - offset;
  }
  bool begins(std::string_view magic) const { return std::string_view(file_).starts_with(magic); }

 private:
  const std::string& file_;
};

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

Fields fields_of(const std::string& file) {
  Fields f(file);
  if (f.begins(kElf) && f.at(5, 1) == 2) f.order = std::endian::big;
  return f;
}

template <class Visit>
bool visit_elf(const Fields& f, Visit visit) {
  constexpr std::uint64_t kAlloc = 2, kExecute = 4, kNoBits = 8;
  const bool wide = f.at(4, 1) == 2;
  const unsigned word = wide ? 8 : 4, size = wide ? 64 : 40;
  const std::uint64_t table = f.at(wide ? 0x28 : 0x20, word), n = f.at(wide ? 0x3c : 0x30, 2);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t at = table + i * size;
    if (!f.has(at, size)) return false;
    const std::uint64_t type = f.at(at + 4, 4), flags = f.at(at + 8, word);
    const Kind kind = (flags & kExecute) != 0                    ? Kind::code
                      : (flags & kAlloc) != 0 && type != kNoBits ? Kind::data
                                                                 : Kind::other;
    visit(Section{kind, f.at(at + (wide ? 32 : 20), word)});
  }
  return true;
}

// Where the COFF header begins: of an object, or after the DOS header of a program.
std::optional<std::uint64_t> coff_header(const Fields& f) {
  if (f.begins("MZ")) {
    const std::uint64_t at = f.at(0x3c, 4);
    if (f.at(at, 4) == 0x4550) return at + 4;
    return std::nullopt;
  }
  constexpr std::uint64_t kMachines[] = {0x8664, 0x14c, 0xaa64, 0x1c4};
  for (const std::uint64_t machine : kMachines)
    if (f.at(0, 2) == machine) return 0;
  return std::nullopt;
}

template <class Visit>
bool visit_coff(const Fields& f, std::uint64_t header, Visit visit) {
  constexpr std::uint64_t kInitialized = 0x40, kDiscardable = 0x2000000, kRemoved = 0x800,
                          kExecute = 0x20000000;
  const std::uint64_t n = f.at(header + 2, 2), table = header + 20 + f.at(header + 16, 2);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t at = table + i * 40;
    if (!f.has(at, 40)) return false;
    const std::uint64_t flags = f.at(at + 36, 4);
    const bool debug = (flags & (kDiscardable | kRemoved)) != 0;
    const Kind kind = (flags & kExecute) != 0                 ? Kind::code
                      : (flags & kInitialized) != 0 && !debug ? Kind::data
                                                              : Kind::other;
    // A program's sections fill whole blocks of the file.
    const std::uint64_t raw = f.at(at + 16, 4), used = f.at(at + 8, 4);
    visit(Section{kind, used != 0 && used < raw ? used : raw});
  }
  return true;
}

bool is_mach(const Fields& f) { return f.at(0, 4) == 0xfeedfacf; }

template <class Visit>
bool visit_mach(const Fields& f, Visit visit) {
  constexpr std::uint64_t kSegment = 0x19, kInstructions = 0x80000000, kDebug = 0x02000000;
  std::uint64_t command = 32;
  for (std::uint64_t i = f.at(16, 4); i > 0; --i) {
    const std::uint64_t size = f.at(command + 4, 4);
    if (size < 8 || !f.has(command, size)) return false;
    const std::uint64_t n = f.at(command, 4) == kSegment ? f.at(command + 64, 4) : 0;
    for (std::uint64_t s = 0; s < n; ++s) {
      const std::uint64_t at = command + 72 + s * 80, flags = f.at(at + 64, 4), type = flags & 0xff;
      if (!f.has(at, 80)) return false;
      const bool zeros = type == 1 || type == 0xc || type == 0x12;
      const Kind kind = (flags & kInstructions) != 0     ? Kind::code
                        : zeros || (flags & kDebug) != 0 ? Kind::other
                                                         : Kind::data;
      visit(Section{kind, f.at(at + 40, 8)});
    }
    command += size;
  }
  return true;
}

template <class Counts>
std::int64_t bytes_of(const std::string& path, Counts counts) {
  const std::string file = read_file(path);
  const Fields f = fields_of(file);
  std::int64_t total = 0;
  const auto add = [&](const Section& s) {
    if (counts(s.kind)) total += static_cast<std::int64_t>(s.bytes);
  };
  bool whole = true;
  if (f.begins(kElf))
    whole = visit_elf(f, add);
  else if (is_mach(f))
    whole = visit_mach(f, add);
  else if (const auto header = coff_header(f))
    whole = visit_coff(f, *header, add);
  return whole ? total : 0;
}

}  // namespace

std::int64_t code_bytes_of(const std::string& path) {
  return bytes_of(path, [](Kind k) { return k == Kind::code; });
}

std::int64_t flash_bytes_of(const std::string& path) {
  return bytes_of(path, [](Kind k) { return k != Kind::other; });
}

std::endian byte_order_of(const std::string& path) { return fields_of(read_file(path)).order; }

}  // namespace onnxc
