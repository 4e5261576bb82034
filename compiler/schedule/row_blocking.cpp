// Uses of buffers, and sizes of row blocks, for the fusion of steps.
#include "compiler/schedule/row_blocking.hpp"

#include <algorithm>

namespace onnxc::row_blocking {
namespace {

// A smaller tensor stays in the second-level cache anyway.
constexpr std::int64_t kResidentBytes = 512 * 1024;
constexpr std::int64_t kMaxRows = 16;
constexpr std::int64_t kExpectedPixels = 224;

}  // namespace

ExpectedSizes::ExpectedSizes(const Program& program, const Dim& batch) : p_(program) {
  batch.collect_symbols(batch_);
}

std::int64_t ExpectedSizes::of(const Dim& d) const {
  const Dim expected = d.substitute([this](const std::string& name) -> std::optional<Dim> {
    if (std::find(batch_.begin(), batch_.end(), name) != batch_.end()) return 1;
    return p_.at_most(Dim::symbol(name)).value_or(kExpectedPixels);
  });
  return expected.constant().value_or(kExpectedPixels);
}

Uses::Uses(const Program& program) : p_(program), uses_(program.buffers.size(), 0) {
  const auto use = [&](BufferId id) { ++uses_[static_cast<std::size_t>(id)]; };
  for (const Step& step : program.steps) Program::each_buffer(step, use);
  for (const Buffer& b : program.buffers)
    if (b.view_of >= 0) use(b.view_of);
}

bool Uses::only_once(const Arg& written, const Arg& read) const {
  const BufferId id = buffer_of(written);
  if (id < 0 || id != buffer_of(read)) return false;
  const Buffer& b = p_.at(id);
  return uses_[static_cast<std::size_t>(id)] == 2 && b.kind == Buffer::Kind::arena && b.view_of < 0;
}

bool Uses::only_between(const Arg& written, const Arg& read, const ExpectedSizes& sizes) const {
  return only_once(written, read) && sizes.of(p_.bytes(buffer_of(written))) > kResidentBytes;
}

std::int64_t row_block_rows(std::int64_t height, std::int64_t most,
                            const std::function<Dim(std::int64_t)>& floats) {
  std::int64_t rows = 1;
  while (rows < std::min(height, kMaxRows) && floats(rows + 1).value() <= most) ++rows;
  const std::int64_t row_blocks = (height + rows - 1) / rows;
  return (height + row_blocks - 1) / row_blocks;
}

Arg add_row_block(Program& program, const Step& step, const Dim& floats) {
  Buffer b;
  b.name = step.name + "_row_block";
  b.elem = ElemType::float32;
  b.shape = {floats};
  b.per_thread = true;
  program.buffers.push_back(std::move(b));
  return {BufferArg{static_cast<BufferId>(program.buffers.size() - 1), true}};
}

Arg epilogue_or_identity(const std::optional<Arg>& epilogue) {
  if (epilogue) return *epilogue;
  Lambda identity;
  identity.form = Lambda::Form::epilogue;
  return {identity};
}

void add_notes(Step& to, const Step& stage) {
  add_sources(to.sources, stage.sources);
  to.title += (to.title.empty() ? "" : ", ") + stage.title;
  to.macs = to.macs + stage.macs;
  if (to.inputs.is(0)) to.inputs = stage.inputs;
  to.outputs = stage.outputs;
}

std::string shape_note(const Step& first, const Step& last) {
  const auto after = std::min(last.shape_note.find(" -> "), last.shape_note.size());
  return first.shape_note.substr(0, first.shape_note.find(" -> ")) + last.shape_note.substr(after);
}

}  // namespace onnxc::row_blocking
