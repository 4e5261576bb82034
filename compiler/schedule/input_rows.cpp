// Finds the layer that reads an input, and has the caller supply the rows of that image.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/kernels/convolution_calls.hpp"
#include "compiler/kernels/kernel_call.hpp"
#include "compiler/schedule/line_buffered_layers.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

const char* const kRule = "input-rows";

class Rewriter {
 public:
  Rewriter(Program& program, Diagnostics& diagnostics) : p_(program), diagnostics_(diagnostics) {}

  void run(const std::string& name) {
    const BufferId x = find(name);
    if (x < 0) return;
    const std::vector<std::size_t> readers = steps_that_use(x);
    if (readers.size() != 1)
      return refuse(
          fmt::format("{} steps read '{}': its rows are there only once", readers.size(), name));
    const LineBufferedLayers layers(p_);
    const Step& reader = p_.steps[readers[0]];
    const auto& layer = layers.at(readers[0]);
    if (!layer || layer->batch != 1 || p_.root(layer->x) != std::pair(x, Dim(0)))
      return refuse(fmt::format("what reads '{}', {} ({}), needs the whole of it", name,
                                reader.sources.empty() ? reader.name : reader.sources[0],
                                reader.title));
    insert(x, readers[0], *layer);
  }

 private:
  void refuse(const std::string& why) { diagnostics_.error(kRule, "--input-rows", why); }

  BufferId find(const std::string& name) {
    std::string all;
    for (const BufferId id : p_.inputs) {
      const Buffer& b = p_.at(id);
      const std::string& own = b.value ? b.value->name : b.name;
      if (own == name) return id;
      all += (all.empty() ? "" : ", ") + own;
    }
    refuse(fmt::format("the model has no input '{}'; it has {}", name, all));
    return -1;
  }

  std::vector<std::size_t> steps_that_use(BufferId x) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      bool uses = false;
      Program::each_buffer(p_.steps[i],
                           [&](BufferId id) { uses = uses || p_.root(id).first == x; });
      if (uses) found.push_back(i);
    }
    return found;
  }

  // Rows of planes hold the row of each plane, one after the other.
  void insert(BufferId x, std::size_t at, const LineBufferedLayer& layer) {
    const std::int64_t h = layer.window.in_h, w = layer.window.in_w, c = layer.in_c;
    Buffer rows;
    rows.name = p_.at(x).name + "_rows";
    rows.elem = p_.at(x).elem;
    rows.shape = {h, w, c};
    const auto y = static_cast<BufferId>(p_.buffers.size());
    p_.buffers.push_back(std::move(rows));
    for (Arg& arg : p_.steps[at].args)
      if (auto* b = std::get_if<BufferArg>(&arg.value); b && b->buffer == layer.x) b->buffer = y;
    RowSource<Dim, Arg> call{};
    call.shape.in_h = call.shape.out_h = h;
    call.shape.in_w = call.shape.out_w = w;
    call.shape.channels = c;
    call.shape.pixel = layer.x_row == 0 ? 1 : c;
    call.shape.plane = layer.x_row == 0 ? w : 1;
    call.shape.row = w * c;
    call.operands = {{BufferArg{x}}, {BufferArg{y, true}}};
    Step step;
    step.name = step.title = "rows of " + p_.at(x).name;
    set_call(step, call);
    step.divisible = false;
    p_.steps.insert(p_.steps.begin() + static_cast<std::ptrdiff_t>(at), std::move(step));
  }

  Program& p_;
  Diagnostics& diagnostics_;
};

}  // namespace

void stream_input_rows(Program& program, const std::string& input, Diagnostics& diagnostics) {
  Rewriter(program, diagnostics).run(input);
}

bool is_row_source(const Step& step) { return as<RowSource>(step).has_value(); }

bool is_grouped_row_source(const Step& step) { return step.group >= 0 && is_row_source(step); }

std::optional<RowInput> row_input(const Program& program) {
  const auto at = std::find_if(program.steps.begin(), program.steps.end(), is_grouped_row_source);
  if (at == program.steps.end()) return {};
  const auto call = as<RowSource>(*at);
  const RowsShape<Dim>& s = call->shape;
  const bool planes = s.pixel.is(1);
  const std::int64_t channels = s.channels.value(), width = s.in_w.value();
  return RowInput{buffer_of(call->operands.x), s.in_h.value(), planes ? channels : 1,
                  planes ? width : width * channels};
}

}  // namespace onnxc
