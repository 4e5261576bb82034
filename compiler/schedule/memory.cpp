// Lifetimes of buffers, their places in the arena, and the steps around what lives on the heap.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "compiler/ir/nesting.hpp"
#include "compiler/schedule/free_range.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// One place in the arena, held by one or several buffers in turn.
struct Slot {
  std::int64_t bytes = 0;
  Lifetime life;
  std::int64_t offset = 0;
  int joined = -1;  // the slot that took over from this one
  std::vector<Neighbour> neighbours = {};
};

// From this number of buffers on, a tree finds a place faster than a list.
constexpr std::size_t kFew = 2000;

// Up to this number of overlapping lifetimes for each buffer, looking at these alone is faster.
constexpr std::size_t kSparse = 16;

void touch(std::vector<Lifetime>& lives, BufferId id, std::size_t step) {
  Lifetime& l = lives[static_cast<std::size_t>(id)];
  l.first = std::min(l.first, step);
  l.last = std::max(l.last, step);
}

// Calls f(group, step) for the groups of line-buffered layers and their first steps.
template <class F>
void each_group(const Program& p, F f) {
  for (std::size_t i = 0; i < p.steps.size();) {
    const int number = p.steps[i].group;
    if (number < 0) {
      ++i;
      continue;
    }
    const LineBufferedGroup& group = p.groups[static_cast<std::size_t>(number)];
    f(group, i);
    i += group.layers;
  }
}

// Whether a group may let two buffers with these lifetimes overlap: they are in use together only
// while it runs, and neither is in use both before and after it.
bool meet_in_group(const LineBufferedGroup& group, std::size_t begin, const Lifetime& a,
                   const Lifetime& b) {
  const std::size_t end = begin + group.layers;
  const auto spans = [&](const Lifetime& l) { return l.first < begin && l.last >= end; };
  return std::max(a.first, b.first) >= begin && std::min(a.last, b.last) < end && !spans(a) &&
         !spans(b);
}

// What was there before a loop and is used inside it must survive every iteration, and so must what
// the iterations leave behind for later.
void extend_over_loops(const Program& p, std::vector<Lifetime>& lives) {
  const Nesting nesting(p);
  const auto& blocks = nesting.blocks();
  // Inner loops first.
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    const auto [begin, end] = std::pair(block->begin, block->end);
    if (!block->is_loop) continue;
    for (Lifetime& l : lives) {
      if (!l.used()) continue;
      if (l.first <= begin && l.last >= begin) l.last = std::max(l.last, end);
      if (l.first > begin && l.first < end && l.last > end) l.first = begin;
    }
  }
}

// The layers of a group run together.
void extend_over_groups(const Program& p, std::vector<Lifetime>& lives) {
  each_group(p, [&](const LineBufferedGroup& group, std::size_t begin) {
    const std::size_t end = begin + group.layers;
    if (group.layers == 1) return;
    for (Lifetime& l : lives) {
      if (!l.used() || l.last < begin || l.first >= end) continue;
      l.first = std::min(l.first, begin);
      l.last = std::max(l.last, end - 1);
    }
  });
}

}  // namespace

std::vector<Lifetime> lifetimes(const Program& p) {
  std::vector<Lifetime> lives(p.buffers.size());
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    Program::each_buffer(p.steps[i], [&](BufferId id) { touch(lives, p.root(id).first, i); });
  extend_over_groups(p, lives);
  extend_over_loops(p, lives);
  return lives;
}

namespace {

class Planner {
 public:
  explicit Planner(Program& program) : p_(program), lives_(lifetimes(program)) {}

  void run() {
    prepare();
    place();
    store();
  }

  // The size of the arena, or of one that is larger than `most`.
  std::int64_t arena_bytes(std::int64_t most) {
    prepare();
    if (p_.lower_bound > most) return p_.lower_bound;
    place();
    return p_.arena_bytes;
  }

  void prepare() {
    choose_heap();
    make_slots();
    share();
    collect();
    if (order_.size() < kFew) {
      each_group(p_, [this](const LineBufferedGroup& group, std::size_t begin) {
        find_neighbours(group, begin);
      });
      sparse_ = find_all_neighbours();
    }
    const std::vector<std::int64_t> bytes = live_bytes();
    p_.lower_bound = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
  }

