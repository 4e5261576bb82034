// Gives new values of state variables the memory of the old ones.
#include "compiler/schedule/schedule.hpp"

#include <algorithm>

#include "compiler/ir/nesting.hpp"

namespace onnxc {
namespace {

class InPlaceUpdates {
 public:
  explicit InPlaceUpdates(Program& program) : p_(program) {}

  void run() {
    for (std::size_t i = 0; i < p_.steps.size();) {
      const auto copy = update_at(i);
      if (copy && is_possible(copy->first, copy->second, i)) {
        p_.at(copy->first).view_of = copy->second;
        p_.steps.erase(p_.steps.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
  }

 private:
  // The buffers of a copy to a variable: from, to.
  std::optional<std::pair<BufferId, BufferId>> update_at(std::size_t i) const {
    const Step& s = p_.steps[i];
    if (!s.is_update) return std::nullopt;
    const BufferId from = std::get<BufferArg>(s.args[0].value).buffer;
    const BufferId to = std::get<BufferArg>(s.args[1].value).buffer;
    if (p_.at(from).kind != Buffer::Kind::arena || p_.at(from).view_of >= 0) return std::nullopt;
    return std::pair(from, to);
  }

  bool is_possible(BufferId from, BufferId to, std::size_t copy) const {
    if (!(p_.bytes(from) == p_.bytes(to)) || p_.at(from).allocated_by_steps) return false;
    std::size_t written = p_.steps.size(), last_read = 0;
    bool read = false;
    for (std::size_t i = 0; i < p_.steps.size(); ++i)
      Program::each_buffer(p_.steps[i], [&](BufferId id) {
        const BufferId root = p_.root(id).first;
        if (root == from) written = std::min(written, i);
        if (root == to && i != copy) {
          last_read = i;
          read = true;
        }
      });
    if (written < p_.steps.size() && Nesting(p_).is_nested(written)) return false;
    return !read || last_read < written || (last_read == written && may_share(written, to, from));
  }

  bool may_share(std::size_t step, BufferId to, BufferId from) const {
    const auto& pairs = p_.steps[step].may_share;
    return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
      const auto [input, input_offset] = p_.root(pair.first);
      const auto [output, output_offset] = p_.root(pair.second);
      return input == to && output == from && input_offset.is(0) && output_offset.is(0) &&
             p_.bytes(pair.first) == p_.bytes(to);
    });
  }

  Program& p_;
};

}  // namespace

void update_in_place(Program& program) { InPlaceUpdates(program).run(); }

}  // namespace onnxc
