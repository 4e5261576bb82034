// The model as a package for the build systems of firmware: one tree of files that each of them
// takes as its own.
#pragma once

#include <string>
#include <vector>

#include "compiler/emit/emit.hpp"

namespace onnxc {

// All but the sources, which are in `folder`/src: descriptions for CMake, ESP-IDF, Zephyr, Arduino,
// PlatformIO and CMSIS packs, and an example where the ports have fixed sizes.
std::vector<GeneratedFile> package_files(const EmitContext& context, const std::string& folder);

}  // namespace onnxc
