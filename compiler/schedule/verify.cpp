// Checks of the invariants of a program.
#include "compiler/schedule/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "compiler/ir/print_program.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

using Kind = Step::Kind;

class ProgramVerifier {
 public:
  ProgramVerifier(const Program& program, bool placed) : p_(program), placed_(placed) {}

  std::vector<std::string> run() {
    check_buffers();
    if (!problems_.empty()) return std::move(problems_);  // the rest relies on views
    known_.insert(Program::draw_symbol);
    for (const SizeSymbol& s : p_.symbols)
      if (s.input >= 0 || s.definition || s.is_draw) known_.insert(s.name);
    for (const Step& step : p_.steps)
      if (step.kind == Kind::allocate && exists(step.buffer) && is_output(step.buffer))
        opened_.insert(step.buffer);
    for (at_ = 0; at_ < p_.steps.size(); ++at_) check_step(p_.steps[at_]);
    at_ = p_.steps.size();
    if (!blocks_.empty()) report("a block is not closed");
    if (placed_) check_end();
    // The plan is only understood where operands exist.
    if (placed_ && problems_.empty() && !is_sound_plan(p_))
      report("buffers of the arena that are in use overlap");
    return std::move(problems_);
  }

 private:
  struct Block {
    Kind kind;
    std::set<BufferId> allocated, after_then;  // at its begin; after the first branch
    bool then_ends = false;                    // the first branch ends the call
    bool ended = false;                        // what was before it did
  };

  void report(const std::string& what) {
    problems_.push_back(at_ < p_.steps.size() ? fmt::format("step {}: {}", at_, what) : what);
  }
  // Names are made for the first problem only: most programs have none.
  const std::string& name(BufferId id) {
    if (names_.empty()) names_ = buffer_names(p_);
    return names_[static_cast<std::size_t>(id)];
  }
  bool exists(BufferId id) const {
    return id >= 0 && static_cast<std::size_t>(id) < p_.buffers.size();
  }

