// piece_bits.hpp - what a vocabulary says about its pieces when they become text again.
#pragma once

#include <cstdint>

namespace onnxc {

enum PieceBits : std::uint8_t {
  kSpecialPiece = 1,  // stands for no text of its own
  kInnerPiece = 2,    // continues with a word
  kNoPiece = 4,       // the number has no piece
  kBlankBefore = 8,   // of join_words: whether a blank may precede the piece, and follow it
  kBlankAfter = 16,
};

}  // namespace onnxc
