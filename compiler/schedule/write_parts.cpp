// write_parts: computes what a Concat joins in its place in the result, where that place is dense.
// The copies of Step::part_offset go away.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/ir/nesting.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

struct BufferUse {
  std::size_t step = 0;
  bool writes = false;
};

class Parts {
 public:
  explicit Parts(Program& program)
      : p_(program), removed_(program.steps.size(), false), uses_(program.buffers.size()) {}

  void run() {
    const Nesting nesting(p_);
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      add_uses(i, nesting.is_nested(i));
      if (p_.steps[i].kind == Step::Kind::allocate) opened_.emplace(p_.steps[i].buffer, i);
    }
    for (std::size_t i = 0; i < p_.steps.size(); ++i)
      if (p_.steps[i].part_offset) place(i);
    rebuild_steps();
  }

 private:
  // All uses of a root buffer. One in a block of an If or a Loop may happen never or again.
  struct Uses {
    std::vector<BufferUse> list;
    bool nested = false;
  };

  void rebuild_steps() {
    std::multimap<std::size_t, std::size_t> moved;  // to this step, from that one
    for (const auto& [whole, to] : opened_before_) moved.emplace(to, opened_.at(whole));
    for (const auto& [to, from] : moved) removed_[from] = true;
    std::vector<Step> steps;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      const auto [first, end] = moved.equal_range(i);
      for (auto m = first; m != end; ++m) steps.push_back(p_.steps[m->second]);
      if (!removed_[i]) steps.push_back(p_.steps[i]);
    }
    p_.steps = std::move(steps);
  }

  Uses& uses(BufferId root) { return uses_[static_cast<std::size_t>(root)]; }

  void add_uses(std::size_t i, bool nested) {
    const auto add = [&](BufferId id, bool writes) {
      Uses& u = uses(p_.root(id).first);
      u.list.push_back({i, writes});
      u.nested = u.nested || nested;
    };
    Program::each_buffer(p_.steps[i], [&](BufferId id) { add(id, false); });
    for (const Arg& arg : p_.steps[i].args)
      if (const auto* b = std::get_if<BufferArg>(&arg.value))
        if (b->writes || b->as_block) add(b->buffer, true);
  }

  BufferId operand(std::size_t i, std::size_t k) const {
    return std::get<BufferArg>(p_.steps[i].args[k].value).buffer;
  }

  void place(std::size_t copy) {
    const BufferId from = operand(copy, 0), to = operand(copy, 1);
    const auto [part, part_offset] = p_.root(from);
    const auto [whole, whole_offset] = p_.root(to);
    if (!part_offset.is(0) || !(p_.bytes(part) == p_.bytes(from))) return;
    if (!may_be_part(part) || !may_be_whole(whole)) return;
    const Dim offset = whole_offset + *p_.steps[copy].part_offset;
    if (!is_known_at_start(offset) || !is_unchanged(part, whole, copy)) return;
    if (!open_in_time(part, whole)) return;
    p_.at(part).view_of = whole;
    p_.at(part).view_offset = offset;
    removed_[copy] = true;
    std::vector<BufferUse>& all = uses(whole).list;
    all.insert(all.end(), uses(part).list.begin(), uses(part).list.end());
  }

  bool is_plain(const Buffer& b) const {
    return b.view_of < 0 && !b.allocated_by_steps && !b.per_thread && b.elem != ElemType::string;
  }

  bool may_be_part(BufferId id) {
    const Buffer& b = p_.at(id);
    return b.kind == Buffer::Kind::arena && is_plain(b) && !uses(id).nested;
  }

  // It has memory from the first step on. Where the caller may leave an output out, only the copies
  // would know.
  bool may_be_whole(BufferId id) {
    const Buffer& b = p_.at(id);
    if (!is_plain(b)) return false;
    if (b.kind == Buffer::Kind::output) return b.absent == Buffer::Absent::error;
    if (b.kind != Buffer::Kind::arena) return false;
    const auto most = p_.capacity(id);
    return most && *most <= kLargestBound;
  }

  bool is_known_at_start(const Dim& d) const {
    std::vector<std::string> names;
    d.collect_symbols(names);
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      const SizeSymbol* s = p_.symbol(name);
      return s && s->input >= 0;
    });
  }

  // What the steps before this one define.
  std::set<std::string> sizes_before(std::size_t step) const {
    const Nesting nesting(p_);
    std::set<std::string> known;
    for (std::size_t i = 0; i < step; ++i) {
      if (nesting.is_nested(i)) continue;
      for (const auto& [name, value] : p_.steps[i].sets) known.insert(name);
      for (const Arg& arg : p_.steps[i].args)
        if (const auto* e = std::get_if<ExtentsArg>(&arg.value))
          for (const Dim& d : e->extents) known.insert(d.as_symbol().value_or(""));
    }
    return known;
  }

  // A result whose sizes are computed gets its memory by a step, which then has to come before the
  // part is written.
  bool open_in_time(BufferId part, BufferId whole) {
    const auto opened = opened_.find(whole);
    if (opened == opened_.end()) return true;
    std::size_t first = opened->second;
    for (const BufferUse& use : uses(part).list) first = std::min(first, use.step);
    if (first == opened->second) return true;
    const std::set<std::string> known = sizes_before(first);
    std::vector<std::string> names;
    for (const Dim& d : p_.at(whole).shape) d.collect_symbols(names);
    for (const std::string& name : names)
      if (known.count(name) == 0 && !is_known_at_start(Dim::symbol(name))) return false;
    const auto [before, fresh] = opened_before_.emplace(whole, first);
    before->second = std::min(before->second, first);
    return true;
  }

  // Whether the part has its final value at the copy, and the whole nowhere another one as long as
  // the part is read. Other copies write other parts.
  bool is_unchanged(BufferId part, BufferId whole, std::size_t copy) {
    std::size_t last = copy;
    for (const BufferUse& use : uses(part).list) {
      if (use.writes && use.step > copy) return false;
      last = std::max(last, use.step);
    }
    return std::none_of(uses(whole).list.begin(), uses(whole).list.end(),
                        [&](const BufferUse& use) {
                          return use.writes && use.step > copy && use.step <= last &&
                                 !p_.steps[use.step].part_offset;
                        });
  }

  Program& p_;
  std::vector<bool> removed_;
  std::vector<Uses> uses_;  // by root buffer
  std::map<BufferId, std::size_t> opened_,
      opened_before_;  // the step that opens; where it moves to
};

}  // namespace

void write_parts(Program& program) { Parts(program).run(); }

}  // namespace onnxc
