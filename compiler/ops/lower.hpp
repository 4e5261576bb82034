// Lowering of one node to kernel calls.
#pragma once

#include <functional>

#include "compiler/ops/call.hpp"
#include "compiler/ops/node_view.hpp"
#include "compiler/support/kernel_name.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"

namespace onnxc::ops {

class Lower : public NodeView {
 public:
  // Lowers a subgraph into the same program.
  using LowerGraph = std::function<void(const Graph&)>;

  Lower(const Node& node, Program& program, std::map<const Value*, BufferId>& buffers,
        const CompileOptions& options, const Target& target, LowerGraph lower_graph);

  const CompileOptions& options() const { return *options_; }
  const Target& target() const { return *target_; }

  // A step calling a function template of a header below templates/.
  Call call(KernelName kernel);
  // The same with a shape struct of compiler/kernels/<family>_calls.hpp.
  template <template <class> class S>
  Call call(KernelName kernel, const S<Dim>& shape) {
    Call made = call(kernel);
    made.step().params = kernel_call::params_of(shape);
    return made;
  }
  // A typed call; see compiler/kernels/kernel_call.hpp.
  template <template <class, class> class K>
  Call call(const K<Dim, Arg>& typed) {
    Call made = call(KernelName(K<Dim, Arg>::kernel));
    set_call(made.step(), typed);
    return made;
  }

  // Operands of a typed call; a null pointer where an input or output is left out.
  Arg input_arg(std::size_t i);
  Arg output_arg(std::size_t i);
  // Multiply-accumulates by the operator's row (Op::macs); all ranks are known here.
  Dim macs() const;
  // The fused body, if there is one; the fast kernels default to none.
  std::optional<Arg> fused_body();

  // Output i is input j's memory under another shape (same bytes in the same order).
  void alias(std::size_t output, std::size_t input);

  BufferId in(std::size_t i);  // buffer of an input, made from its constant where it is one
  BufferId out(std::size_t i);
  using NodeView::constant;
  BufferId constant(Tensor tensor, const std::string& role);  // "w": named <step>_w
  BufferId scratch(ElemType elem, const Dim& count, const std::string& role = "scratch");
  // Scratch that each thread of a divisible call has for itself.
  BufferId thread_scratch(ElemType elem, const Dim& count, const std::string& role = "scratch");
  BufferId scratch_like(const Type& type, const std::string& role);  // tensor or anything else
  bool is_object(BufferId buffer) const {
    return program_->at(buffer).kind == Buffer::Kind::object;
  }
  // Makes buffer `part` a view of `whole`.
  void view(BufferId part, BufferId whole, const Dim& byte_offset);

  const Shape& shape(std::size_t input) const { return *this->input(input).shape; }
  const Shape& out_shape(std::size_t output) const;
  ElemType elem(std::size_t input) const { return this->input(input).elem; }
  ElemType out_elem(std::size_t output) const;
  Layout layout(std::size_t input) const { return input_value(input).layout; }
  bool channels_last() const;  // of output 0
  // Extents in storage order.
  Shape stored(std::size_t input) const;
  Shape out_stored(std::size_t output) const;
  // Stride from one pixel of channels-last data to the next: the channels of the tensor that the
  // value is a view of, or its own.
  Dim pitch(std::size_t input) const { return pitch_of(input_value(input)); }
  Dim out_pitch(std::size_t output) const { return pitch_of(output_value(output)); }
  static Dim pitch_of(const Value& value);
  // Position of a logical axis in the storage order of output 0.
  std::size_t stored_axis(std::size_t logical_axis, std::size_t rank) const;

  // Open and close blocks of steps, for If and Loop; see Step::Kind.
  void open_if(BufferId condition) { open(Step::Kind::open_if, condition, -1, -1); }
  void open_else() { open(Step::Kind::open_else, -1, -1, -1); }
  // See Step::max_trips.
  void open_loop(BufferId counter, BufferId trips, BufferId condition,
                 std::optional<Dim> max_trips = std::nullopt, bool may_end_early = false) {
    open(Step::Kind::open_loop, condition, counter, trips);
    program_->steps.back().max_trips = std::move(max_trips);
    program_->steps.back().may_end_early = may_end_early;
  }
  void close() { open(Step::Kind::close, -1, -1, -1); }
  // For values whose size changes at run time: set_sizes assigns symbols, all at once; allocate
  // gives a buffer memory for its shape under the present assignment.
  void set_sizes(std::vector<std::pair<Dim, Dim>> symbols);
  void allocate(BufferId buffer);
  void check_sizes(std::vector<Relation> relations);
  // Lowers the nodes of a subgraph at this place. Its inputs must be bound before.
  void lower_body(const Graph& body);
  void bind(const Value& inner, BufferId buffer) { (*buffers_)[&inner] = buffer; }
  BufferId buffer_of(const Value& value);  // made from its constant where it is one
  // Copies between tensors of the same size, or from or to objects. If `from` is an object, its
  // dimensions set the symbols in the shape of `to`.
  void copy(BufferId from, BufferId to);

  // The fused body as an epilogue. Operands of the output's shape are read per element, those with
  // one value for each channel per channel.
  Lambda epilogue_lambda();
  // Inputs that belong to the operator itself; the rest are operands of the fused body.
  std::size_t own_input_count() const;

  Program& program() { return *program_; }

 private:
  friend class Call;
  void open(Step::Kind kind, BufferId condition, BufferId counter, BufferId trips);
  // Element type of a parameter that was left out, from those that share its type variable.
  ElemType absent_elem(std::size_t i, bool output) const;

  Program* program_;
  std::map<const Value*, BufferId>* buffers_;
  const CompileOptions* options_;
  const Target* target_;
  LowerGraph lower_graph_;
  std::string step_name_;
};

// A temporary node for one operation of a fused body, as argument of `scalar`.
ScalarFn scalar_of(const ScalarStep& step);

}  // namespace onnxc::ops
