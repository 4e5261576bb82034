// Names of sizes. A model may give a size any name; a symbol is that name, in quotes unless it is a
// word, so that expressions of symbols can be printed and read back, and no two names share one.
#pragma once

#include <string>

namespace onnxc {

std::string symbol_of_name(const std::string& name);
// Whether it stands for a name of the model.
bool has_name(const std::string& symbol);
// The name in the model; of a symbol that has none, the symbol.
std::string name_of_symbol(const std::string& symbol);

}  // namespace onnxc