  void check_buffers() {
    at_ = p_.steps.size();
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      const auto id = static_cast<BufferId>(i);
      const Buffer& b = p_.buffers[i];
      if (b.view_of >= 0) {
        check_view(id);
      } else if (placed_ && b.kind == Buffer::Kind::arena && b.offset >= 0 && p_.regions.empty()) {
        const auto bytes = p_.capacity(id);
        if (!bytes || b.offset + *bytes > p_.arena_bytes)
          report(fmt::format("{} ends after the arena", name(id)));
      }
    }
  }

  void check_view(BufferId id) {
    const Buffer& b = p_.at(id);
    if (!exists(b.view_of)) return report(name(id) + " is a view of no buffer");
    if (b.view_of == id) return report(name(id) + " is a view of itself");
    const Dim end = b.view_offset + p_.bytes(id), whole = p_.bytes(b.view_of);
    if (end.is_const() && whole.is_const() && end.value() > whole.value())
      report(fmt::format("{} ends after {}, which it is a view of", name(id), name(b.view_of)));
  }

  void check_step(const Step& step) {
    bool valid = true;
    Program::each_buffer(step, [&](BufferId id) { valid = valid && exists(id); });
    if (!valid) return report("an operand is no buffer");
    switch (step.kind) {
      case Kind::open_if:
      case Kind::open_loop:
        check_conditions(step);
        blocks_.push_back({step.kind, allocated_, {}, false, std::exchange(ends_, false)});
        return;
      case Kind::open_else:
        return open_else();
      case Kind::close:
        return close();
      case Kind::allocate:
        return allocate(step);
      case Kind::release:
        if (placed_ && is_heap(step.buffer) && allocated_.erase(step.buffer) == 0)
          report(name(step.buffer) + " is released, but not allocated");
        return;
      default:
        return check_work(step);
    }
  }

  void check_conditions(const Step& step) {
    for (BufferId id : {step.condition, step.trips})
      if (id >= 0) check_read(id);
    if (step.counter >= 0) check_use(step.counter);
    if (step.counter >= 0) written_.insert(p_.root(step.counter).first);
  }

  void open_else() {
    if (blocks_.empty() || blocks_.back().kind != Kind::open_if)
      return report("an else without an if");
    blocks_.back().after_then = allocated_;
    blocks_.back().then_ends = std::exchange(ends_, false);
    blocks_.back().kind = Kind::open_else;
    allocated_ = blocks_.back().allocated;
  }

  // What is allocated after an if is allocated in both of its branches.
  void close() {
    if (blocks_.empty()) return report("a close without a block");
    const Block block = std::move(blocks_.back());
    blocks_.pop_back();
    const bool branch_ends = std::exchange(ends_, block.ended);
    if (block.kind == Kind::open_loop) return;
    const std::set<BufferId>& other =
        block.kind == Kind::open_else ? block.after_then : block.allocated;
    // A branch that ends the call does not come here.
    if (branch_ends)
      allocated_ = other;
    else if (!block.then_ends)
      std::erase_if(allocated_, [&](BufferId id) { return other.count(id) == 0; });
  }

  void allocate(const Step& step) {
    check_sizes(p_.at(step.buffer).shape);
    allocated_.insert(step.buffer);
    if (!is_heap(step.buffer)) return;
    const bool in_loop = std::any_of(blocks_.begin(), blocks_.end(),
                                     [](const Block& b) { return b.kind == Kind::open_loop; });
    if (in_loop) reused_.insert(step.buffer);
  }

  void check_work(const Step& step) {
    for (const auto& [symbol, d] : step.sets) check_sizes({d});
    for (const auto& [symbol, d] : step.sets) known_.insert(symbol);
    for (const Relation& r : step.relations) {
      check_sizes({r.a, r.b});
      ends_ = ends_ || (r.a.is_const() && r.b.is_const() && !(r.a == r.b) && !r.may_broadcast);
    }
    if (step.kind != Kind::call) return;
    // In a loop a call may read what it told in the iteration before.
    for (const Arg& arg : step.args) define_sizes(arg);
    for (const Param& p : step.params) {
      if (const auto* d = std::get_if<Dim>(&p.value)) check_sizes({*d});
      if (const auto* list = std::get_if<std::vector<Dim>>(&p.value)) check_sizes(*list);
    }
    for (const Arg& arg : step.args) check_argument(arg);
    for (const Arg& arg : step.args) finish_argument(arg);
  }

  void check_argument(const Arg& arg) {
    if (const auto* d = std::get_if<Dim>(&arg.value)) check_sizes({*d});
    if (const auto* b = std::get_if<BufferArg>(&arg.value)) {
      if (!b->writes) check_read(b->buffer);
      if (b->writes && !b->as_block) check_use(b->buffer);
    }
    if (const auto* l = std::get_if<Lambda>(&arg.value))
      for (const Lambda::Capture& c : l->captures) check_use(c.buffer);
  }

  void define_sizes(const Arg& arg) {
    if (const auto* e = std::get_if<ExtentsArg>(&arg.value))
      for (const Dim& d : e->extents)
        if (const auto symbol = d.as_symbol()) known_.insert(*symbol);
  }

  // What the step has written when it ends.
  void finish_argument(const Arg& arg) {
    const auto* b = std::get_if<BufferArg>(&arg.value);
    if (b && b->writes) written_.insert(p_.root(b->buffer).first);
    if (b && b->writes && b->as_block) allocated_.insert(p_.root(b->buffer).first);
  }

  bool is_heap(BufferId id) const { return p_.at(id).kind == Buffer::Kind::heap; }

  void check_use(BufferId id) {
    const BufferId root = p_.root(id).first;
    const Buffer& b = p_.at(root);
    if (opened_.count(root) != 0 && allocated_.count(root) == 0)
      report(name(root) + " is used, but not opened");
    if (!placed_) return;
    if (is_heap(root) && allocated_.count(root) == 0)
      report(name(root) + " is used, but not allocated");
    if (b.kind == Buffer::Kind::arena && b.offset < 0)
      report(name(root) + " has no place in the arena");
  }

  void check_read(BufferId id) {
    check_use(id);
    const BufferId root = p_.root(id).first;
    const Buffer::Kind kind = p_.at(root).kind;
    const bool made = kind == Buffer::Kind::arena || kind == Buffer::Kind::heap;
    const bool empty = p_.bytes(root).is(0);
    if (made && !empty && written_.count(root) == 0)
      report(name(root) + " is read, but not written");
  }

  void check_sizes(const Shape& dims) {
    std::vector<std::string> symbols;
    for (const Dim& d : dims) d.collect_symbols(symbols);
    for (const std::string& symbol : symbols)
      if (known_.count(symbol) == 0) report(fmt::format("the size {} is not known", symbol));
  }

  void check_end() {
    // Blocks that change their size live as long as the call, and so do those of loops, which the
    // next iteration uses again.
    for (BufferId id : allocated_)
      if (is_heap(id) && !p_.at(id).allocated_by_steps && !reused_.count(id) && !is_output(id))
        report(name(id) + " is not released");
  }
  bool is_output(BufferId id) const {
    return std::find(p_.outputs.begin(), p_.outputs.end(), id) != p_.outputs.end();
  }

  const Program& p_;
  const bool placed_;
  std::vector<std::string> names_;
  std::size_t at_ = 0;  // the step that is checked
  std::set<std::string> known_;
  std::set<BufferId> written_, allocated_;
  std::set<BufferId> opened_;  // outputs that get their memory by a step
  std::set<BufferId> reused_;  // allocated in a loop
  bool ends_ = false;          // a check of the branch always fails
  std::vector<Block> blocks_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Program& program, bool placed) {
  return ProgramVerifier(program, placed).run();
}

}  // namespace onnxc
