// Attributes of nodes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/tensor.hpp"
#include "compiler/ir/type.hpp"
#include "compiler/ir/view.hpp"

namespace onnxc {

struct Graph;

// A sparse constant in coordinate form: `indices` is [nnz] (linear) or [nnz, rank].
struct SparseTensor {
  Tensor values;
  Tensor indices;
  std::vector<std::int64_t> dims;
};

using Attribute =
    std::variant<std::int64_t, float, std::string, Tensor, SparseTensor, std::shared_ptr<Graph>,
                 Type, std::vector<std::int64_t>, std::vector<float>, std::vector<std::string>,
                 std::vector<Tensor>, std::vector<std::shared_ptr<Graph>>, std::vector<Type>, View>;

// Ordered by name, so that printed attributes are deterministic.
using Attributes = std::map<std::string, Attribute>;

}  // namespace onnxc
