#include "compiler/schedule/row_blocking.hpp"

#include <algorithm>

namespace onnxc::row_blocking {
namespace {

// Below this a tensor stays in the second-level cache by itself.
constexpr std::int64_t kResidentBytes = 512 * 1024;
constexpr std::int64_t kMostRows = 16;

bool has_fixed_extents(const Step& step) {
  return std::all_of(step.params.begin(), step.params.end(), [](const Param& p) {
    const Dim* d = std::get_if<Dim>(&p.value);
    return d && d->is_const();
  });
}

}  // namespace

const Dim* find_dim(const Step& step, const std::string& name) {
  for (const Param& p : step.params)
    if (p.name == name) return std::get_if<Dim>(&p.value);
  return nullptr;
}

std::int64_t extent(const Step& step, const std::string& name) {
  return find_dim(step, name)->value();
}

bool is_one(const Step& step, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const char* name) { return extent(step, name) == 1; });
}

bool is_call(const Step& step, const char* kernel) {
  return step.kind == Step::Kind::call && step.kernel == kernel && has_fixed_extents(step);
}

BufferId buffer_of(const Step& step, std::size_t arg) {
  const auto* b = std::get_if<BufferArg>(&step.args[arg].value);
  return b ? b->buffer : -1;
}

Uses::Uses(const Program& program) : p_(program), uses_(program.buffers.size(), 0) {
  const auto use = [&](BufferId id) { ++uses_[static_cast<std::size_t>(id)]; };
  for (const Step& step : program.steps) Program::each_buffer(step, use);
  for (const Buffer& b : program.buffers)
    if (b.view_of >= 0) use(b.view_of);
}

bool Uses::only_once(BufferId written, BufferId read) const {
  if (written < 0 || written != read) return false;
  const Buffer& b = p_.at(written);
  return uses_[static_cast<std::size_t>(written)] == 2 && b.kind == Buffer::Kind::arena &&
         b.view_of < 0;
}

bool Uses::only_between(BufferId written, BufferId read) const {
  return only_once(written, read) && p_.bytes(written).value() > kResidentBytes;
}

std::int64_t band_rows(std::int64_t all, std::int64_t most,
                       const std::function<std::int64_t(std::int64_t)>& floats) {
  std::int64_t rows = 1;
  while (rows < std::min(all, kMostRows) && floats(rows + 1) <= most) ++rows;
  const std::int64_t bands = (all + rows - 1) / rows;
  return (all + bands - 1) / bands;
}

BufferId add_band(Program& program, const Step& step, std::int64_t floats) {
  Buffer b;
  b.name = step.name + "_band";
  b.elem = ElemType::float32;
  b.shape = {floats};
  b.per_thread = true;
  program.buffers.push_back(std::move(b));
  return static_cast<BufferId>(program.buffers.size() - 1);
}

void add_stage(Step& to, const Step& stage) {
  to.args.push_back(stage.args[1]);
  to.args.push_back(stage.args[2]);
  Lambda none;
  none.form = Lambda::Form::epilogue;
  to.args.push_back(stage.args.size() > 4 ? stage.args[4] : Arg{none});
  to.sources.insert(to.sources.end(), stage.sources.begin(), stage.sources.end());
  to.title += (to.title.empty() ? "" : ", ") + stage.title;
  to.macs += stage.macs;
}

std::string shape_note(const Step& first, const Step& last) {
  const auto after = std::min(last.shape_note.find(" -> "), last.shape_note.size());
  return first.shape_note.substr(0, first.shape_note.find(" -> ")) + last.shape_note.substr(after);
}

}  // namespace onnxc::row_blocking
