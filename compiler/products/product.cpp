// The list of products, made by the build from the names of folders.
#include "compiler/products/product.hpp"

namespace onnxc {

// products.inc lists ONNXC_PRODUCT(folder) for every compiler/products/<folder>/product.cpp.
namespace products {
#define ONNXC_PRODUCT(folder)   \
  namespace folder {            \
  extern const Product product; \
  }
#include "products.inc"
#undef ONNXC_PRODUCT
}  // namespace products

std::span<const Product* const> all_products() {
  static constexpr const Product* kProducts[] = {
#define ONNXC_PRODUCT(folder) &products::folder::product,
#include "products.inc"
#undef ONNXC_PRODUCT
  };
  return kProducts;
}

}  // namespace onnxc
