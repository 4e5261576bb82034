// The steps of a program as statements of the generated source.
#pragma once

#include <string>

#include "compiler/emit/source_functions.hpp"
#include "compiler/emit/source_names.hpp"
#include "compiler/emit/source_shapes.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

// True for the steps that keep account of sizes and of memory from the heap.
bool is_size_step(const Step& step);

class SourceSteps {
 public:
  SourceSteps(const EmitContext& context, SourceNames& names)
      : c_(context), p_(context.program), names_(names), shapes_(names), functions_(names) {}

  void write(CodeWriter& w, const Step& step);
  // Tells the caller the extents of an output and makes sure that it fits.
  void open_output(CodeWriter& w, const Port& port) const;

  // What the steps written so far use.
  const SourceShapes& shapes() const { return shapes_; }
  const SourceFunctions& functions() const { return functions_; }

 private:
  void call(CodeWriter& w, const Step& step);
  void block(CodeWriter& w, const Step& step) const;
  void size_step(CodeWriter& w, const Step& step) const;
  void allocate(CodeWriter& w, BufferId id) const;
  void take_extents(CodeWriter& w, const Shape& extents, const std::string& reported) const;
  std::string argument(const Arg& arg);

  const EmitContext& c_;
  const Program& p_;
  SourceNames& names_;
  SourceShapes shapes_;
  SourceFunctions functions_;
};

// The condition under which a relation does not hold.
std::string broken(const Relation& r, const SourceNames& names);

}  // namespace onnxc
