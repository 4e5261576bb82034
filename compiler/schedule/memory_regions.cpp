// Divides the arena among several memories: after plan_memory, whose sharing of places it keeps
// where a step works in place.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "compiler/schedule/free_range.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// Buffers that lie at one place, one after the other.
struct Unit {
  std::int64_t bytes = 0, traffic = 0;
  Lifetime life;
  std::vector<BufferId> buffers;
};

// How good a division is: bytes that do not fit, then the cost of the traffic, then all bytes.
struct Quality {
  std::int64_t missing = std::numeric_limits<std::int64_t>::max();
  double cost = 0;
  std::int64_t bytes = 0;

  bool operator<(const Quality& o) const {
    if (missing != o.missing) return missing < o.missing;
    return cost != o.cost ? cost < o.cost : bytes < o.bytes;
  }
};

class RegionPlanner {
 public:
  RegionPlanner(Program& program, const std::vector<MemoryRegion>& memory)
      : p_(program), memory_(memory), lives_(lifetimes(program)) {}

  // Returns how many bytes the last memory is too small by.
  std::int64_t run() {
    make_units();
    count_traffic();
    search();
    store();
    return best_quality_.missing;
  }

 private:
  using Order = std::vector<std::size_t>;
  struct Place {
    std::size_t region = 0;
    std::int64_t offset = 0;
  };

  std::int64_t aligned(std::int64_t bytes) const {
    const std::int64_t a = p_.alignment;
    return checked_mul(checked_add(bytes, a - 1) / a, a);
  }

  // A buffer that took over the place of one that dies stays with it.
  void make_units() {
    unit_of_.assign(p_.buffers.size(), -1);
    std::map<std::int64_t, std::vector<BufferId>> by_offset;
    for (std::size_t i = 0; i < p_.buffers.size(); ++i)
      if (p_.buffers[i].offset >= 0 && p_.buffers[i].view_of < 0 && lives_[i].used() &&
          p_.buffers[i].kind != Buffer::Kind::state)
        by_offset[p_.buffers[i].offset].push_back(static_cast<BufferId>(i));
    for (auto& [offset, list] : by_offset) {
      std::stable_sort(list.begin(), list.end(),
                       [&](BufferId a, BufferId b) { return life(a).first < life(b).first; });
      for (BufferId id : list) add(id);
    }
  }

  const Lifetime& life(BufferId id) const { return lives_[static_cast<std::size_t>(id)]; }

  void add(BufferId id) {
    const std::int64_t bytes = aligned(std::max<std::int64_t>(*p_.capacity(id), 1));
    for (std::size_t u = units_.size(); u-- > 0;) {
      Unit& unit = units_[u];
      if (p_.at(unit.buffers[0]).offset != p_.at(id).offset) break;
      if (unit.bytes != bytes || !unit.life.overlaps(life(id))) continue;
      unit.life.last = std::max(unit.life.last, life(id).last);
      unit.buffers.push_back(id);
      unit_of_[static_cast<std::size_t>(id)] = static_cast<int>(u);
      return;
    }
    unit_of_[static_cast<std::size_t>(id)] = static_cast<int>(units_.size());
    units_.push_back({bytes, 0, life(id), {id}});
  }

  void count_traffic() {
    for (const Step& step : p_.steps) {
      if (step.kind != Step::Kind::call) continue;
      std::set<BufferId> seen;
      Program::each_buffer(step, [&](BufferId id) {
        const int unit = unit_of_[static_cast<std::size_t>(p_.root(id).first)];
        if (unit < 0 || !seen.insert(id).second) return;
        Unit& u = units_[static_cast<std::size_t>(unit)];
        u.traffic = checked_add(u.traffic, std::min(p_.capacity(id).value_or(u.bytes), u.bytes));
      });
    }
  }

