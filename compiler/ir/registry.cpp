// The table of all operators, collected from the families that the build found.
#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "compiler/ir/op.hpp"

namespace onnxc::ops {

Signature parse_signature(const Op& op);  // signature.cpp

// op_families.inc lists ONNXC_FAMILY(stem) for every file below compiler/ops/<topic>/.
#define ONNXC_FAMILY(stem)    \
  namespace stem {            \
  extern const Family family; \
  }
#include "op_families.inc"
#undef ONNXC_FAMILY

namespace {

const Family* const kFamilies[] = {
#define ONNXC_FAMILY(stem) &stem::family,
#include "op_families.inc"
#undef ONNXC_FAMILY
};

std::string key(std::string_view domain, std::string_view name) {
  return std::string(domain == "ai.onnx" ? "" : domain) + ":" + std::string(name);
}

struct Registry {
  std::vector<const Op*> sorted;
  std::unordered_map<std::string, const Op*> by_name;
  std::unordered_map<const Op*, Signature> signatures;

  Registry() {
    for (const Family* family : kFamilies)
      for (const Op& op : family->rows) add(op);
    std::sort(sorted.begin(), sorted.end(), [](const Op* a, const Op* b) {
      return std::pair(a->domain, a->name) < std::pair(b->domain, b->name);
    });
  }

  void add(const Op& op) {
    if (!by_name.emplace(key(op.domain, op.name), &op).second)
      throw std::logic_error("operator defined twice: " + std::string(op.name));
    sorted.push_back(&op);
    signatures.emplace(&op, parse_signature(op));
  }
};

const Registry& registry() {
  static const Registry r;
  return r;
}

}  // namespace

const Op* find(std::string_view domain, std::string_view name) {
  const auto it = registry().by_name.find(key(domain, name));
  return it == registry().by_name.end() ? nullptr : it->second;
}

const Op& get(std::string_view name, std::string_view domain) {
  if (const Op* op = find(domain, name)) return *op;
  throw std::logic_error("no operator " + std::string(domain) + ":" + std::string(name));
}

const Signature& signature(const Op& op) { return registry().signatures.at(&op); }

std::span<const Op* const> all() { return registry().sorted; }

int since_version(const Op& op, std::int64_t opset) {
  int found = 0;
  for (int v : signature(op).versions)
    if (v <= opset) found = std::max(found, v);
  return found;
}

bool names_values(const Op& op, std::string_view attribute) {
  std::string_view rest = op.named_values;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == attribute) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool is_a(const Node* node, std::string_view name) {
  return node && node->op->domain == "" && node->op->name == name && node->body.empty();
}

bool moves_elements(const Node& node) {
  return node.body.empty() && node.op->moves_elements && node.op->moves_elements(node);
}

}  // namespace onnxc::ops
