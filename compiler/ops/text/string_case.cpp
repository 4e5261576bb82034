// StringLower, StringUpper: strings in lower or upper case.
#include "compiler/kernels/text_calls.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/lower.hpp"
#include "compiler/ops/text/extension.hpp"

namespace onnxc::ops::string_case {
namespace {

void lower_to(Lower& n, bool upper) {
  n.call("string_case", StringCaseShape<Dim>{product(n.out_shape(0)), upper}).in(0).out(0).heap();
}

constexpr Op row(std::string_view name, void (*lower)(Lower&)) {
  return extension({.name = name,
                    .inputs = "X:string",
                    .outputs = "Y:string",
                    .infer = infer_like_first,
                    .lower = lower});
}

constexpr Op rows[] = {row("StringLower", [](Lower& n) { lower_to(n, false); }),
                       row("StringUpper", [](Lower& n) { lower_to(n, true); })};

}  // namespace
extern const Family family{rows};
}  // namespace onnxc::ops::string_case
