// The steps between lowering and the emitter, as a table.
#pragma once

#include <optional>
#include <span>

#include "compiler/ir/program.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/options.hpp"
#include "compiler/support/target.hpp"

namespace onnxc {

struct ScheduleContext {
  const CompileOptions& options;
  const Target& target;
  Diagnostics& diagnostics;
  int threads = 1;
  std::size_t first_number = 0;  // of the lowering, in the list of all passes
  bool inference = true;         // options for ports and the arena are about the inference program
  // The program before steps were fused, where that may not make the arena larger.
  std::optional<Program> unfused = std::nullopt;
};

struct SchedulePass {
  enum Trait : unsigned {
    optional = 1,  // only makes code better; --plain leaves it out
    places = 2,    // gives buffers their places: passes before it may change buffers and lifetimes
  };

  const char* name;
  void (*run)(Program&, ScheduleContext&);
  unsigned traits;

  constexpr bool is(Trait t) const { return (traits & t) != 0; }
};
std::span<const SchedulePass> schedule_pipeline();

// Runs all of them; stops after one that reports an error.
void run_schedule(Program& program, ScheduleContext& context);

}  // namespace onnxc
