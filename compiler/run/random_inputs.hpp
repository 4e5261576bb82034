// Values for inputs without recorded ones.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/interface/port.hpp"

namespace onnxc {

// The same sequence on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed = 42) : state_(seed) {}
  std::uint32_t next();
  float unit();  // -1 .. 1

 private:
  std::uint64_t state_;
};

// The elements of a tensor of fixed size, in the format of the drivers: floats in -1..1, all other
// types 0 or 1, which is also a valid index, and words of one letter.
std::string random_elements(const Port& port, Random& random);

}  // namespace onnxc
