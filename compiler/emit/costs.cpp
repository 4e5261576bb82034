// Estimates the size of the code, for those who have no compiler for their target at hand.
#include "compiler/emit/costs.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "compiler/ir/kernel_declaration.hpp"

namespace onnxc {
namespace {

// The machines that sizes are known of, as columns of the table.
enum Column : std::uint8_t { kSoftFloat, kFloatUnit, kHelium, kRiscv, kWideSimd, kSimd, kColumns };

struct SizeRow {
  const char* what;  // a family of kernels, " open" for an instance with dynamic dimensions
  int bytes[kColumns];
};

// Made by tests/bench/code_sizes.py fit.
constexpr SizeRow kSizes[] = {
#include "compiler/emit/code_sizes.inc"
};

Column column_of(const Target& target) {
  if (target.name.starts_with("rv32") || target.name == "riscv") return kRiscv;
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

std::int64_t operators_in(const std::string& work) {
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = work.find(" + ", at)) != std::string::npos; ++at) ++count;
  return count;
}

// How often each row of the table counts.
class Counts {
 public:
  Counts() { counts_["base"] = 1; }

  void add(const Step& step) {
    if (step.kind == Step::Kind::call && size_family(step) == "sequence") counts_["values"] = 1;
    if (step.kind == Step::Kind::allocate || step.kind == Step::Kind::release) {
      ++counts_["blocks"];
      counts_["heap"] = 1;
    } else if (step.kind != Step::Kind::call || step.shape_note.empty()) {
      ++counts_["control"];
    } else {
      add_call(step);
    }
  }

  std::int64_t bytes(Column column) const {
    std::int64_t sum = 0;
    for (const SizeRow& row : kSizes)
      if (const auto found = counts_.find(row.what); found != counts_.end())
        sum += found->second * row.bytes[column];
    return sum;
  }

 private:
  void add_call(const Step& step) {
    ++counts_["calls"];
    if (!instances_.insert(step.kernel + "|" + step.shape_note + "|" + step.title).second) return;
    ++counts_[size_family(step) + (is_open(step.shape_note) ? " open" : "")];
    counts_["fused"] += operators_in(step.title);
  }

  std::set<std::string> instances_;
  std::map<std::string, std::int64_t, std::less<>> counts_;
};

}  // namespace

std::string size_family(const Step& step) {
  const EmbeddedFunction& function = kernel_declaration(step.kernel);
  const auto header =
      std::find_if(kEmbeddedHeaders.begin(), kEmbeddedHeaders.end(),
                   [&](const EmbeddedHeader& h) { return h.stem == function.header; });
  const bool depthwise = step.kernel.starts_with("depthwise");
  std::string family = depthwise ? "depthwise" : std::string(header->folder);
  if (step.kernel.find("int8") != std::string::npos) family += " int8";
  return family;
}

Costs estimate_costs(const std::vector<const Program*>& programs, const Target& target,
                     bool small) {
  Counts counts;
  for (const Program* program : programs)
    for (const Step& step : program->steps) counts.add(step);
  Costs costs;
  costs.code_bytes = counts.bytes(column_of(target));
  if (small) costs.code_bytes = costs.code_bytes * 4 / 5;  // the median of 96 models
  // Above this lay one in two hundred of the programs that the table was fitted to.
  costs.code_bytes_at_most = costs.code_bytes * 5 / 2 + 1024;
  return costs;
}

}  // namespace onnxc
