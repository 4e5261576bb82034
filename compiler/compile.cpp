#include "compiler/compile.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/names.hpp"
#include "compiler/emit/report.hpp"
#include "compiler/emit/writer.hpp"
#include "compiler/import/import.hpp"
#include "compiler/passes/pass.hpp"
#include "compiler/schedule/fuse_conv_pool.hpp"
#include "compiler/schedule/fuse_depthwise.hpp"
#include "compiler/schedule/lower.hpp"
#include "compiler/schedule/memory.hpp"
#include "compiler/schedule/threads.hpp"
#include "compiler/support/checked.hpp"

namespace onnxc {
namespace {

// "models/kws.onnx" -> "kws"
std::string file_stem(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string resolve_base(const CompileOptions& o) {
  return o.output_base.empty() ? file_stem(o.model) : o.output_base;
}

// The last path part, without taking a dot for an extension.
std::string base_name(const std::string& base) {
  const std::size_t slash = base.find_last_of('/');
  return slash == std::string::npos ? base : base.substr(slash + 1);
}

Dim total_macs(const Program& program) {
  Dim macs = 0;
  for (const Step& s : program.steps) macs = macs + s.macs;
  return macs;
}

StepInfo describe_step(const Program& program, const Step& step) {
  if (step.kind != Step::Kind::call) return {};
  StepInfo info{step.name, step.title, step.shape_note, step.macs, 0};
  std::set<BufferId> seen;
  Program::each_buffer(step, [&](BufferId id) {
    if (!seen.insert(id).second) return;
    const Buffer& b = program.at(id);
    if (b.kind == Buffer::Kind::constant)
      info.bytes += static_cast<std::int64_t>(b.constant.bytes().size());
    else if (b.kind != Buffer::Kind::object)
      info.bytes += program.bytes(id).is_const() ? program.bytes(id).value() : 0;
  });
  return info;
}

// The sizes that keep a program from living without a heap.
void refuse_heap(const Program& program, Diagnostics& diagnostics) {
  std::vector<std::string> symbols;
  for (const Buffer& b : program.buffers)
    if (b.kind == Buffer::Kind::heap)
      for (const Dim& d : b.shape)
        if (!program.at_most(d)) d.collect_symbols(symbols);
  // An extent with a bound of its own is as large as what that is made of.
  for (std::size_t i = 0; i < symbols.size(); ++i)
    if (const SizeSymbol* s = program.symbol(symbols[i]); s && s->range.at_most)
      s->range.at_most->collect_symbols(symbols);
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  std::string named, inner;
  for (const std::string& s : symbols) {
    const SizeSymbol* symbol = program.symbol(s);
    std::string& list = symbol && symbol->input >= 0 ? named : inner;
    if (!symbol || !program.at_most(Dim::symbol(s))) list += (list.empty() ? "" : ", ") + s;
  }
  std::string message = "the model needs a heap";
  if (!named.empty())
    message += fmt::format("; bound its dimensions with --dim NAME=LO..HI: {}", named);
  if (named.empty() && !inner.empty()) message += ": the data decides about sizes without a bound";
  const auto object = std::find_if(program.buffers.begin(), program.buffers.end(),
                                   [](const auto& b) { return b.kind == Buffer::Kind::object; });
  if (object != program.buffers.end())
    message += fmt::format("; {} is a {}", quoted(object->name), object->type.to_string());
  diagnostics.error("no-heap", "--no-heap", message);
}

Program build_program(Model& model, const CompileOptions& options, const Target& target,
                      Diagnostics& diagnostics) {
  PassContext context{options, target, diagnostics};
  run_pipeline(model.graph, context);
  if (diagnostics.has_errors()) return {};
  Program program = lower_graph(model.graph, target, diagnostics);
  if (!diagnostics.has_errors()) {
    fuse_depthwise(program);
    fuse_conv_pool(program);
    plan_threads(program, options.threads, target);
    plan_memory(program);
  }
  if (!diagnostics.has_errors() && options.no_heap && program.uses_heap())
    refuse_heap(program, diagnostics);
  return program;
}

std::string make_rule(const CompileResult& r) {
  const auto escaped = [](const std::string& path) {
    std::string s;
    for (const char c : path) {
      if (c == ' ' || c == '#' || c == '\\') s += '\\';
      if (c == '$') s += '$';
      s += c;
    }
    return s;
  };
  std::string rule = escaped(r.base + ".cpp") + ":";
  for (const std::string& f : r.model_files) rule += " \\\n  " + escaped(f);
  return rule + "\n";
}

void add_side_files(const EmitContext& context, const CompileOptions& options, CompileResult& r) {
  for (const std::string& path : options.reports)
    r.files.push_back(
        {path, path.ends_with(".html") ? html_report(context) : json_report(context)});
  if (options.write_depfile)
    r.files.push_back({options.depfile.empty() ? r.base + ".d" : options.depfile, make_rule(r)});
}

}  // namespace

CompileResult compile(const CompileOptions& options, Diagnostics& diagnostics) {
  CompileResult r;
  const Target base_target = make_target(options.target);
  Target target = base_target;
  target.optimize_size = options.optimize_size;
  if (options.optimize_size) target.gemm_rows = std::min(target.gemm_rows, 4);
  target.trees_as_code = options.trees_as_code;
  target.strict_fp = options.strict_fp;
  Model model = import_model(options.model, diagnostics, options.given_inputs);
  if (diagnostics.has_errors()) return r;
  Program program;
  try {
    program = build_program(model, options, target, diagnostics);
  } catch (const OverflowError& e) {
    diagnostics.error("overflow", "", e.what());
  }
  if (diagnostics.has_errors()) return r;
  r.base = resolve_base(options);
  EmitContext context{model, program, target, options, {}, {}, base_name(r.base),
                      {},    {},      {},     0,       {}};
  context.name = identifier_from(options.name.empty() ? context.stem : options.name);
  if (is_reserved(context.name)) context.name += "_model";
  context.name_space = options.name_space.empty() ? context.name : options.name_space;
  const auto reserved = interface_names(context.name);
  context.inputs = make_ports(program, program.inputs, model.graph.inputs, reserved);
  context.outputs = make_ports(program, program.outputs, model.graph.outputs, reserved);
  context.reserved = source_names(context);
  context.weights = plan_weights(program, options.weights, context.reserved);
  context.macs = total_macs(program);
  r.name = context.name;
  r.inputs = context.inputs;
  r.outputs = context.outputs;
  r.arena_bytes = program.arena_bytes;
  r.arena_lower_bound = program.lower_bound;
  r.weight_bytes = context.weights.data_bytes;
  r.macs = context.macs;
  for (const Step& step : program.steps) r.steps.push_back(describe_step(program, step));
  r.uses_heap = program.uses_heap();
  r.has_pool = uses_pool(context);
  r.model_files = model.files;
  r.model_files.insert(r.model_files.begin(), options.model);
  r.files = emit_files(context, r.base);
  add_side_files(context, options, r);
  return r;
}

namespace {

bool same_on_disk(const GeneratedFile& f) {
  struct stat st {};
  if (stat(f.path.c_str(), &st) != 0 || !S_ISREG(st.st_mode)) return false;
  if (static_cast<std::size_t>(st.st_size) != f.content.size()) return false;
  std::ifstream in(f.path, std::ios::binary);
  std::string block(1 << 16, '\0');
  for (std::size_t at = 0; at < f.content.size();) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto got = static_cast<std::size_t>(in.gcount());
    if (got == 0 || f.content.compare(at, got, block, 0, got) != 0) return false;
    at += got;
  }
  return true;
}

void make_folders(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0777);  // an existing one is fine; errors show on opening
}

[[noreturn]] void io_error(const std::string& path, const char* what) {
  throw FatalError(exit_code::io, fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

// Written beside the target and renamed at the end, so that no reader sees half a file.
struct PendingFile {
  std::string temporary, path;
};

PendingFile stage(const GeneratedFile& f) {
  make_folders(f.path);
  PendingFile pending{fmt::format("{}.tmp{}", f.path, getpid()), f.path};
  std::FILE* out = std::fopen(pending.temporary.c_str(), "wb");
  if (!out) io_error(f.path, "cannot write");
  const bool written = std::fwrite(f.content.data(), 1, f.content.size(), out) == f.content.size();
  const bool closed = std::fclose(out) == 0;
  if (!written || !closed) {
    unlink(pending.temporary.c_str());
    io_error(f.path, "cannot write");
  }
  return pending;
}

}  // namespace

void write_files(const std::vector<GeneratedFile>& files) {
  std::vector<PendingFile> pending;
  const auto drop_all = [&] {
    for (const PendingFile& p : pending) unlink(p.temporary.c_str());
  };
  try {
    for (const GeneratedFile& f : files)
      if (f.path.ends_with(".cpp") || !same_on_disk(f)) pending.push_back(stage(f));
  } catch (...) {
    drop_all();
    throw;
  }
  // The .cpp, which build tools take as the sign of completion, comes first in `files`: rename it
  // last, so that a run stopped in between is repeated.
  for (std::size_t i = pending.size(); i-- > 0;)
    if (std::rename(pending[i].temporary.c_str(), pending[i].path.c_str()) != 0) {
      drop_all();
      io_error(pending[i].path, "cannot rename");
    }
}

namespace {

std::string kib(std::int64_t bytes) {
  return bytes < 10 * 1024 * 1024 ? fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024)
                                  : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / 1048576);
}

std::string count(const Dim& macs) {
  if (!macs.is_const()) return "(" + work_comment(macs) + ") ";
  const std::int64_t n = macs.value();
  if (n >= 1'000'000'000) return fmt::format("{:.2f} G", static_cast<double>(n) / 1e9);
  if (n >= 1'000'000) return fmt::format("{:.2f} M", static_cast<double>(n) / 1e6);
  return fmt::format("{} ", n);
}

bool over_budget(const CompileOptions& o, const CompileResult& r) {
  bool over = false;
  if (o.ram_limit && r.arena_bytes > *o.ram_limit) {
    fmt::print(stderr, "{}: error[ram-limit]: the arena takes {} bytes, the limit is {}\n", o.model,
               r.arena_bytes, *o.ram_limit);
    over = true;
  }
  if (o.flash_limit && r.weight_bytes > *o.flash_limit) {
    fmt::print(stderr, "{}: error[flash-limit]: the weights take {} bytes, the limit is {}\n",
               o.model, r.weight_bytes, *o.flash_limit);
    over = true;
  }
  return over;
}

}  // namespace

int run_compile(const CompileOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Diagnostics diagnostics;
  const CompileResult r = compile(options, diagnostics);
  diagnostics.print(options.model, stderr);
  if (diagnostics.has_errors()) return exit_code::bad_model;
  if (over_budget(options, r)) return exit_code::budget;
  write_files(r.files);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.quiet) {
    const Target target = make_target(options.target);
    fmt::print(stderr, "{} -> {}.cpp | flash {}, RAM {}, {}MAC | {} | {:.2f} s\n",
               base_name(options.model), base_name(r.base), kib(r.weight_bytes), kib(r.arena_bytes),
               count(r.macs), target.name, seconds);
    if (target.name == "generic")
      fmt::print(stderr, "{}: note[target]: generic code; --target x86-64-v3 or native is faster\n",
                 options.model);
    if (options.verbosity > 0)
      fmt::print(stderr, "arena {} bytes, lower bound {}, ratio {:.3f}; {} steps\n", r.arena_bytes,
                 r.arena_lower_bound,
                 r.arena_lower_bound
                     ? static_cast<double>(r.arena_bytes) / static_cast<double>(r.arena_lower_bound)
                     : 1.0,
                 r.steps.size());
  }
  return exit_code::ok;
}

}  // namespace onnxc
