#include "compiler/cli/harness.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <fmt/format.h>

#include "compiler/emit/embedded_files.hpp"
#include "compiler/support/diagnostics.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSourceFolder = "compiler/cli/harness/";
constexpr const char* kRuntime = "onnxc_runtime.hpp";
// What kernels include, parsed once for all units.
constexpr const char* kPrecompiled =
    "#include <algorithm>\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n"
    "#include <limits>\n#include <type_traits>\n#include \"onnxc_runtime.hpp\"\n";

// Held by one process at a time.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : file_(open(path.c_str(), O_CREAT | O_RDWR, 0600)) {
    flock(file_, LOCK_EX);
  }
  ~FileLock() { close(file_); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string port_array(const char* name, const std::vector<Port>& ports, std::size_t (*of)(const Port&)) {
  std::string text = fmt::format("const std::size_t {}[] = {{", name);
  for (const Port& p : ports) {
    const std::size_t n = of(p);
    text += n == SIZE_MAX ? "onnxc_any_size, " : fmt::format("{}u, ", n);
  }
  return text + "0};\n";
}

bool holds_text(const Port& p) {
  for (const Type* t = &p.type; t; t = t->element.get())
    if (t->elem == ElemType::string) return true;
  return false;
}

bool has_any_size(const Port& p) { return p.is_dynamic() || p.is_object() || holds_text(p); }

std::size_t bytes_of(const Port& p) {
  return has_any_size(p) ? SIZE_MAX : static_cast<std::size_t>(p.elements) * elem_bytes(p.elem);
}

// An Elements of convert.hpp: of the tensors behind all containers, and of the keys of maps.
std::string elements_of(const Port& p) {
  ElemType key = ElemType::undefined;
  const Type* t = &p.type;
  for (; t->element; t = t->element.get())
    if (t->kind == Type::Kind::map) key = t->elem;
  return fmt::format("harness::Elements{{{}u, {}, {}u, {}}}", storage_bytes(t->elem),
                     t->elem == ElemType::string, storage_bytes(key), key == ElemType::string);
}

// What templates of convert.hpp want to know: the model's value and string types.
std::string types_of(const Port& p, const std::string& model) {
  const std::string text = holds_text(p) ? model + "_string" : "no_string";
  return fmt::format("{}_value, {}", model, text);
}

std::string bind_inputs(const std::vector<Port>& ports, const std::string& model) {
  std::string text;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const Port& p = ports[i];
    const std::string& name = p.identifier;
    if (p.is_object()) {
      text += fmt::format("  const auto v{1} = harness::to_model<{2}>(in[{1}], {3});\n  i.{0} = &v{1};\n",
                          name, i, types_of(p, model), elements_of(p));
      continue;
    }
    if (holds_text(p))
      text += fmt::format("  i.{0} = harness::unpack_strings<{2}_string>(in[{1}]);\n", name, i, model);
    else
      text += fmt::format("  i.{0} = static_cast<decltype(i.{0})>(in[{1}].data);\n", name, i);
    for (std::size_t k = 0; p.is_dynamic() && k < p.dims.size(); ++k)
      text += fmt::format("  i.{0}_dims[{2}] = in[{1}].dims[{2}];\n", name, i, k);
  }
  return text;
}

// Strings take the first half of an output's room, their bytes the second.
std::string bind_output(const Port& p, std::size_t i, const std::string& model, bool own_text) {
  std::string text;
  const std::string &name = p.identifier, room = fmt::format("out[{}].bytes", i);
  if (p.is_object()) {
    return fmt::format("  {2}_value r{1}{{}};\n  std::size_t size{1} = 0;\n  o.{0} = &r{1};\n"
                       "  o.{0}_memory = out[{1}].data;\n  o.{0}_capacity = {3};\n"
                       "  o.{0}_size = &size{1};\n",
                       name, i, model, room);
  }
  text += fmt::format("  o.{0} = static_cast<decltype(o.{0})>(out[{1}].data);\n", name, i);
  const std::string share = own_text && holds_text(p) ? room + " / 2" : room;
  if (own_text && holds_text(p))
    text += fmt::format("  std::size_t size{1} = 0;\n  o.{0}_text = static_cast<char*>(out[{1}].data) + {2};\n"
                        "  o.{0}_text_capacity = {3} - {2};\n  o.{0}_text_size = &size{1};\n",
                        name, i, share, room);
  if (p.is_dynamic())
    text += fmt::format("  o.{0}_capacity = {2} / {3}u;\n  o.{0}_dims = out[{1}].dims;\n", name, i,
                        share, storage_bytes(p.elem));
  for (std::size_t k = 0; !p.is_dynamic() && k < p.dims.size(); ++k)
    text += fmt::format("  out[{}].dims[{}] = {};\n", i, k, p.dims[k]);
  return text;
}