  // First fit, each unit in the fastest memory with room for it; the last one has room for all.
  Quality fit(const Order& order, std::vector<Place>& places) const {
    std::vector<PlacedList> lists(memory_.size());
    std::vector<std::int64_t> ends(memory_.size(), 0);
    places.assign(units_.size(), {});
    Quality q{0, 0, 0};
    for (std::size_t u : order) {
      const Unit& unit = units_[u];
      for (std::size_t r = 0; r < memory_.size(); ++r) {
        const std::int64_t offset = lists[r].fit(unit.life, unit.bytes);
        const std::int64_t end = checked_add(offset, unit.bytes);
        if (end > memory_[r].bytes && r + 1 < memory_.size()) continue;
        lists[r].add(unit.life, {offset, end});
        places[u] = {r, offset};
        ends[r] = std::max(ends[r], end);
        q.cost += memory_[r].cost * static_cast<double>(unit.traffic);
        break;
      }
    }
    for (std::int64_t end : ends) q.bytes += end;
    q.missing = std::max<std::int64_t>(0, ends.back() - memory_.back().bytes);
    return q;
  }

  void consider(const Order& order) {
    std::vector<Place> places;
    const Quality q = fit(order, places);
    if (!(q < best_quality_)) return;
    best_quality_ = q;
    best_ = order;
    places_ = places;
  }

  template <class Key>
  void consider_by(Key key) {
    Order order(units_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(units_[a]) > key(units_[b]); });
    consider(order);
  }

  // The most traffic for each byte first; then moves units about, with a fixed seed.
  void search() {
    consider_by([](const Unit& u) {
      return static_cast<double>(u.traffic) / static_cast<double>(u.bytes);
    });
    consider_by([](const Unit& u) { return u.traffic; });
    consider_by([](const Unit& u) { return u.bytes; });
    constexpr std::size_t kWork = 10'000'000;
    const std::size_t n = units_.size();
    if (n < 2) return;
    std::uint64_t state = 0x9e3779b97f4a7c15ull;
    const auto random = [&state](std::size_t below) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      return static_cast<std::ptrdiff_t>(state % below);
    };
    for (std::size_t tries = std::min<std::size_t>(2000, kWork / (n * n)); tries-- > 0;) {
      Order order = best_;
      const std::ptrdiff_t from = random(n), to = random(n);
      const std::size_t moved = order[static_cast<std::size_t>(from)];
      order.erase(order.begin() + from);
      order.insert(order.begin() + to, moved);
      consider(order);
    }
  }

  void store() {
    p_.regions.clear();
    for (const MemoryRegion& m : memory_) p_.regions.push_back({m.name, m.bytes, m.cost, 0, 0});
    for (std::size_t u = 0; u < units_.size(); ++u) {
      ArenaRegion& region = p_.regions[places_[u].region];
      region.bytes = std::max(region.bytes, places_[u].offset + units_[u].bytes);
      region.traffic = checked_add(region.traffic, units_[u].traffic);
      for (BufferId id : units_[u].buffers) {
        p_.at(id).offset = places_[u].offset;
        p_.at(id).region = static_cast<int>(places_[u].region);
      }
    }
    p_.arena_bytes = 0;
    for (const ArenaRegion& r : p_.regions) p_.arena_bytes = checked_add(p_.arena_bytes, r.bytes);
    if (units_.empty()) best_quality_.missing = 0;
  }

  Program& p_;
  const std::vector<MemoryRegion>& memory_;
  std::vector<Lifetime> lives_;
  std::vector<Unit> units_;
  std::vector<int> unit_of_;
  Order best_;
  std::vector<Place> places_;
  Quality best_quality_;
};

}  // namespace

void divide_arena(Program& program, const std::vector<MemoryRegion>& memory,
                  Diagnostics& diagnostics) {
  const std::int64_t missing = RegionPlanner(program, memory).run();
  if (missing > 0)
    diagnostics.error("memory", "--memory",
                      fmt::format("{} needs {} bytes, {} more than it has", memory.back().name,
                                  program.regions.back().bytes, missing));
}

}  // namespace onnxc
