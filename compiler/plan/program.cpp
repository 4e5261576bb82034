#include "compiler/plan/program.hpp"

#include "compiler/support/checked.hpp"

namespace onnxc {

std::int64_t Program::bytes(BufferId id) const {
  const Buffer& b = at(id);
  return checked_mul(checked_product(fixed(b.shape)),
                     static_cast<std::int64_t>(elem_bytes(b.elem)));
}

std::pair<BufferId, std::int64_t> Program::root(BufferId id) const {
  std::int64_t offset = 0;
  while (at(id).view_of >= 0) {
    offset += at(id).view_offset;
    id = at(id).view_of;
  }
  return {id, offset};
}

Shape stored_shape(const Shape& logical, Layout layout) {
  if (layout == Layout::plain || logical.size() < 3) return logical;
  Shape s = {logical[0]};
  s.insert(s.end(), logical.begin() + 2, logical.end());
  s.push_back(logical[1]);
  return s;
}

}  // namespace onnxc