// Before the run, as far as it is known: an output of strings of a fixed shape has no room yet.
std::string ask_for_room(const std::vector<Port>& ports) {
  std::string text;
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (holds_text(ports[i]) && !ports[i].is_dynamic() && !ports[i].is_object())
      text += fmt::format("  if (out[{0}].bytes < {1}u) {{\n    out[{0}].count = {1}u;\n"
                          "    return onnxc_too_small;\n  }}\n",
                          i, 2 * static_cast<std::size_t>(ports[i].elements) * 16);
  return text;
}

// How much room an output wanted, and what it became.
std::string measure_output(const Port& p, std::size_t i, const std::string& model, bool own_text) {
  if (p.is_object())
    return fmt::format("  if (status == 0) harness::from_model<{1}>(r{0}, {2}, out[{0}]);\n"
                       "  else out[{0}].count = size{0};\n",
                       i, holds_text(p) ? model + "_string" : "no_string", elements_of(p));
  std::string count = "1u";
  for (std::size_t k = 0; k < p.dims.size(); ++k)
    count += fmt::format(" * static_cast<std::size_t>(out[{}].dims[{}])", i, k);
  if (!holds_text(p))
    return fmt::format("  (status == 0 ? out[{0}].bytes : out[{0}].count) = {1} * {2}u;\n", i, count,
                       storage_bytes(p.elem));
  std::string text = fmt::format("  const std::size_t strings{0} = {1};\n", i, count);
  text += fmt::format("  if (status == 0) harness::pack_strings(o.{1}, strings{0}, out[{0}]);\n"
                      "  else out[{0}].count = 2u * (strings{0} * 16u + {2});\n",
                      i, p.identifier, own_text ? fmt::format("size{}", i) : "0u");
  return text;
}

// The threads of a model, from its first run to the end of the program.
std::string pool_of(const CompileResult& g) {
  if (!g.has_pool) return "";
  return fmt::format("struct Pool {{\n  alignas({1}_ARENA_ALIGN) unsigned char memory[{1}_POOL_BYTES];\n"
                     "  {0}_pool* const pool = {0}_pool_start(memory, {1}_THREADS);\n"
                     "  ~Pool() {{ {0}_pool_stop(pool); }}\n}};\n",
                     g.name, upper(g.name));
}

// The generated source and its adapter in one translation unit.
std::string adapter(const CompileResult& g, int index, const std::string& source) {
  const std::string& n = g.name;
  std::string text = fmt::format(
      "#include \"{}\"\n#include <cstddef>\n#include \"allocator.hpp\"\n#include \"convert.hpp\"\n\nnamespace harness_{} {{\n"
      "struct no_string {{ const char* data; std::int64_t size; }};\n",
      source, index);
  text += port_array("kBytes", g.outputs, bytes_of);
  text += port_array("kRanks", g.outputs, [](const Port& p) { return p.dims.size(); });
  text += pool_of(g);
  text += "int run(const onnxc_value* in, onnxc_value* out, void* arena) {\n";
  text += fmt::format("  {}_inputs i{{}};\n  {}_outputs o{{}};\n  (void)in, (void)out;\n", n, n);
  text += ask_for_room(g.outputs) + bind_inputs(g.inputs, n);
  for (std::size_t i = 0; i < g.outputs.size(); ++i)
    text += bind_output(g.outputs[i], i, n, g.uses_heap);
  if (g.uses_heap)
    text += fmt::format("  const {}_allocator hooks = {{harness::take, harness::give, nullptr}};\n"
                        "  i.allocator_ = &hooks;\n", n);
  const std::size_t weights = external_weights(g).size();
  if (g.has_pool) text += "  static Pool threads;\n  i.pool_ = threads.pool;\n";
  if (weights > 0) text += fmt::format("  i.weights_ = in[{}].data;\n", g.inputs.size());
  text += fmt::format("  const int status = static_cast<int>({}_run(&i, &o, arena));\n", n);
  for (std::size_t i = 0; i < g.outputs.size(); ++i)
    if (has_any_size(g.outputs[i])) text += measure_output(g.outputs[i], i, n, g.uses_heap);
  text += "  return status;\n}\n}\n\n";
  text += fmt::format("extern const onnxc_unit onnxc_unit_{};\n", index);
  text += fmt::format(
      "const onnxc_unit onnxc_unit_{0} = {{{1}, {2}, harness_{0}::kBytes, harness_{0}::kRanks, "
      "{3}_ARENA_BYTES, {3}_ARENA_ALIGN, {4}u, harness_{0}::run}};\n",
      index, g.inputs.size(), g.outputs.size(), upper(n), weights);
  return text;
}