  // Bytes in use at every step, after prepare().
  std::vector<std::int64_t> live_bytes() const {
    std::vector<std::int64_t> delta(p_.steps.size() + 1, 0);
    for (const auto& [step, saved] : together_) {
      delta[step] -= saved;
      delta[step + 1] += saved;
    }
    for (std::size_t i : order_) {
      const Slot& s = slots_[i];
      delta[s.life.first] = checked_add(delta[s.life.first], s.bytes);
      delta[s.life.last + 1] -= s.bytes;
    }
    std::int64_t live = 0;
    for (std::int64_t& d : delta) d = live = checked_add(live, d);
    delta.pop_back();
    return delta;
  }

 private:
  std::int64_t aligned(std::int64_t bytes) const {
    const std::int64_t a = p_.alignment;
    return checked_mul((checked_add(bytes, a - 1)) / a, a);
  }

  bool in_arena(BufferId id) const {
    const Buffer& b = p_.at(id);
    const bool kept = b.kind == Buffer::Kind::arena || b.absent == Buffer::Absent::arena;
    return kept && b.view_of < 0 && lives_[static_cast<std::size_t>(id)].used();
  }

  // A buffer without a bound leaves the arena, and so does one with a bound too large to reserve: a
  // slice up to 10^9 elements means "to the end".
  void choose_heap() {
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      const auto id = static_cast<BufferId>(i);
      if (!in_arena(id) || p_.bytes(id).is_const()) continue;
      const auto most = p_.capacity(id);
      if (most && *most <= kLargestBound) continue;
      if (p_.at(id).kind == Buffer::Kind::arena)
        p_.at(id).kind = Buffer::Kind::heap;
      else
        p_.at(id).absent = Buffer::Absent::heap;
    }
  }

