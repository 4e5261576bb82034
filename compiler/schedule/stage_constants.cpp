// stage_constants: where loads do not reach constants, copies of them are in the arena while a step
// reads them, unless its kernel reads them by constant_at.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "compiler/kernels/convolution_int8_calls.hpp"
#include "compiler/kernels/normalization_calls.hpp"
#include "compiler/kernels/quantization_calls.hpp"
#include "compiler/kernels/recurrent_calls.hpp"
#include "compiler/schedule/schedule.hpp"

namespace onnxc {
namespace {

// Operands [begin, end) that a kernel reads by constant_at, and no other way.
struct DirectReads {
  std::string_view kernel;
  std::size_t begin, end;
};
constexpr DirectReads kDirect[] = {{Conv2dInt8Nhwc<Dim, Arg>::kernel, 1, 4},
                                   {kSoftmaxInt8, 1, 2},
                                   {kLayerNormInt8, 1, 4},
                                   {kRmsNormInt8, 1, 4},
                                   {kLookupBytes, 1, 2},
                                   {kLstmByteWeights, 2, 7},
                                   {kGruByteWeights, 2, 8}};

// Kernels that pass operands on to those of kDirect, though not all of them are constants.
constexpr std::string_view kUnsupported[] = {Conv2dInt8NhwcZero<Dim, Arg>::kernel, kLstmInt8};

bool is_direct(const std::string& kernel, std::size_t operand) {
  return std::any_of(std::begin(kDirect), std::end(kDirect), [&](const DirectReads& d) {
    return d.kernel == kernel && d.begin <= operand && operand < d.end;
  });
}

// What reads of flash reach, less the vectors of interrupts and what else comes before constants.
constexpr std::int64_t kReach = 60 << 10;

class Stages {
 public:
  Stages(Program& program, Diagnostics& diagnostics) : p_(program), diagnostics_(diagnostics) {}

  void run() {
    std::vector<Step> steps;
    steps.swap(p_.steps);
    for (Step& step : steps) {
      check(step);
      copies_.clear();
      for (std::size_t i = 0; i < step.args.size(); ++i) stage(step, i);
      for (BufferId* id : {&step.condition, &step.trips})
        if (*id >= 0) *id = staged(*id);
      p_.steps.push_back(std::move(step));
    }
    check_size();
  }

 private:
  bool is_constant(BufferId id) const {
    return p_.at(p_.root(id).first).kind == Buffer::Kind::constant;
  }

  void check_size() {
    std::set<BufferId> constants;
    for (const Step& step : p_.steps)
      Program::each_buffer(step, [&](BufferId id) {
        if (is_constant(id)) constants.insert(p_.root(id).first);
      });
    std::int64_t bytes = 0;
    for (const BufferId id : constants)
      bytes += static_cast<std::int64_t>(p_.at(id).constant.bytes().size());
    if (bytes > kReach)
      diagnostics_.error("too-large", "",
                         fmt::format("{} bytes of weights; this target reads {}", bytes, kReach));
  }

  void check(const Step& step) {
    bool supported = std::find(std::begin(kUnsupported), std::end(kUnsupported), step.kernel) ==
                     std::end(kUnsupported);
    for (std::size_t i = 0; i < step.args.size(); ++i)
      if (const auto* b = std::get_if<BufferArg>(&step.args[i].value))
        supported = supported && (!is_direct(step.kernel, i) || is_constant(b->buffer)) &&
                    (!is_constant(b->buffer) || p_.at(b->buffer).elem != ElemType::string);
    if (!supported)
      diagnostics_.error("unsupported", step.title,
                         "this target has no kernel for weights, zero points or texts in flash");
  }

  void stage(Step& step, std::size_t i) {
    if (auto* b = std::get_if<BufferArg>(&step.args[i].value)) {
      if (!is_direct(step.kernel, i)) b->buffer = staged(b->buffer);
    } else if (auto* f = std::get_if<Lambda>(&step.args[i].value)) {
      // The emitter reads the floats of an epilogue by constant_at.
      for (Lambda::Capture& c : f->captures)
        if (c.read == Lambda::Read::scalar || p_.at(c.buffer).elem != ElemType::float32)
          c.buffer = staged(c.buffer);
    }
  }

  // What a step reads in place of a buffer.
  BufferId staged(BufferId id) {
    if (!is_constant(id)) return id;
    const auto [found, fresh] = copies_.emplace(id, id);
    if (!fresh) return found->second;
    Buffer copy = p_.at(id);
    if (copy.view_of >= 0) {
      copy.view_of = staged(copy.view_of);
    } else {
      copy.kind = Buffer::Kind::arena;
      copy.constant = {};
      copy.value = nullptr;
    }
    const bool whole = copy.view_of < 0;
    const auto to = static_cast<BufferId>(p_.buffers.size());
    p_.buffers.push_back(std::move(copy));
    copies_[id] = to;
    if (whole) add_copy(id, to);
    return to;
  }

  void add_copy(BufferId from, BufferId to) {
    Step step;
    step.name = "load_" + p_.at(from).name;
    step.kernel = "copy_constant";
    step.title = "Load " + p_.at(from).name;
    step.params = {{"count", product(p_.at(from).shape)}};
    step.args = {{BufferArg{from, false}}, {BufferArg{to, true}}};
    p_.steps.push_back(std::move(step));
  }

  Program& p_;
  Diagnostics& diagnostics_;
  std::map<BufferId, BufferId> copies_;  // of the step
};

}  // namespace

void stage_constants(Program& program, Diagnostics& diagnostics) {
  Stages(program, diagnostics).run();
}

}  // namespace onnxc