bool is_source(const std::string& path) { return path.ends_with(".cpp"); }
bool is_weights_source(const std::string& path) { return path.ends_with("_weights.cpp"); }

}  // namespace

std::string_view external_weights(const CompileResult& generated) {
  std::string_view blob;
  for (const GeneratedFile& file : generated.files) {
    if (is_weights_source(file.path)) return {};
    if (file.path.ends_with("_weights.bin")) blob = file.content;
  }
  return blob;
}

std::string unit_name(int index) { return fmt::format("u{}", index); }

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FatalError(exit_code::io, fmt::format("cannot read {}", path));
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw FatalError(exit_code::io, fmt::format("cannot write {}", path));
}

HarnessFolder::HarnessFolder(std::string path, const Toolchain& toolchain, bool standalone)
    : path_(std::move(path)), toolchain_(toolchain), standalone_(standalone) {
  fs::create_directories(path_);
  for (std::size_t i = 0; i < kEmbeddedFileCount; ++i) {
    const EmbeddedFile& file = kEmbeddedFiles[i];
    if (!file.path.starts_with(kSourceFolder)) continue;
    const std::string name(file.path.substr(kSourceFolder.size()));
    if (!fs::exists(path_ + "/" + name)) write_file(path_ + "/" + name, std::string(file.text));
  }
}

std::string HarnessFolder::driver(const std::string& name) const {
  const std::string object = fmt::format("{}/{}.o", path_, name);
  const ProcessResult r = toolchain_.compile(fmt::format("{}/{}.cpp", path_, name), object);
  if (!r.ok())
    throw FatalError(exit_code::io, "the C++ compiler fails: " + first_error_line(r.output));
  return object;
}

// The folder of the runtime header these files need, precompiled.
std::string HarnessFolder::runtime_folder(const CompileResult& generated) const {
  const auto header =
      std::find_if(generated.files.begin(), generated.files.end(),
                   [](const GeneratedFile& f) { return fs::path(f.path).filename() == kRuntime; });
  if (standalone_ || header == generated.files.end()) return path_;
  const std::string folder =
      fmt::format("{}/runtime_{:x}", path_, std::hash<std::string>{}(header->content));
  const FileLock lock(path_ + "/lock");
  if (fs::exists(folder + "/ready")) return folder;
  fs::create_directories(folder);
  write_file(folder + "/" + kRuntime, header->content);
  write_file(folder + "/precompiled.hpp", kPrecompiled);
  if (!toolchain_.precompile(folder + "/precompiled.hpp")) {
    fs::remove(folder + "/precompiled.hpp");  // compilers without: do not include it either
  }
  write_file(folder + "/ready", "");
  return folder;
}

ProcessResult HarnessFolder::compile_unit(const CompileResult& generated, int index,
                                          const std::string& folder) const {
  fs::create_directories(folder);
  const std::string runtime = runtime_folder(generated);
  std::string source, weights;
  for (const GeneratedFile& file : generated.files) {
    const std::string name = fs::path(file.path).filename().string();
    if (name == kRuntime && !standalone_) continue;
    write_file(folder + "/" + name, file.content);
    if (is_weights_source(name)) {
      weights = name;
    } else if (is_source(name)) {
      source = name;
    }
  }
  write_file(folder + "/unit.cpp", adapter(generated, index, source));
  std::vector<std::string> flags = {"-I" + runtime, "-I" + path_};
  if (fs::exists(runtime + "/precompiled.hpp")) {
    flags.insert(flags.end(), {"-include", runtime + "/precompiled.hpp"});
  }
  ProcessResult r = toolchain_.compile(folder + "/unit.cpp", folder + "/unit.o", flags);
  if (r.ok() && !weights.empty()) {
    r = toolchain_.compile(folder + "/" + weights, folder + "/weights.o", {"-I" + runtime});
  }
  return r;
}

ProcessResult HarnessFolder::link(const std::string& driver, std::span<const int> indices,
                                  std::vector<std::string> objects,
                                  const std::string& program) const {
  std::string table = "#include \"unit.hpp\"\n";
  for (int i : indices) table += fmt::format("extern const onnxc_unit onnxc_unit_{};\n", i);
  table += "const onnxc_unit* const onnxc_units[] = {";
  for (int i : indices) table += fmt::format("&onnxc_unit_{}, ", i);
  write_file(program + "_table.cpp", table + "nullptr};\n");
  const std::string object = program + "_table.o";
  ProcessResult r = toolchain_.compile(program + "_table.cpp", object, {"-I" + path_});
  if (!r.ok()) return r;
  objects.insert(objects.end(), {object, driver});
  return toolchain_.link(objects, program);
}

}  // namespace onnxc
