// Names that Python can import and call.
#pragma once

#include <string>

#include "compiler/interface/port.hpp"

namespace onnxc {

// An identifier of Python that is none of its keywords.
bool is_python_identifier(const std::string& name);
// A module of Python's library, or numpy: a package of that name would take its place.
bool is_python_module(const std::string& name);
// The name of a port as a keyword argument: `in_` for "in".
std::string python_name(const Port& port);

}  // namespace onnxc
