// Prints the local variables of run() for weights, ports and the arena.
#include "compiler/emit/source_ports.hpp"

#include <algorithm>
#include <set>

#include "compiler/emit/run_steps.hpp"
#include "compiler/ir/nesting.hpp"

namespace onnxc {
namespace {

// For each buffer, whether a step uses it, or a view whose declaration refers to it.
std::vector<bool> find_used(const Program& p) {
  std::vector<bool> used(p.buffers.size(), false);
  const auto mark = [&](BufferId id) {
    used[static_cast<std::size_t>(id)] = true;
    // Views of the arena are declared by their offset in it.
    const BufferId root = p.root(id).first;
    if (p.at(root).kind != Buffer::Kind::arena) used[static_cast<std::size_t>(root)] = true;
  };
  for (const Step& s : p.steps) Program::each_buffer(s, mark);
  return used;
}

// Weights that are not typed arrays get a typed pointer at the start of run().
void weight_pointers(CodeWriter& w, const EmitContext& c) {
  const std::vector<int>& entry_of = c.weights.entry_of.at(&c.program);
  const std::set<int> used(entry_of.begin(), entry_of.end());
  for (std::size_t i = 0; i < c.weights.entries.size(); ++i) {
    const WeightPlan::Entry& e = c.weights.entries[i];
    if (e.is_text() || !used.count(static_cast<int>(i))) continue;
    const std::string_view type = info(e.constant.elem()).cpp_name;
    if (c.weights.mode == WeightsMode::inline_arrays) {
      if (SourceNames::stored_as_bits(e.constant.elem()))
        w.line("const auto* const {0} = reinterpret_cast<const {1}*>({0}_bits);", e.identifier,
               type);
    } else {
      w.line("const auto* const {} = weight<{}>(weights, {});", e.identifier, type, e.offset);
    }
  }
}

// The memory of an output that the caller may leave out; false if it must be given.
bool optional_pointer(CodeWriter& w, const Program& p, const Buffer& b, const std::string& name,
                      const std::string& from, const std::string& count) {
  const std::string_view type = info(b.elem).cpp_name;
  if (b.absent != Buffer::Absent::arena && b.absent != Buffer::Absent::heap) return false;
  const bool block = b.absent == Buffer::Absent::heap;
  if (block) {
    w.line("Block<{}> {}_instead(heap);", type, name);
    w.line("if ({} == nullptr && !{}_instead.resize({}))", from, name, count);
    w.raw_line("  return report(Status::out_of_memory);");
  }
  const std::string given = SourceNames::stored_as_bits(b.elem)
                                ? fmt::format("reinterpret_cast<{}*>({})", type, from)
                                : from;
  w.line("{}* const {} =", type, name);
  w.line("    {} != nullptr ? {} : {};", from, given,
         block ? name + "_instead.data()"
               : fmt::format("at<{}>({}, {})", type, SourceNames::memory_of(p, b), b.offset));
  return true;
}

void port_pointers(CodeWriter& w, const EmitContext& c, const SourceNames& names,
                   const std::vector<bool>& used) {
  const Program& p = c.program;
  const auto declare = [&](const std::vector<BufferId>& ids, const std::vector<Port>& ports,
                           bool input) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (p.at(ids[i]).kind == Buffer::Kind::object) {
        if (input) write_value_import(w, names.of(ids[i]), ports[i]);
        continue;
      }
      if (!used[static_cast<std::size_t>(ids[i])]) continue;
      const std::string from = fmt::format("{}->{}", input ? "in" : "out", ports[i].identifier);
      const std::string type = names.cpp_type(ids[i]);
      const std::string constness = input ? "const " : "";
      if (ports[i].rows) {
        w.line("CallerRows<{}_rows> {} = {{{}, true}};", c.name, names.of(ids[i]), from);
        continue;
      }
      if (optional_pointer(w, p, p.at(ids[i]), names.of(ids[i]), from,
                           names.number(product(p.at(ids[i]).shape))))
        continue;
      if (names.stored_as_bits(ids[i]))
        w.line("auto* const {} = reinterpret_cast<{}{}*>({});", names.of(ids[i]), constness, type,
               from);
      else
        w.line("{}{}* const {} = {};", constness, type, names.of(ids[i]), from);
    }
  };
  declare(p.inputs, c.inputs, true);
  declare(p.outputs, c.outputs, false);
}

