// tile_arguments.hpp - template arguments of kernels that work by register tiles.
#pragma once

#include "templates/member_list.hpp"

namespace onnxc {

// Tiles of `rows` by `panel`: MR and NR of gemm.hpp.
struct TileArguments {
  int rows, panel;

  using Members = MemberList<&TileArguments::rows, &TileArguments::panel>;
};

// The columns of a panel: NR.
struct PanelArgument {
  int panel;

  using Members = MemberList<&PanelArgument::panel>;
};

}  // namespace onnxc
