// The model as a Python package: described for the scripts of this folder, which make functions of
// numpy arrays of it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>

#include "compiler/emit/fixed_text.hpp"
#include "compiler/emit/licence.hpp"
#include "compiler/interface/sanitized_text.hpp"
#include "compiler/products/product.hpp"
#include "compiler/products/python/names.hpp"
#include "compiler/support/embedded_files.hpp"
#include "compiler/support/hash.hpp"
#include "compiler/support/json.hpp"
#include "compiler/support/target.hpp"
#include "compiler/support/words.hpp"

namespace onnxc::products::python {
namespace {

struct Package {
  const EmitContext& model;
  const std::vector<GeneratedFile>& sources;
  std::string name;                // what Python imports
  std::vector<std::string> flags;  // that the C++ compiler needs
  int threads = 0;                 // of the pool; 0 for none
};

Package package_of(const ProductInput& in) {
  const CompileOptions& o = in.context.options;
  Package package{in.context, in.sources, in.context.stem.text(), split_words(compiler_flags(o))};
  if (o.threads > 1) package.flags.push_back("-pthread");
  if (o.threads > 1 && !o.openmp) package.threads = o.threads;
  return package;
}

std::string file_name(const GeneratedFile& f) {
  return std::filesystem::path(f.path).filename().string();
}

void describe_type(JsonWriter& j, const Type& t) {
  static constexpr const char* kKinds[] = {"unknown",  "tensor",   "tensor",
                                           "sequence", "optional", "map"};
  j.begin_object().field("kind", kKinds[static_cast<std::size_t>(t.kind)]);
  if (t.kind == Type::Kind::map) j.field("key", info(t.elem).short_name);
  if (t.element)
    describe_type(j.key("element"), *t.element);
  else
    j.field("element", info(t.elem).short_name);
  j.end_object();
}

void describe_labels(JsonWriter& j, const std::optional<Port::Labels>& list) {
  j.key("labels").begin_array();
  if (list) {
    for (const std::int64_t label : list->numbers) j.value(label);
    for (const std::string& label : list->texts) j.value(label);
  }
  j.end_array();
}

void describe_ports(JsonWriter& j, const char* key, const std::vector<Port>& list) {
  j.key(key).begin_array();
  for (const Port& p : list) {
    j.begin_object().field("name", p.name).field("identifier", python_name(p));
    j.field("member", p.identifier.text());
    j.field("text", shape_comment(p.type.to_string()).text());
    describe_type(j.key("type"), p.type);
    j.key("shape");
    if (p.is_object()) {
      j.null();
    } else {
      j.begin_array();
      for (std::size_t i = 0; i < p.dims.size(); ++i) {
        if (p.dims[i] >= 0)
          j.value(p.dims[i]);
        else
          j.value(p.shape[i].to_string());
      }
      j.end_array();
    }
    describe_labels(j, p.labels);
    j.end_object();
  }
  j.end_array();
}

// The macros whose values are whole numbers.
void describe_constants(JsonWriter& j, const std::vector<Constant>& list) {
  j.key("constants").begin_object();
  for (const Constant& c : list) {
    std::int64_t value = 0;
    const char* const end = c.value.data() + c.value.size();
    const auto [rest, error] = std::from_chars(c.value.data(), end, value);
    if (error == std::errc() && (rest == end || *rest == 'u')) j.field(c.name, value);
  }
  j.end_object();
}

// The members of a struct in order, as [name, kind, count of elements].
void describe_members(JsonWriter& j, const char* key, const std::vector<Member>& list) {
  static constexpr const char* kKinds[] = {"pointer", "size", "extents", "rows", "unused"};
  j.key(key).begin_array();
  for (const Member& m : list)
    j.begin_array()
        .value(m.name)
        .value(kKinds[static_cast<std::size_t>(m.kind)])
        .value(static_cast<std::int64_t>(m.count))
        .end_array();
  j.end_array();
}

// Of everything that the library is made of.
std::string identity(const Package& package) {
  std::string all;
  for (const std::string& flag : package.flags) all += flag + "\n";
  for (const GeneratedFile& f : package.sources) all += f.content;
  return sha256(std::as_bytes(std::span(all))).substr(0, 16);
}

void list_texts(JsonWriter& j, const char* key, const std::vector<std::string>& list) {
  j.key(key).begin_array();
  for (const std::string& text : list) j.value(text);
  j.end_array();
}

std::string spec(const Package& package, const std::string& weights) {
  const EmitContext& model = package.model;
  const InterfaceFacts facts = facts_of(model);
  std::vector<std::string> code;
  for (const GeneratedFile& f : package.sources)
    if (f.path.ends_with(".cpp")) code.push_back(file_name(f));
  JsonWriter j;
  j.begin_object().field("license", kOutputLicence);
  j.field("name", package.name).field("prefix", model.name.text());
  j.field("library", "_" + package.name + "-" + identity(package));
  list_texts(j, "sources", code);
  list_texts(j, "flags", package.flags);
  j.field("weights", weights);
  j.field("threads", package.threads).field("heap", facts.heap);
  describe_constants(j, constants_of(model));
  describe_members(j, "input_members", input_members(facts, model.inputs));
  describe_members(j, "output_members", output_members(facts, model.outputs));
  describe_ports(j, "inputs", model.inputs);
  describe_ports(j, "outputs", model.outputs);
  return j.end_object().take();
}

// "ArrayLike", "NDArray[np.float32]", "list", "dict".
std::string annotation(const Port& p, bool input) {
  static constexpr std::pair<ElemType, const char*> kNumpy[] = {
      {ElemType::float32, "float32"},     {ElemType::float64, "float64"},
      {ElemType::float16, "float16"},     {ElemType::int8, "int8"},
      {ElemType::int16, "int16"},         {ElemType::int32, "int32"},
      {ElemType::int64, "int64"},         {ElemType::uint8, "uint8"},
      {ElemType::uint16, "uint16"},       {ElemType::uint32, "uint32"},
      {ElemType::uint64, "uint64"},       {ElemType::boolean, "bool_"},
      {ElemType::complex64, "complex64"}, {ElemType::complex128, "complex128"},
      {ElemType::string, "object_"},      {ElemType::bfloat16, "uint16"}};
  if (p.is_object()) return "Any";
  if (input) return "ArrayLike";
  for (const auto& [elem, name] : kNumpy)
    if (elem == p.elem) return fmt::format("NDArray[np.{}]", name);
  return "NDArray[Any]";
}

// The types of the package, for editors and checkers.
std::string stub(const Package& package) {
  const EmitContext& model = package.model;
  std::string parameters, results;
  for (const Port& p : model.inputs)
    parameters += fmt::format("{}{}: {}", parameters.empty() ? "" : ", ", python_name(p),
                              annotation(p, true));
  for (const Port& p : model.outputs)
    results += fmt::format("    {}: {}\n", python_name(p), annotation(p, false));
  const std::string result =
      model.outputs.size() == 1 ? annotation(model.outputs[0], false) : std::string("Outputs");
  return fixed_text("compiler/products/python/stub.pyi.in",
                    {{"outputs", TextValue::code(results)},
                     {"parameters", TextValue::code(parameters)},
                     {"result", TextValue::code(result)}});
}

std::string pyproject(const Package& package, const std::string& weights) {
  const std::string file = weights.empty() ? "" : fmt::format(", \"src/{}\"", weights);
  return fixed_text("compiler/products/python/pyproject.toml.in",
                    {{"name", TextValue::code(package.name)}, {"weights", TextValue::code(file)}});
}

// The weights that are read from a file at run time, without those that are part of a source.
std::string outside_weights(const std::vector<GeneratedFile>& sources) {
  std::string found;
  for (const GeneratedFile& f : sources) {
    if (f.path.ends_with("_weights.cpp")) return "";
    if (f.path.ends_with("_weights.bin")) found = file_name(f);
  }
  return found;
}

// The files around the sources, which are in the folder's src.
std::vector<GeneratedFile> files_of(const Package& package) {
  const std::string weights = outside_weights(package.sources);
  const auto with_licence = [](const std::string& text) { return licence_line("# ", "\n") + text; };
  const auto script = [&](const char* name) {
    return with_licence(
        std::string(embedded_text(fmt::format("compiler/products/python/{}", name))));
  };
  const std::string folder = package.model.options.python + "/";
  return {{folder + "__init__.py", script("package.py")},
          {folder + "_build.py", script("build.py")},
          {folder + "setup.py", script("setup.py")},
          {folder + "__init__.pyi", with_licence(stub(package))},
          {folder + "py.typed", ""},
          {folder + "pyproject.toml", pyproject(package, weights)},
          {folder + "model.json", spec(package, weights)}};
}

}  // namespace

extern const Product product{[](const CompileOptions& o) { return !o.python.empty(); },
                             [](const ProductInput& in) { return files_of(package_of(in)); }};

}  // namespace onnxc::products::python