// run() only reads the state.
bool is_mutable_state(const Buffer& b, const EmitContext& c) {
  return b.kind == Buffer::Kind::state && c.kind != EmitContext::Kind::run;
}

// State variables, of which later pointers may be views.
void state_pointers(CodeWriter& w, const EmitContext& c, const SourceNames& names,
                    const std::vector<bool>& used) {
  for (std::size_t i = 0; i < c.program.buffers.size(); ++i) {
    const Buffer& b = c.program.buffers[i];
    if (b.kind != Buffer::Kind::state || !used[i]) continue;
    const bool own = is_mutable_state(b, c);
    w.line("auto* const {} = {}<{}>({}, {});  // {}", names.of(static_cast<BufferId>(i)),
           own ? "at" : "weight", names.cpp_type(static_cast<BufferId>(i)),
           own ? "state" : "in->state_", b.offset, shape_comment(to_string(b.shape)));
  }
}

// Arena buffers, and views of all buffers.
void memory_pointers(CodeWriter& w, const EmitContext& c, const SourceNames& names,
                     const std::vector<bool>& used) {
  const Program& p = c.program;
  const std::vector<bool> later = declared_at_first_use(c);
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const auto id = static_cast<BufferId>(i);
    const Buffer& b = p.buffers[i];
    if (b.kind == Buffer::Kind::object) {
      const bool given = std::find(p.inputs.begin(), p.inputs.end(), id) != p.inputs.end();
      const bool wanted = std::find(p.outputs.begin(), p.outputs.end(), id) != p.outputs.end();
      if (!given && (used[i] || wanted))
        w.line("Value {}(heap);  // {}", names.of(id), comment_text(b.type.to_string()));
      continue;
    }
    if (!used[i]) continue;
    const std::string type = names.cpp_type(id);
    if (b.kind == Buffer::Kind::heap && b.view_of < 0 && !later[i])
      w.line("Block<{}> {}(heap);  // {}", type, names.of(id), shape_comment(to_string(b.shape)));
    if (names.moves(id)) continue;
    if (b.view_of >= 0) {
      const auto [root, offset] = p.root(id);
      const Buffer& r = p.at(root);
      const bool writable =
          r.kind == Buffer::Kind::arena || r.kind == Buffer::Kind::output || is_mutable_state(r, c);
      if (r.kind == Buffer::Kind::arena)
        w.line("auto* const {} = at<{}>({}, {});  // {}", names.of(id), type, names.memory(r),
               r.offset + offset.value(), shape_comment(to_string(b.shape)));
      else
        w.line("auto* const {} = view<{}{}>({}, {});  // {}", names.of(id),
               writable ? "" : "const ", type, names.of(root), offset.value(),
               shape_comment(to_string(b.shape)));
    } else if (b.kind == Buffer::Kind::arena) {
      w.line("auto* const {} = at<{}>({}, {});  // {} bytes {} .. {}", names.of(id), type,
             names.memory(b), b.offset, shape_comment(to_string(b.shape)), b.offset,
             b.offset + *p.capacity(id));
    }
  }
}

}  // namespace

std::vector<bool> declared_at_first_use(const EmitContext& c) {
  const Program& p = c.program;
  std::vector<bool> late(p.buffers.size(), false);
  // Functions of the model get blocks as arguments, and parts of a run have scopes of their own.
  if (!p.functions.empty() || has_parts(c)) return late;
  std::vector<bool> seen(p.buffers.size(), false);
  const Nesting nesting(p);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const Step& s = p.steps[i];
    if (s.kind == Step::Kind::allocate) {
      const auto at = static_cast<std::size_t>(s.buffer);
      late[at] = !seen[at] && !nesting.is_nested(i) && p.at(s.buffer).kind == Buffer::Kind::heap;
      seen[at] = true;
    }
    Program::each_buffer(
        s, [&](BufferId id) { seen[static_cast<std::size_t>(p.root(id).first)] = true; });
  }
  return late;
}

void write_pointers(CodeWriter& w, const EmitContext& c, const SourceNames& names) {
  const std::vector<bool> used = find_used(c.program);
  weight_pointers(w, c);
  port_pointers(w, c, names, used);
  state_pointers(w, c, names, used);
  memory_pointers(w, c, names, used);
}

}  // namespace onnxc
