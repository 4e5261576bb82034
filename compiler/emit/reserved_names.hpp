// Names that are keywords, macros or in the C library.
#pragma once

#include <string_view>

namespace onnxc {

// True for keywords of C and C++, and for names that common headers define as macros or declare.
bool is_reserved(std::string_view identifier);
// The same without the families of names that headers may define, as M_AREA.
bool is_defined(std::string_view identifier);

}  // namespace onnxc
