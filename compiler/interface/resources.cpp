// The members of the inputs that are no ports, as a table.
#include <iterator>

#include <fmt/format.h>

#include "compiler/interface/interface.hpp"
#include "compiler/interface/names.hpp"

namespace onnxc {
namespace {

struct ResourceRow {
  const char* member;
  bool InterfaceFacts::*there;
  // {0}: the prefix, {1}: the same in upper case, {2}: the stem of the files.
  const char* type;
  const char* comment;
  const char* parameter;
  Resource::Place place;
  const char* refused;
};

constexpr auto kFirst = Resource::Place::before_arena, kThen = Resource::Place::after_arena,
               kDefault = Resource::Place::defaulted;

constexpr ResourceRow kResourceRows[] = {
    {"allocator_", &InterfaceFacts::heap, "const {0}_allocator*", "null: malloc and free",
     "const allocator*", kDefault, ""},
    {"weights_", &InterfaceFacts::external_weights, "const void*",
     "the content of {2}_weights.bin, aligned to {1}_WEIGHTS_ALIGN", "const void*", kFirst,
     "!aligned(in->weights_, {1}_ARENA_ALIGN)"},
    // The memories, each named by the user, come here.
    {"hook_", &InterfaceFacts::hook, "const {0}_hook*", "null: none", "const hook*", kDefault, ""},
    {"probe_", &InterfaceFacts::probes, "const {0}_probe*", "null: none", "const probe*", kDefault,
     ""},
    {"pool_", &InterfaceFacts::pool, "{0}_pool*", "null: one thread", "pool*", kDefault, ""},
    {"bad_size_", &InterfaceFacts::open_sizes, "{0}_bad_size*",
     "gets what {1}_BAD_SHAPE or {1}_TOO_SMALL is about, unless null", "bad_size*", kDefault, ""},
    {"devices_", &InterfaceFacts::devices, "const {0}_devices*", "", "const devices*", kThen,
     "in->devices_ == nullptr"},
    {"state_", &InterfaceFacts::state, "const void*", "the state block; it is only read",
     "const void*", kFirst, "!aligned(in->state_, {1}_STATE_ALIGN)"},
};
constexpr std::size_t kRowOfMemories = 2;

Resource from_row(const ResourceRow& row, const InterfaceFacts& f) {
  const auto filled = [&](const char* text) {
    return fmt::format(fmt::runtime(text), f.prefix.text(), upper_case(f.prefix).text(), f.stem);
  };
  return {{Member::Kind::pointer, filled(row.type), row.member, comment_text(filled(row.comment))},
          row.parameter,
          row.place,
          filled(row.refused)};
}

// Memory of a part of the arena: null leaves it in the arena.
Resource memory(const InterfaceFacts::Memory& m, const InterfaceFacts& f) {
  const Identifier& name = m.name;
  const std::string macro = upper_case(f.prefix).text();
  const CommentText comment = comment_text(fmt::format(
      "{}_{}_BYTES of memory; null: a part of the arena", macro, upper_case(name).text()));
  return {{Member::Kind::pointer, "void*", name + "_", comment},
          "void*",
          kDefault,
          m.bytes > 0
              ? fmt::format("!aligned(in->{0}_ != nullptr ? in->{0}_ : arena, {1}_ARENA_ALIGN)",
                            name.text(), macro)
              : ""};
}

}  // namespace

std::vector<Resource> resources(const InterfaceFacts& facts) {
  std::vector<Resource> list;
  for (std::size_t i = 0; i < std::size(kResourceRows); ++i) {
    if (i == kRowOfMemories)
      for (const InterfaceFacts::Memory& m : facts.memories) list.push_back(memory(m, facts));
    if (facts.*kResourceRows[i].there) list.push_back(from_row(kResourceRows[i], facts));
  }
  return list;
}

std::vector<std::string> resource_members() {
  std::vector<std::string> list;
  for (const ResourceRow& row : kResourceRows) list.emplace_back(row.member);
  return list;
}

}  // namespace onnxc
