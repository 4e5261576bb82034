// Reads a call graph in the VCG format and finds its longest path.
#include "compiler/run/measure.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace onnxc {
namespace {

// Functions of libraries that generated code calls: memcpy, memset, arithmetic of soft floats.
constexpr std::int64_t kLibraryFrame = 128;
constexpr const char *kIndirect = "__indirect_call", *kInnerIndirect = "__inner_indirect_call";

struct Function {
  std::int64_t frame = kLibraryFrame;
  bool bounded = true;
  bool defined = false;
  bool called = false;  // by its name
  std::vector<std::string> calls;
};

// The text between quotes after `key: `.
std::string field(const std::string& line, const std::string& key) {
  const std::size_t begin = line.find(key + ": \"");
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + key.size() + 3;
  return line.substr(from, line.find('"', from) - from);
}

// "label\nfile:1:2\n80 bytes (static)"
void read_frame(const std::string& label, Function& f) {
  const std::size_t end = label.find(" bytes (");
  if (end == std::string::npos) return;
  std::size_t begin = end;
  while (begin > 0 && label[begin - 1] >= '0' && label[begin - 1] <= '9') --begin;
  f.frame = std::stoll(label.substr(begin, end - begin));
  const std::string kind = label.substr(end + 8);
  f.bounded = kind.find("static") == 0 || kind.find("bounded") != std::string::npos;
  f.defined = true;
}

class CallGraph {
 public:
  explicit CallGraph(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find("node: {") != std::string::npos)
        read_frame(field(line, "label"), functions_[field(line, "title")]);
      if (line.find("edge: {") == std::string::npos) continue;
      const std::string to = field(line, "targetname");
      functions_[field(line, "sourcename")].calls.push_back(to);
      functions_[to].called = true;
    }
    find_targets();
  }

  std::optional<std::int64_t> bound(const std::string& prefix) {
    std::optional<std::int64_t> most;
    for (const auto& [name, f] : functions_)
      if (f.defined && name.starts_with(prefix)) most = std::max(most.value_or(0), depth(name));
    return good_ ? most : std::nullopt;
  }

 private:
  // What a call through a pointer may reach: functions that nothing calls by their names, as the
  // tiles are that kernels choose from, and all that do not make such calls themselves. Only these
  // are what a function may call so that was called so itself.
  void find_targets() {
    if (!functions_.count(kIndirect)) return;
    Function any, leaf;
    for (const auto& [name, f] : functions_) {
      if (!f.defined || name.find(':') == std::string::npos) continue;
      const bool calls_on = reaches_pointer(name);
      if (!calls_on) leaf.calls.push_back(name);
      if (!f.called || !calls_on) any.calls.push_back(name);
    }
    any.frame = leaf.frame = 0;
    functions_[kIndirect] = any;
    functions_[kInnerIndirect] = leaf;
  }

  bool reaches_pointer(const std::string& name) const {
    std::set<std::string> seen = {name};
    std::vector<std::string> left = {name};
    while (!left.empty()) {
      const Function& f = functions_.at(left.back());
      left.pop_back();
      for (const std::string& callee : f.calls) {
        if (callee == kIndirect) return true;
        if (seen.insert(callee).second) left.push_back(callee);
      }
    }
    return false;
  }

  // `inner`: below a call through a pointer.
  std::int64_t depth(const std::string& name, bool inner = false) {
    const std::pair key(name, inner);
    const auto known = depths_.find(key);
    if (known != depths_.end()) return known->second;
    if (!open_.insert(key).second) {
      good_ = false;  // recursion
      return 0;
    }
    const Function& f = functions_.at(name);
    good_ = good_ && f.bounded;
    std::int64_t below = 0;
    for (const std::string& callee : f.calls)
      below =
          std::max(below, inner && callee == kIndirect ? depth(kInnerIndirect, true)
                                                       : depth(callee, inner || name == kIndirect));
    open_.erase(key);
    return depths_[key] = f.frame + below;
  }

  std::map<std::string, Function> functions_;
  std::map<std::pair<std::string, bool>, std::int64_t> depths_;
  std::set<std::pair<std::string, bool>> open_;
  bool good_ = true;
};

}  // namespace

std::optional<std::int64_t> stack_bound(const std::string& graph, const std::string& prefix) {
  return CallGraph(graph).bound(prefix);
}

}  // namespace onnxc
