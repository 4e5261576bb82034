// The translation units that verify and bench compile beside a generated model.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "compiler/emit/port.hpp"

namespace onnxc {

// A translation unit that includes the generated `source` and defines onnxc_unit_<index>.
// `weight_bytes`: of weights that the caller loads, 0 where the model holds them.
std::string harness_adapter(const ModelInterface& g, int index, const std::string& source,
                            std::size_t weight_bytes);

// Defines the list of the units that a driver is linked with.
std::string harness_table(std::span<const int> indices);

// The headers that kernels include, precompiled for all units.
std::string harness_precompiled_header();

}  // namespace onnxc
