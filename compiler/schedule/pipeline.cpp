// The order of the steps of the schedule, as a table.
#include "compiler/schedule/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "compiler/ir/print_program.hpp"
#include "compiler/schedule/schedule.hpp"
#include "compiler/schedule/verify.hpp"
#include "compiler/support/pass_log.hpp"

namespace onnxc {
namespace {

bool reads_rows(const ScheduleContext& context) {
  return context.inference && !context.options.input_rows.empty();
}

// Fuses steps, and writes parts of results in their places, for the sake of caches.
void fuse_steps(Program& program, ScheduleContext& context) {
  if (reads_rows(context)) return;
  if (context.target.small_memory) context.unfused = program;
  const std::size_t steps = program.steps.size();
  fuse_depthwise(program);
  fuse_conv_pool(program);
  write_parts(program);
  if (program.steps.size() == steps) context.unfused.reset();
}

void stream_input(Program& program, ScheduleContext& context) {
  if (reads_rows(context))
    stream_input_rows(program, context.options.input_rows, context.diagnostics);
}

void stage(Program& program, ScheduleContext& context) {
  if (!context.target.flash_apart) return;
  stage_constants(program, context.diagnostics);
  if (context.unfused) stage_constants(*context.unfused, context.diagnostics);
}

// Bytes that the arena may have; none: as few as possible.
std::optional<std::int64_t> arena_limit(const CompileOptions& options) {
  return options.arena_limit ? options.arena_limit : options.ram_limit;
}

void place(Program& program, const ScheduleContext& context) {
  plan_threads(program, context.threads, context.target);
  if (!context.options.plain && (context.target.small_memory || reads_rows(context)))
    plan_memory_line_buffered(program, arena_limit(context.options), context.target);
  else
    plan_memory(program);
}

// Where memory is small, fused steps stay only if the arena does not grow, or is within the limit.
void place_buffers(Program& program, ScheduleContext& context) {
  place(program, context);
  if (!context.unfused) return;
  place(*context.unfused, context);
  const std::optional<std::int64_t> limit = arena_limit(context.options);
  const bool fits = limit && program.arena_bytes <= *limit;
  if (!fits && context.unfused->arena_bytes < program.arena_bytes)
    program = std::move(*context.unfused);
  context.unfused.reset();
}

void check_row_input(Program& program, ScheduleContext& context) {
  if (!reads_rows(context)) return;
  if (std::none_of(program.steps.begin(), program.steps.end(), [](const Step& step) {
        return is_row_source(step) && !is_grouped_row_source(step);
      }))
    return;
  context.diagnostics.error(
      "input-rows", "--input-rows",
      fmt::format("what reads '{}' is not compiled row by row: that takes one image, fixed sizes, "
                  "one thread, and no --plain",
                  context.options.input_rows));
}

void divide_among_memories(Program& program, ScheduleContext& context) {
  if (context.inference && !context.options.memory.empty())
    divide_arena(program, context.options.memory, context.diagnostics);
}

constexpr SchedulePass kPipeline[] = {
    {"mark_alias_hazards", [](Program& p, ScheduleContext&) { mark_alias_hazards(p); }, 0},
    {"update_in_place", [](Program& p, ScheduleContext&) { update_in_place(p); },
     SchedulePass::optional},
    {"remove_dead_steps", [](Program& p, ScheduleContext&) { remove_dead_steps(p); }, 0},
    {"stream_input", stream_input, 0},
    {"fuse_steps", fuse_steps, SchedulePass::optional},
    {"stage_constants", stage, 0},
    {"place_buffers", place_buffers, SchedulePass::places},
    {"name_steps", [](Program& p, ScheduleContext&) { name_steps(p); }, 0},
    {"check_row_input", check_row_input, 0},
    {"check_target_limits",
     [](Program& p, ScheduleContext& c) { check_target_limits(p, c.target, c.diagnostics); }, 0},
    {"divide_among_memories", divide_among_memories, 0},
};

// For larger programs a check after every step would cost too much time.
constexpr std::size_t kMaxVerified = 2000;

void check(const Program& program, const char* pass, bool placed) {
  if (program.steps.size() > kMaxVerified) return;
  const auto problems = verify(program, placed);
  if (!problems.empty())
    throw std::logic_error(fmt::format("after {}: {}", pass, problems.front()));
}

}  // namespace

std::span<const SchedulePass> schedule_pipeline() { return kPipeline; }

void run_schedule(Program& program, ScheduleContext& context) {
  PassLog log(context.options, context.first_number);
  log.finish("lower", "program", [&] { return print(program); });
  bool placed = false;
  check(program, "lower", placed);
  for (const SchedulePass& pass : kPipeline) {
    if (pass.is(SchedulePass::optional) && log.skips_optional()) {
      log.skip();
      continue;
    }
    log.start();
    pass.run(program, context);
    log.finish(pass.name, "program", [&] { return print(program); });
    if (context.diagnostics.has_errors()) return;
    placed = placed || pass.is(SchedulePass::places);
    check(program, pass.name, placed);
  }
}

}  // namespace onnxc
