// The steps of a program as statements of the generated source.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/source_functions.hpp"
#include "compiler/emit/source_names.hpp"
#include "compiler/emit/source_shapes.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

class SourceSteps {
 public:
  SourceSteps(const EmitContext& context, SourceNames& names)
      : c_(context),
        p_(context.program),
        names_(names),
        shapes_(names, context.options.optimize_size),
        functions_(names) {}

  // Steps that allocate or free memory are merged into one statement; `finish` writes the pending
  // ones at the end.
  void write(CodeWriter& w, const Step& step);
  void finish(CodeWriter& w);
  // The function that holds the statements: run(), or an outlined function, which returns a Status
  // and whose nodes are named without `prefix`.
  struct Place {
    bool in_run = true;
    std::string prefix;
  };
  Place enter(Place place) { return std::exchange(place_, std::move(place)); }
  // A node's name without the prefix of the function.
  std::string inner_name(const std::string& source) const;
  // The expression to return for a Status.
  std::string failure(const char* status) const {
    return place_.in_run ? std::string("report(") + status + ")" : status;
  }
  // Stores the dimensions of an output for the caller and checks that it fits.
  void open_output(CodeWriter& w, const Port& port) const;

  // Facilities that the steps written so far use.
  const SourceShapes& shapes() const { return shapes_; }
  const SourceFunctions& functions() const { return functions_; }

 private:
  void call(CodeWriter& w, const Step& step);
  void block(CodeWriter& w, const Step& step);
  void finish_frees(CodeWriter& w);
  void finish_takes(CodeWriter& w);
  void size_step(CodeWriter& w, const Step& step) const;
  void allocate(CodeWriter& w, BufferId id) const;
  void take_extents(CodeWriter& w, const Shape& extents, const std::string& reported) const;
  std::string argument(const Arg& arg);
  std::string chunk_argument(const Arg& arg);
  CommentText source_comment(const Step& step) const;

  const EmitContext& c_;
  const Program& p_;
  SourceNames& names_;
  SourceShapes shapes_;
  SourceFunctions functions_;
  Place place_;
  std::vector<BufferId> taken_, freed_;  // since the last statement
};

// The condition under which a relation does not hold.
std::string broken(const Relation& r, const SourceNames& names);

}  // namespace onnxc
