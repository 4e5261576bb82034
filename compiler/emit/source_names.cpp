// Names of buffers, and expressions for dimensions and operands.
#include "compiler/emit/source_names.hpp"

#include <fmt/format.h>

namespace onnxc {

SourceNames::SourceNames(const EmitContext& context, NameScope& globals)
    : p_(context.program), flash_apart_(context.target.flash_apart), globals_(globals) {
  locals_ = globals;
  const WeightPlan& weights = context.weights;
  const std::vector<int>& entry_of = weights.entry_of.at(&p_);
  for (const WeightPlan::Entry& e : weights.entries) locals_.reserve(e.identifier.text());
  buffers_.resize(p_.buffers.size());
  for (std::size_t i = 0; i < p_.buffers.size(); ++i)
    if (p_.buffers[i].kind == Buffer::Kind::constant && entry_of[i] >= 0)
      buffers_[i] = weights.entries[static_cast<std::size_t>(entry_of[i])].identifier;
  for (std::size_t i = 0; i < p_.buffers.size(); ++i)
    if (buffers_[i].empty()) buffers_[i] = locals_.unique(identifier_from(p_.buffers[i].name));
  for (const SizeSymbol& s : p_.symbols) sizes_[s.name] = locals_.unique(size_name(s.name));
}

// The local variables of run() would hide a shape or a function of the same name.
Identifier SourceNames::new_global(const Identifier& wanted) {
  return globals_.unique(locals_.unique(wanted));
}

std::string SourceNames::cpp_type(BufferId id) const {
  return std::string(info(p_.at(id).elem).cpp_name);
}

bool SourceNames::stored_as_bits(ElemType elem) {
  const std::string_view t = info(elem).cpp_name;
  return t != "float" && t != "double" && t != "bool" && t.rfind("std::", 0) != 0;
}

bool SourceNames::in_flash(BufferId id) const {
  return flash_apart_ && p_.at(p_.root(id).first).kind == Buffer::Kind::constant;
}

bool SourceNames::moves(BufferId id) const {
  const auto [root, offset] = p_.root(id);
  return p_.at(root).kind == Buffer::Kind::heap || !offset.is_const();
}

const std::string& SourceNames::of(BufferId id) const {
  return parameters_ ? parameters_->at(id).name : buffers_[static_cast<std::size_t>(id)];
}

std::string SourceNames::pointer(BufferId id) const {
  if (parameters_) return of(id) + (parameters_->at(id).is_block ? ".data()" : "");
  const Buffer& b = p_.at(id);
  if (b.kind == Buffer::Kind::heap && b.view_of < 0) return of(id) + ".data()";
  if (b.view_of < 0 || !moves(id)) return of(id);
  const auto [root, offset] = p_.root(id);
  const Buffer& r = p_.at(root);
  if (r.kind == Buffer::Kind::arena)
    return fmt::format("at<{}>({}, {})", cpp_type(id), memory(r), number(Dim(r.offset) + offset));
  const bool writable = r.kind == Buffer::Kind::heap || r.kind == Buffer::Kind::output ||
                        r.kind == Buffer::Kind::state;
  return fmt::format("view<{}{}>({}, {})", writable ? "" : "const ", cpp_type(id), pointer(root),
                     number(offset));
}

std::string SourceNames::memory_of(const Program& p, const Buffer& b) {
  return p.regions.empty() ? "memory"
                           : "memory_" + p.regions[static_cast<std::size_t>(b.region)].name;
}

std::string SourceNames::number(const Dim& d) const {
  return d.render([this](const DimAtom& atom) {
    switch (atom.kind) {
      case DimAtom::Kind::symbol:
        return sizes_.at(atom.text);
      case DimAtom::Kind::floor_div:
        return operation("floor_div", atom);
      case DimAtom::Kind::trunc_div:
        return operation("trunc_div", atom);
      case DimAtom::Kind::min:
        return operation("min", atom);
      case DimAtom::Kind::max:
        return operation("max", atom);
      case DimAtom::Kind::broadcast:
        return operation("broadcast", atom);
      case DimAtom::Kind::broadcast_stride:
        return operation("broadcast_stride", atom);
      case DimAtom::Kind::from_end:
        return operation("from_end", atom);
    }
    return std::string();
  });
}

std::string SourceNames::operation(const char* name, const DimAtom& atom) const {
  std::string text = number(atom.args[0]);
  for (std::size_t i = 1; i < atom.args.size(); ++i)
    text = fmt::format("{}({}, {})", name, text, number(atom.args[i]));
  return text;
}

std::string SourceNames::numbers(const std::vector<Dim>& list) const {
  std::string values;
  for (const Dim& d : list) values += (values.empty() ? "" : ", ") + number(d);
  return values;
}

}  // namespace onnxc
