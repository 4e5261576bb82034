// A kernel call under construction.
#pragma once

#include <initializer_list>

#include "compiler/kernels/kernel_call.hpp"

namespace onnxc::ops {

class Lower;

// Builds one Step; arguments follow the shape struct in the order they are added.
class Call {
 public:
  Call(Lower& lower, std::size_t step) : lower_(&lower), step_(step) {}

  Call& template_arg(const std::string& text);  // explicit template argument: "14"
  Call& template_arg(ElemType type);            // its C++ name

  Call& in(std::size_t i);   // input i, or nullptr when it is left out
  Call& out(std::size_t i);  // output i, or nullptr when it is left out
  Call& in(std::initializer_list<std::size_t> inputs);
  Call& out(std::initializer_list<std::size_t> outputs);
  Call& read(BufferId buffer);  // scratch or a packed constant
  Call& write(BufferId buffer);
  // As in and out, with a null pointer of type `missing` where it is left out: for kernels that
  // deduce a type from the pointer.
  Call& in(std::size_t i, ElemType missing);
  Call& out(std::size_t i, ElemType missing);
  Call& null(ElemType elem = ElemType::undefined, bool writes = false);
  Call& value(const Dim& v);  // an Index literal
  Call& value(float v);
  // Index* arguments, one for each dimension, through which the kernel reports dynamic dimensions;
  // constants are checked. Add them before an argument that needs memory of that size.
  Call& extents(const Shape& reported);
  Call& block(BufferId buffer);  // a heap buffer itself, for kernels that let it grow
  Call& heap();                  // the call's Heap, for memory of unbounded size
  Call& devices();               // the functions that reach other devices
  Call& user_function(const std::string& name);  // a function template of the user
  Call& params(std::vector<Param> params);       // the members of the shape
  // The callback for a tensor of this name in the model.
  Call& probe(const std::string& name, ElemType elem);
  Call& trees(std::shared_ptr<const DecisionTrees> trees);
  // Arguments added between these two are the members of one struct argument: `type{a, b, c}`.
  Call& begin_struct(const std::string& type);
  Call& end_struct();
  Call& epilogue();  // the node's fused body, or the identity
  Call& lambda(Lambda f);

  Call& may_share(std::size_t input, std::size_t output = 0);  // in place is fine
  // The kernel stores each element of output 0 once, after the epilogue: a state variable that only
  // the epilogue reads, at the same element, may become the output.
  Call& update_in_place();
  // The kernel computes the chunk chunk_of(s), so that several threads may share the call.
  Call& divisible();
  Call& one_chunk_a_thread();                // chunks of the call wait for each other's results
  Call& is_part_at(const Dim& byte_offset);  // see Step::part_offset
  Call& integers(const char* param);         // this part of the shape is of int64, not of Index
  Call& constant(const char* param);         // this part of the shape has to be a constant
  Call& macs(const Dim& count);              // multiply-accumulates, for the reports
  // In a program that trains, adds the member `draw` to the shape of a random kernel: its numbers
  // differ from one run to the next.
  Call& with_fresh_rng_stream();

 private:
  friend class Lower;
  Step& step();
  Param& member(std::string_view name);  // of the shape
  Lower* lower_;
  std::size_t step_;
};

// Scratch, packed constants and null pointers as operands of a typed call.
inline Arg read_arg(BufferId buffer) { return {BufferArg{buffer, false}}; }
inline Arg write_arg(BufferId buffer) { return {BufferArg{buffer, true}}; }
inline Arg null_arg(ElemType elem = ElemType::undefined, bool writes = false) {
  return {NullArg{elem, writes}};
}

inline Dim rank_of(const Shape& s) { return static_cast<std::int64_t>(s.size()); }

}  // namespace onnxc::ops