  void make_slots() {
    slot_of_.assign(p_.buffers.size(), -1);
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      const auto id = static_cast<BufferId>(i);
      if (!in_arena(id)) continue;
      slot_of_[i] = static_cast<int>(slots_.size());
      slots_.push_back({aligned(std::max<std::int64_t>(*p_.capacity(id), 1)), lives_[i]});
    }
  }

  // The slot a buffer ended up in, -1 for none. Shortens the way there for the next time.
  int slot(BufferId id) {
    int& s = slot_of_[static_cast<std::size_t>(id)];
    while (s >= 0 && slots_[static_cast<std::size_t>(s)].joined >= 0)
      s = slots_[static_cast<std::size_t>(s)].joined;
    return s;
  }

  // In-place steps: the output goes to the slot of an input that dies there.
  void share() {
    for (std::size_t i = 0; i < p_.steps.size(); ++i)
      for (const auto& [input, output] : p_.steps[i].may_share) {
        const auto [from, from_offset] = p_.root(input);
        const auto [to, to_offset] = p_.root(output);
        const int a = slot(from), b = slot(to);
        if (a < 0 || b < 0 || a == b || !from_offset.is(0) || !to_offset.is(0)) continue;
        Slot& x = slots_[static_cast<std::size_t>(a)];
        Slot& y = slots_[static_cast<std::size_t>(b)];
        if (x.life.last != i || y.life.first != i || x.bytes != y.bytes) continue;
        if (!(p_.bytes(from) == p_.bytes(input))) continue;
        x.life.last = y.life.last;
        y.bytes = 0;
        y.joined = a;
      }
  }

  void collect() {
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].bytes > 0) order_.push_back(i);
  }

  // Buffers of a group that have slots of their own may overlap each other as its distances say.
  void find_neighbours(const LineBufferedGroup& group, std::size_t begin) {
    const auto may_overlap = [&](const LineBufferedGroup::Distance& d) {
      const int a = slot(d.a), b = slot(d.b);
      return a >= 0 && b >= 0 && a != b &&
             meet_in_group(group, begin, slots_[static_cast<std::size_t>(a)].life,
                           slots_[static_cast<std::size_t>(b)].life);
    };
    if (!std::all_of(group.distances.begin(), group.distances.end(), may_overlap)) return;
    for (const LineBufferedGroup::Distance& d : group.distances) {
      const auto a = static_cast<std::size_t>(slot(d.a)), b = static_cast<std::size_t>(slot(d.b));
      slots_[a].neighbours.push_back({b, aligned(d.bytes), INT64_MAX});
    }
    // Of two buffers one distance says how far either may be before the other.
    for (const LineBufferedGroup::Distance& d : group.distances) {
      const auto a = static_cast<std::size_t>(slot(d.a)), b = static_cast<std::size_t>(slot(d.b));
      for (Neighbour& n : slots_[b].neighbours)
        if (n.id == a) n.after = aligned(d.bytes);
    }
    std::int64_t all = 0;
    for (BufferId id : group.buffers) all += slots_[static_cast<std::size_t>(slot(id))].bytes;
    for (std::size_t i = begin; i < begin + group.layers; ++i)
      together_.push_back({i, all - group.most});
  }

  // Makes all slots neighbours whose lifetimes overlap; false, and no change, if these are many.
  bool find_all_neighbours() {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < order_.size(); ++i)
      for (std::size_t j = i + 1; j < order_.size(); ++j) {
        const std::size_t a = order_[i], b = order_[j];
        if (slots_[a].life.overlaps(slots_[b].life)) pairs.push_back({a, b});
        if (2 * pairs.size() > kSparse * order_.size()) return false;
      }
    for (const auto& [a, b] : pairs) {
      add_neighbour(a, b);
      add_neighbour(b, a);
    }
    return true;
  }

  void add_neighbour(std::size_t a, std::size_t b) {
    std::vector<Neighbour>& all = slots_[a].neighbours;
    const auto is_b = [b](const Neighbour& n) { return n.id == b; };
    if (std::none_of(all.begin(), all.end(), is_b))
      all.push_back({b, slots_[a].bytes, slots_[b].bytes});
  }

  // First fit in the given order; gives up once `limit` is reached. place(slot) finds an offset,
  // add(slot, range, number) takes the range.
  template <class Place, class Add>
  std::int64_t first_fit(const std::vector<std::size_t>& order, std::int64_t limit, Place place,
                         Add add) {
    std::int64_t total = 0;
    for (std::size_t i : order) {
      Slot& s = slots_[i];
      s.offset = place(s);
      const std::int64_t end = checked_add(s.offset, s.bytes);
      total = std::max(total, end);
      if (total >= limit) return total;
      add(s, ByteRange{s.offset, end}, i);
    }
    return total;
  }

  std::int64_t first_fit(const std::vector<std::size_t>& order, std::int64_t limit) {
    if (sparse_) {
      near_.clear(slots_.size());
      return first_fit(
          order, limit, [&](const Slot& s) { return near_.fit(s.neighbours); },
          [&](const Slot&, ByteRange r, std::size_t i) { near_.add(r.begin, i); });
    }
    if (order.size() < kFew) {
      list_.clear();
      return first_fit(
          order, limit, [&](const Slot& s) { return list_.fit(s.life, s.bytes, s.neighbours); },
          [&](const Slot& s, ByteRange r, std::size_t i) { list_.add(s.life, r, i); });
    }
    if (!tree_) tree_.emplace(p_.steps.size());
    tree_->clear();
    return first_fit(
        order, limit, [&](const Slot& s) { return tree_->fit(s.life, s.bytes); },
        [&](const Slot& s, ByteRange r, std::size_t) { tree_->add(s.life, r); });
  }

  template <class Key>
  std::vector<std::size_t> sorted(Key key) const {
    std::vector<std::size_t> order = order_;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(slots_[a]) > key(slots_[b]); });
    return order;
  }

  void consider(const std::vector<std::size_t>& order) {
    if (p_.arena_bytes == p_.lower_bound && !best_.empty()) return;
    const std::int64_t limit = best_.empty() ? INT64_MAX : p_.arena_bytes;
    const std::int64_t total = first_fit(order, limit);
    if (!best_.empty() && total >= p_.arena_bytes) return;
    p_.arena_bytes = total;
    best_ = order;
  }

  void place() {
    if (order_.empty()) return;
    const auto length = [](const Slot& s) {
      return static_cast<std::int64_t>(s.life.last - s.life.first + 1);
    };
    consider(sorted([](const Slot& s) { return s.bytes; }));
    consider(sorted([&](const Slot& s) { return std::pair(length(s), s.bytes); }));
    consider(sorted([&](const Slot& s) {
      return static_cast<double>(s.bytes) * static_cast<double>(length(s));
    }));
    consider(sorted([](const Slot& s) { return -static_cast<std::int64_t>(s.life.first); }));
    improve();
    first_fit(best_, INT64_MAX);
  }

  // Hill climbing with a fixed seed: moves one buffer to the front half of the order.
  void improve() {
    constexpr std::size_t kWork = 40'000'000;
    const std::size_t n = best_.size();
    if (n < 3) return;
    const std::size_t tries = std::min<std::size_t>(4000, kWork / (n * n));
    std::uint64_t state = 0x9e3779b97f4a7c15ull;
    const auto random = [&state](std::size_t below) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return static_cast<std::size_t>(state % below);
    };
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < tries && p_.arena_bytes > p_.lower_bound; ++k) {
      order = best_;
      for (std::size_t moves = 1 + random(3); moves-- > 0;) {
        const std::size_t from = random(n), to = random(n);
        const std::size_t moved = order[from];
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), moved);
      }
      consider(order);
    }
  }

  void store() {
    for (std::size_t i = 0; i < p_.buffers.size(); ++i)
      if (const int s = slot(static_cast<BufferId>(i)); s >= 0)
        p_.buffers[i].offset = slots_[static_cast<std::size_t>(s)].offset;
  }

  Program& p_;
  std::vector<Lifetime> lives_;
  std::vector<Slot> slots_;
  std::vector<int> slot_of_;
  std::vector<std::size_t> order_, best_;
  std::vector<std::pair<std::size_t, std::int64_t>>
      together_;  // step, bytes that overlapping saves
  bool sparse_ = false;
  PlacedNeighbours near_;
  PlacedList list_;
  std::optional<PlacedTree> tree_;
};

}  // namespace

