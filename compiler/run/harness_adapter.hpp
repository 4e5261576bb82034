// The translation units that verify and bench compile together with a generated model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "compiler/interface/interface.hpp"

namespace onnxc {

// The units of a model, by what follows onnxc_unit_ in their names: run(); of one that is compiled
// for training also init, train, and the algorithms one by one.
std::vector<std::string> unit_names(const ModelInterface& g, const std::string& unit);

// A translation unit that includes the generated `source` and defines these units.
// `weight_bytes`: of weights that the caller loads, 0 where the model holds them.
std::string harness_adapter(const ModelInterface& g, const std::string& unit,
                            const std::string& source, std::size_t weight_bytes);

// A unit that runs the units of all devices of a model, `unit`_0, `unit`_1, ..., each in a thread
// of its own. `whole`: the model on one device.
std::string harness_team(const ModelInterface& whole, std::span<const ModelInterface* const> parts,
                         const std::string& unit);

// Defines the list of the units that a driver is linked with.
std::string harness_table(std::span<const std::string> units);

// The headers that kernels include, precompiled for all units.
std::string harness_precompiled_header();

}  // namespace onnxc
