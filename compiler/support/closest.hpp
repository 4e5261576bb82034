// Finds the known word closest to a misspelled one.
#pragma once

#include <span>
#include <string>

namespace onnxc {

// The candidate closest to a mistyped word, whatever the case of letters; "" if none is close.
std::string closest(const std::string& word, std::span<const std::string> candidates);

// ", did you mean gamma?", or "".
std::string did_you_mean(const std::string& word, std::span<const std::string> candidates);

}  // namespace onnxc
