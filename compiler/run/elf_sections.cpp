// Reads the table of sections.
#include "compiler/run/measure.hpp"

#include <elf.h>

#include <cstring>

#include "compiler/run/harness.hpp"
#include "compiler/support/read_file.hpp"

namespace onnxc {
namespace {

template <class Header, class Section, class Counts>
std::int64_t sum_sections(const std::string& file, Counts counts) {
  Header header{};
  if (file.size() < sizeof header) return 0;
  std::memcpy(&header, file.data(), sizeof header);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const std::size_t at = header.e_shoff + i * sizeof(Section);
    if (at + sizeof(Section) > file.size()) return 0;
    Section section{};
    std::memcpy(&section, file.data() + at, sizeof section);
    if (counts(section)) total += static_cast<std::int64_t>(section.sh_size);
  }
  return total;
}

bool is_elf(const std::string& file) {
  return file.size() >= EI_NIDENT && std::memcmp(file.data(), ELFMAG, SELFMAG) == 0;
}

template <class Counts>
std::int64_t bytes_of(const std::string& path, Counts counts) {
  const std::string file = read_file(path);
  if (!is_elf(file)) return 0;
  return file[EI_CLASS] == ELFCLASS32 ? sum_sections<Elf32_Ehdr, Elf32_Shdr>(file, counts)
                                      : sum_sections<Elf64_Ehdr, Elf64_Shdr>(file, counts);
}

}  // namespace

std::int64_t code_bytes_of(const std::string& path) {
  return bytes_of(path, [](const auto& s) { return (s.sh_flags & SHF_EXECINSTR) != 0; });
}

std::int64_t flash_bytes_of(const std::string& path) {
  return bytes_of(
      path, [](const auto& s) { return (s.sh_flags & SHF_ALLOC) != 0 && s.sh_type != SHT_NOBITS; });
}

std::endian byte_order_of(const std::string& path) {
  const std::string file = read_file(path);
  return is_elf(file) && file[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little;
}

}  // namespace onnxc
