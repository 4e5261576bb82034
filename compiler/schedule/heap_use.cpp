// Finds the dimensions that make a program need a heap.
#include "compiler/schedule/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/size_names.hpp"

namespace onnxc {
namespace {

// Symbols in the sizes of buffers that take memory from the heap, sorted.
std::vector<std::string> symbols_on_heap(const Program& program) {
  std::vector<std::string> symbols;
  for (const Buffer& b : program.buffers)
    if (b.kind == Buffer::Kind::heap || b.absent == Buffer::Absent::heap)
      for (const Dim& d : b.shape)
        if (!program.at_most(d)) d.collect_symbols(symbols);
  // A dimension that is bounded by an expression is as large as the symbols in it.
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (const SizeSymbol* s = program.symbol(symbols[i]); s && s->range.at_most)
      s->range.at_most->collect_symbols(symbols);
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

// What a ZipMap makes.
bool is_scores(const Type& type) {
  return type.kind == Type::Kind::sequence && type.element->kind == Type::Kind::map;
}

}  // namespace

void refuse_heap(const Program& program, Diagnostics& diagnostics) {
  if (!program.uses_heap()) return;
  std::string named, inner;
  for (const std::string& s : symbols_on_heap(program)) {
    const SizeSymbol* symbol = program.symbol(s);
    std::string& list = symbol && symbol->input >= 0 ? named : inner;
    if (!symbol || !program.at_most(Dim::symbol(s)))
      list += (list.empty() ? "" : ", ") + name_of_symbol(s);
  }
  std::string message = "the model needs a heap";
  if (!named.empty())
    message += fmt::format("; bound its dimensions with --dim NAME=LO..HI: {}", named);
  if (named.empty() && !inner.empty()) message += ": the data decides about sizes without a bound";
  const auto object = std::find_if(program.buffers.begin(), program.buffers.end(),
                                   [](const auto& b) { return b.kind == Buffer::Kind::object; });
  if (object != program.buffers.end())
    message += fmt::format("; {} is a {}{}", quoted(object->name), object->type.to_string(),
                           is_scores(object->type) ? ": --zipmap tensor makes it a tensor" : "");
  diagnostics.error("no-heap", "--no-heap", message);
}

}  // namespace onnxc
