// The identifiers in C++ code.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace onnxc {

bool is_identifier_char(char c);

// Code with blanks for its comments, strings and character literals; line ends stay.
std::string without_comments(std::string_view code);

// Of code without comments and literals; a name in a scope with the innermost one, "fn::max".
std::set<std::string> identifiers_of(std::string_view code);

}  // namespace onnxc
