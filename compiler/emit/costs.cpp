// Estimates the size of the code, for those who have no compiler for their target at hand.
#include "compiler/emit/costs.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "compiler/emit/tensor_list.hpp"
#include "compiler/ir/kernel_declaration.hpp"

namespace onnxc {
namespace {

// The machines that sizes are known of, as columns of the table.
enum Column : std::uint8_t { kSoftFloat, kFloatUnit, kHelium, kRiscv, kWideSimd, kSimd, kColumns };

struct SizeRow {
  const char* what;  // see Counts
  int bytes[kColumns];
};

// Made by tests/bench/code_sizes.py fit.
constexpr SizeRow kSizes[] = {
#include "compiler/emit/code_sizes.inc"
};

Column column_of(const Target& target) {
  if (target.name.starts_with("rv32") || target.name == "riscv") return kRiscv;
  if (target.no_library) return kSoftFloat;  // the nearest of those with figures
  if (target.name.starts_with("cortex-m")) {
    if (target.vector_floats > 1) return kHelium;
    return target.panel > 4 ? kFloatUnit : kSoftFloat;  // the tiles of a float unit are wider
  }
  return target.vector_floats > 4 ? kWideSimd : kSimd;
}

bool is_open(const std::string& shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](char c) {
    return c == '?' || std::isalpha(static_cast<unsigned char>(c)) != 0;
  });
}

// "Conv", "Relu" of the work "Conv + Relu".
std::vector<std::string> operators_of(const std::string& work) {
  std::vector<std::string> list;
  for (std::size_t from = 0, end = 0; end != std::string::npos; from = end + 3) {
    end = work.find(" + ", from);
    list.push_back(work.substr(from, end - from));
  }
  return list;
}

const SizeRow* find_row(const std::string& what) {
  const auto* const row = std::find_if(std::begin(kSizes), std::end(kSizes),
                                       [&](const SizeRow& r) { return what == r.what; });
  return row == std::end(kSizes) ? nullptr : row;
}

// A kernel without a row of its own counts as its family, a family without one as "other".
const SizeRow* row_of(const std::string& what) {
  const SizeRow* row = find_row(what);
  const std::size_t slash = what.find('/');
  if (row || slash == std::string::npos) return row;
  const std::size_t space = what.find(' ', slash);
  const std::string suffix = space == std::string::npos ? "" : what.substr(space);
  row = find_row(what.substr(0, slash) + suffix);
  return row ? row : find_row("other" + suffix);
}

std::set<ElemType> types_of(const Program& program, const TensorList& tensors, const Step& step) {
  const TensorList::Uses uses = tensors.uses(step);
  std::set<ElemType> types;
  for (const auto* list : {&uses.reads, &uses.writes})
    for (std::size_t i : *list) types.insert(program.at(tensors.entries[i].id).elem);
  return types;
}

// How often each row of the table counts. Of kernels, FAMILY/KERNEL is a variant, that is, with
// other fused operators; " more" is another shape of a variant, which shares code with the first;
// " fused" are the operators of a variant; " open" is added if dimensions are dynamic. "float",
// "double" and "operator Tanh" stand for functions of libraries, which count once.
class Counts {
 public:
  Counts() { counts_["base"] = 1; }

  void add(const Program& program) {
    const TensorList tensors(program);
    for (const Step& step : program.steps) {
      if (step.kind == Step::Kind::call && kernel_family(step.kernel) == "sequence")
        counts_["values"] = 1;
      if (step.kind == Step::Kind::allocate || step.kind == Step::Kind::release) {
        ++counts_["blocks"];
        counts_["heap"] = 1;
      } else if (step.kind != Step::Kind::call || step.shape_note.empty()) {
        ++counts_["control"];
      } else {
        add_library(step, types_of(program, tensors, step));
        add_call(step);
      }
    }
  }

  std::int64_t bytes(Column column) const {
    std::int64_t sum = 0;
    for (const auto& [what, count] : counts_)
      if (const SizeRow* const row = row_of(what)) sum += count * row->bytes[column];
    return sum;
  }

 private:
  // What is linked once, for all that use it.
  void add_library(const Step& step, const std::set<ElemType>& types) {
    for (const std::string& name : operators_of(step.title)) counts_["operator " + name] = 1;
    if (is_open(step.shape_note)) counts_["sizes"] = 1;
    const std::string family = kernel_family(step.kernel);
    if (family == "movement" || family == "sequence") return;
    if (types.contains(ElemType::float32)) counts_["float"] = 1;
    if (types.contains(ElemType::float64)) counts_["double"] = 1;
  }

  void add_call(const Step& step) {
    ++counts_["calls"];
    const std::string open = is_open(step.shape_note) ? " open" : "";
    if (!instances_.insert(step.kernel + "|" + step.shape_note + "|" + step.title).second) return;
    const std::string what = kernel_family(step.kernel) + "/" + step.kernel;
    if (!variants_.insert(step.kernel + "|" + open + "|" + fused(step)).second) {
      ++counts_[what + open + " more"];
      return;
    }
    ++counts_[what + open];
    counts_[what + open + " fused"] += std::ssize(operators_of(step.title)) - 1;
  }

  // An element-wise kernel is nothing but its operators.
  static std::string fused(const Step& step) {
    if (kernel_family(step.kernel) == "elementwise") return step.title;
    const std::size_t first = step.title.find(" + ");
    return first == std::string::npos ? "" : step.title.substr(first);
  }

  std::set<std::string> instances_, variants_;
  std::map<std::string, std::int64_t, std::less<>> counts_;
};

}  // namespace

Costs estimate_costs(const std::vector<const Program*>& programs, const Target& target,
                     bool small) {
  Counts counts;
  for (const Program* program : programs) counts.add(*program);
  Costs costs;
  costs.code_bytes = counts.bytes(column_of(target));
  if (small) costs.code_bytes = costs.code_bytes * 4 / 5;  // the median of 96 models
  // Above this lies no model that the table was fitted to, and one in thirty of others.
  costs.code_bytes_at_most = costs.code_bytes * 5 / 2 + 1024;
  return costs;
}

}  // namespace onnxc
