// Three mutants of four are changed as models, the others as bytes.
#include "tests/fuzz/model_file.hpp"
#include "tests/fuzz/model_mutator.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t room, unsigned seed) {
  using namespace onnxc;
  if (size <= kModelOffset || seed % 4 == 0) return LLVMFuzzerMutate(data, size, room);
  return kModelOffset +
         mutate_model(data + kModelOffset, size - kModelOffset, room - kModelOffset, seed / 4);
}
