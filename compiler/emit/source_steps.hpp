// The steps of a program as statements of the generated source, with the shape structs and the
// functions that kernels take as arguments: element-wise maps, epilogues and decision trees.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/source_ports.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/ir/program.hpp"

namespace onnxc {

class SourceShapes {
 public:
  // `small`: dimensions in which calls differ are members, so that calls of a kernel share one
  // instance for their shapes. Those where the same dimensions are 1 do: a kernel has other code
  // for a window of one tap or a stride of one. What is the same in all of them stays a constant.
  explicit SourceShapes(bool small) : small_(small) {}
  // The steps among which to look; those of others share nothing.
  void gather(const std::vector<Step>& steps);

  // An object of the step's shape, `Conv1Shape{n}`. Steps with the same shape share a struct, and
  // therefore one instance of the kernel.
  std::string object(const Step& step, SourceNames& names);
  std::string text() const;  // the structs of all objects so far

 private:
  struct Members;
  // For each dimension of a step's parameters, one after the other, whether it stays a constant.
  using Fixed = std::vector<bool>;
  Fixed fixed_of(const Step& step) const;
  static void add_member(const Param& param, const SourceNames& names, bool fixed,
                         Members& members);
  void write_struct(CodeWriter& w, const std::string& name, const std::string& body) const;

  // The dimensions of the first step of a group, and whether all others have the same.
  struct Group {
    std::vector<Dim> first;
    Fixed same;
  };

  const bool small_;
  std::map<std::string, Group> groups_;
  std::map<std::string, std::string> structs_;  // body -> name
  std::vector<const std::pair<const std::string, std::string>*> order_;
};

// A struct with a function for each tree and `each`, which visits them; its name is @.
std::string emit_trees(const DecisionTrees& trees);

class SourceFunctions {
 public:
  // Each returns the expression for the function in a call; equal functions share a definition.
  // `pointer` writes a buffer that an epilogue reads.
  using Pointer = std::function<std::string(BufferId)>;
  std::string map(const Lambda& f, SourceNames& names);
  std::string epilogue(const Lambda& f, const Pointer& pointer, SourceNames& names);
  std::string trees(const DecisionTrees& trees, SourceNames& names);
  void write(CodeWriter& w) const;  // the definitions of all functions so far

 private:
  std::string named(const std::string& text, const Identifier& stem, SourceNames& names);

  std::map<std::string, std::string> functions_;  // text with @ for the name -> name
  std::vector<const std::pair<const std::string, std::string>*> order_;
};

// Definitions that the functions of a source share.
struct SourceDefinitions {
  explicit SourceDefinitions(const EmitContext& run) : shapes(run.options.optimize_size) {
    for (const std::string& name : run.reserved) names.reserve(name);
    shapes.gather(run.program.steps);
    if (run.training == nullptr) return;
    for (const EmitContext& function : run.training->functions)
      shapes.gather(function.program.steps);
  }
  NameScope names;  // at namespace level
  SourceShapes shapes;
  SourceFunctions functions;
};

class SourceSteps {
 public:
  SourceSteps(const EmitContext& context, SourceNames& names, SourceDefinitions& definitions)
      : c_(context),
        p_(context.program),
        names_(names),
        definitions_(definitions),
        declared_here_(declared_at_first_use(context)) {}

  // Steps that allocate or free memory are merged into one statement, and so are the layers of a
  // line-buffered group; `finish` writes the pending ones at the end.
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

 private:
  void call(CodeWriter& w, const Step& step);
  std::string call_text(CodeWriter& w, const Step& step, std::string& reported);
  void run_layer(CodeWriter& w, const Step& step);
  void finish_group(CodeWriter& w);
  void block(CodeWriter& w, const Step& step);
  void finish_frees(CodeWriter& w);
  void finish_takes(CodeWriter& w);
  void size_step(CodeWriter& w, const Step& step) const;
  bool is_optional(const Port& port) const;
  void allocate(CodeWriter& w, BufferId id) const;
  void set_size(CodeWriter& w, const std::string& name, const std::string& value) const;
  void take_extents(CodeWriter& w, const Shape& extents, const std::string& reported) const;
  std::string unless_absent(const Step& step) const;
  std::string argument(const Arg& arg);
  std::string chunk_argument(const Arg& arg);
  CommentText source_comment(const Step& step) const;

  const EmitContext& c_;
  const Program& p_;
  SourceNames& names_;
  SourceDefinitions& definitions_;
  const std::vector<bool> declared_here_;
  Place place_;
  std::vector<BufferId> taken_, freed_;  // since the last statement
  std::vector<const Step*> layers_;      // of the group that is not yet written
};

// The condition under which a relation does not hold.
std::string broken(const Relation& r, const SourceNames& names);

}  // namespace onnxc