namespace {

// Inserts steps that allocate and release heap memory around the steps that use it.
class HeapSteps {
 public:
  explicit HeapSteps(Program& program)
      : p_(program), nesting_(program), lives_(lifetimes(program)) {}

  void run() {
    find_common_blocks();
    before_.resize(p_.steps.size() + 1);
    for (std::size_t i = 0; i < p_.buffers.size(); ++i) {
      const auto id = static_cast<BufferId>(i);
      if (p_.at(id).kind == Buffer::Kind::heap && lives_[i].used()) place(id);
    }
    std::vector<Step> steps;
    for (std::size_t i = 0; i <= p_.steps.size(); ++i) {
      for (Step& step : before_[i]) steps.push_back(std::move(step));
      if (i < p_.steps.size() && !is_void(p_.steps[i])) steps.push_back(std::move(p_.steps[i]));
    }
    p_.steps = std::move(steps);
  }

 private:
  // An allocation of a buffer that is in the arena, or the caller's, has no effect.
  bool is_void(const Step& step) const {
    return step.kind == Step::Kind::allocate && p_.at(step.buffer).kind == Buffer::Kind::arena;
  }

  // The blocks that all uses of a buffer are in.
  void find_common_blocks() {
    common_.resize(p_.buffers.size());
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      const std::vector<int> path = nesting_.around(i);
      Program::each_buffer(p_.steps[i], [&](BufferId b) {
        auto& common = common_[static_cast<std::size_t>(p_.root(b).first)];
        if (!common) common = path;
        const auto differ = std::mismatch(common->begin(), common->end(), path.begin(), path.end());
        common->erase(differ.first, common->end());
      });
    }
  }

  Step step(Step::Kind kind, BufferId id) const {
    Step s;
    s.kind = kind;
    s.buffer = id;
    return s;
  }

