// Makes constants of tables.
#include "compiler/ops/text/vocabulary_constants.hpp"

namespace onnxc::ops {

BufferId integers(Lower& n, const std::vector<std::int32_t>& values, const std::string& role) {
  const auto count = static_cast<std::int64_t>(values.size());
  return n.constant(Tensor::of<std::int32_t>(ElemType::int32, {count}, values), role);
}

void add_tree(Lower& n, Call& call, const PrefixTreeTables& tree) {
  const auto count = static_cast<std::int64_t>(tree.byte.size());
  call.begin_struct("PrefixTree").read(integers(n, tree.child, "children"));
  call.read(n.constant(Tensor::of<std::uint8_t>(ElemType::uint8, {count}, tree.byte), "bytes"));
  call.read(integers(n, tree.value, "values")).end_struct();
}

void add_word_pieces(Lower& n, Call& call, const Vocabulary& words, const std::string& mark) {
  add_tree(n, call, prefix_tree(words));
  call.read(n.constant(Tensor(std::vector<std::int64_t>{}, {mark}), "inner"));
}

void add_pieces(Lower& n, Call& call, PieceTexts pieces) {
  const auto entries = static_cast<std::int64_t>(pieces.bits.size());
  call.read(n.constant(Tensor({entries + 1}, std::move(pieces.texts)), "pieces"));
  call.read(n.constant(Tensor::of<std::uint8_t>(ElemType::uint8, {entries}, pieces.bits), "kinds"));
}

}  // namespace onnxc::ops
