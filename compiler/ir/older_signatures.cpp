// The table of older_signatures.inc, parsed.
#include "compiler/ir/older_signatures.hpp"

#include <map>

namespace onnxc::ops {

Signature parse_signature(const Op& op);

namespace {

struct Older {
  std::string_view domain, name, versions, inputs, types;
};

constexpr Older kOlder[] = {
#include "compiler/ir/older_signatures.inc"
};

using Table = std::map<std::pair<const Op*, int>, Signature>;

Table parse_table() {
  Table table;
  for (const Older& row : kOlder) {
    const Op* const op = find(row.domain, row.name);
    if (!op) continue;
    Op facts;
    facts.versions = row.versions;
    facts.inputs = row.inputs;
    facts.types = row.types;
    const Signature signature = parse_signature(facts);
    for (const int version : signature.versions) table.emplace(std::pair(op, version), signature);
  }
  return table;
}

}  // namespace

const Signature* older_signature(const Op& op, int version) {
  static const Table table = parse_table();
  const auto found = table.find({&op, version});
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace onnxc::ops