  void place(BufferId id) {
    const Lifetime& life = lives_[static_cast<std::size_t>(id)];
    const std::size_t depth = common_[static_cast<std::size_t>(id)]->size();
    const std::vector<int> first_path = nesting_.around(life.first),
                           last_path = nesting_.around(life.last);
    // An else branch belongs to the same statement as its if.
    std::size_t first = life.first;
    if (first_path.size() > depth) first = block(first_path[depth]).statement_begin;
    if (!p_.at(id).allocated_by_steps) before_[first].push_back(step(Step::Kind::allocate, id));
    bool in_loop = false;
    for (std::size_t i = 0; i < std::min(depth, last_path.size()); ++i)
      in_loop = in_loop || block(last_path[i]).is_loop;
    if (in_loop) return;  // the next iteration needs it
    std::size_t last = life.last;
    if (last_path.size() > depth) last = block(last_path[depth]).statement_begin;
    before_[nesting_.statement_end(last)].push_back(step(Step::Kind::release, id));
  }

  const Nesting::Block& block(int index) const {
    return nesting_.blocks()[static_cast<std::size_t>(index)];
  }

  Program& p_;
  const Nesting nesting_;
  std::vector<Lifetime> lives_;
  std::vector<std::optional<std::vector<int>>> common_;
  std::vector<std::vector<Step>> before_;
};

// Whether `y` takes the place of `x` in a step.
bool allows_place(const Step& step, const Program& p, BufferId x, BufferId y) {
  return std::any_of(step.may_share.begin(), step.may_share.end(), [&](const auto& pair) {
    return p.root(pair.first).first == x && p.root(pair.second).first == y &&
           p.at(x).offset == p.at(y).offset;
  });
}

// Whether a group allows the places of two buffers.
bool allows_places(const LineBufferedGroup& group, const Program& p, BufferId a, BufferId b) {
  return std::any_of(group.distances.begin(), group.distances.end(), [&](const auto& d) {
    const bool both = (d.a == a && d.b == b) || (d.a == b && d.b == a);
    return both && p.at(d.a).offset + d.bytes <= p.at(d.b).offset;
  });
}

// Whether two buffers are disjoint, in time or in memory, or a step takes one over from the other.
bool may_be_placed(const Program& p, const std::vector<Lifetime>& lives, BufferId a, BufferId b) {
  const Lifetime &x = lives[static_cast<std::size_t>(a)], &y = lives[static_cast<std::size_t>(b)];
  if (!x.overlaps(y)) return true;
  const std::int64_t a0 = p.at(a).offset, b0 = p.at(b).offset;
  if (a0 + *p.capacity(a) <= b0 || b0 + *p.capacity(b) <= a0) return true;
  bool allowed = false;
  each_group(p, [&](const LineBufferedGroup& group, std::size_t begin) {
    allowed = allowed || (meet_in_group(group, begin, x, y) && allows_places(group, p, a, b));
  });
  return allowed || (x.last == y.first && allows_place(p.steps[x.last], p, a, b)) ||
         (y.last == x.first && allows_place(p.steps[y.last], p, b, a));
}

}  // namespace

bool is_sound_plan(const Program& program) {
  const std::vector<Lifetime> lives = lifetimes(program);
  std::vector<BufferId> placed;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const Buffer& b = program.buffers[i];
    // State variables have offsets of their own.
    const bool in_arena = b.kind != Buffer::Kind::state && b.offset >= 0 && b.view_of < 0;
    if (in_arena && lives[i].used()) placed.push_back(static_cast<BufferId>(i));
  }
  for (std::size_t i = 0; i < placed.size(); ++i)
    for (std::size_t j = i + 1; j < placed.size(); ++j)
      if (program.at(placed[i]).region == program.at(placed[j]).region &&
          !may_be_placed(program, lives, placed[i], placed[j]))
        return false;
  return true;
}

std::vector<std::int64_t> bytes_in_use(Program program) {
  Planner planner(program);
  planner.prepare();
  return planner.live_bytes();
}

std::int64_t planned_arena_bytes(Program& program, std::int64_t most) {
  return Planner(program).arena_bytes(most);
}

void plan_memory(Program& program) {
  Planner(program).run();
  if (!program.groups.empty() && !is_sound_plan(program))
    throw std::logic_error("buffers in use overlap");
  HeapSteps(program).run();
}

}  // namespace onnxc
