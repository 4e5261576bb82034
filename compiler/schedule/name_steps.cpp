// Short names from paths: the exporters' "a/b/c", "name:0" and "a/b;a/c".
#include "compiler/schedule/schedule.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace onnxc {
namespace {

using Path = std::vector<std::string>;

bool is_number(const std::string& s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The segments of a name: of the first path if an exporter path_text several, without the number of
// an output at its end.
Path path_of(const std::string& name) {
  Path path(1);
  for (const char c : name) {
    if (c == ';' && !path.back().empty()) break;
    if (c == '/' || c == ':' || c == ';') {
      if (!path.back().empty()) path.emplace_back();
    } else {
      path.back() += c;
    }
  }
  while (path.size() > 1 && is_number(path.back())) path.pop_back();
  return path;
}

std::string path_text(std::span<const std::string> parts) {
  std::string s;
  for (const std::string& part : parts) s += (s.empty() ? "" : "/") + part;
  return s;
}

std::string ending(const Path& path, std::size_t parts) {
  return path_text(std::span(path).last(parts));
}

// Finds for each name the shortest suffix that is unique in the set.
class ShortNames {
 public:
  void add(const std::string& name) {
    const Path path = path_of(name);
    if (!seen_.insert(path_text(path)).second) return;
    for (std::size_t parts = 1; parts <= path.size(); ++parts) ++endings_[ending(path, parts)];
  }

  std::string of(const std::string& name) const {
    const Path path = path_of(name);
    std::size_t parts = 1;
    while (parts < path.size() && is_shared(ending(path, parts))) ++parts;
    return ending(path, parts);
  }

 private:
  bool is_shared(const std::string& end) const {
    const auto found = endings_.find(end);
    return found != endings_.end() && found->second > 1;
  }

  std::set<std::string> seen_;
  std::map<std::string, int> endings_;
};

class StepNames {
 public:
  explicit StepNames(Program& program) : p_(program) {}

  void run() {
    for (const Step& s : p_.steps)
      if (!s.sources.empty()) nodes_.add(s.sources[0]);
    for (const Buffer& b : p_.buffers)
      if (b.value) values_.add(b.value->name);
    for (Step& s : p_.steps) name(s);
    for (Buffer& b : p_.buffers)
      if (b.value && !is_number(values_.of(b.value->name))) b.name = values_.of(b.value->name);
    for (std::size_t i = 0; i < p_.inputs.size(); ++i) name_port(p_.inputs[i], "input");
    for (std::size_t i = 0; i < p_.outputs.size(); ++i) name_port(p_.outputs[i], "output");
  }

 private:
  // The step, the buffers that only it reads, and those that it writes.
  void name(Step& step) {
    const bool named = step.kind == Step::Kind::call || step.kind == Step::Kind::open_loop ||
                       step.kind == Step::Kind::open_if;
    if (step.sources.empty() || !named) return;
    const std::string old = step.name;
    if (step.sources[0].find_first_not_of("/:;") == std::string::npos) return;
    step.name = nodes_.of(step.sources[0]);
    for (const Arg& arg : step.args)
      if (const auto* b = std::get_if<BufferArg>(&arg.value)) name_buffer(*b, old, step.name);
  }

  void name_buffer(const BufferArg& arg, const std::string& old, const std::string& now) {
    Buffer& b = p_.at(arg.buffer);
    if (!b.value && b.name.starts_with(old + "_"))
      b.name = now + b.name.substr(old.size());
    else if (b.value && arg.writes && is_number(values_.of(b.value->name)) &&
             named_.insert(arg.buffer).second)
      b.name = now;
  }

  void name_port(BufferId id, const char* kind) {
    Buffer& b = p_.at(id);
    const std::string name = path_of(b.value ? b.value->name : b.name).back();
    if (is_number(name)) b.name = kind + ("_" + name);
  }

  Program& p_;
  ShortNames nodes_, values_;
  std::set<BufferId> named_;
};

}  // namespace

void name_steps(Program& program) { StepNames(program).run(); }

}  // namespace onnxc
