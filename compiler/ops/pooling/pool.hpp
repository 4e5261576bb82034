// Shared by the pooling operators: inference and lowering of windows and of global pools.
#pragma once

#include "compiler/kernels/pooling_calls.hpp"
#include "compiler/ops/gradient.hpp"
#include "compiler/ops/infer.hpp"
#include "compiler/ops/window.hpp"

namespace onnxc::ops {

// Output i of a pooling node has input 0's element type unless given another.
void infer_pool(Infer& n);
Shape pool_out_shape(const NodeView& n, const Shape& x);

// Members batch, channels, the window and channels_last.
PoolNdShape<Dim> nd_pool(const Lower& n, const Window& window);

// Signals and images of floats without indices have a fast channels-last kernel.
LayoutRule prefer_channels_last(const Node& node);
bool has_image_kernel(const Lower& n);
PoolShape<Dim> image_pool(const Lower& n, const Window& window);

// Accepts channels-last float32 data.
LayoutRule accept_channels_last(const Node& node);

// [N, C, 1, ...].
void infer_global_pool(Infer& n);
GlobalPoolShape<Dim> global_pool_shape(const Lower& n);

// The attribute p of a norm, checked. Version 1 has it as a float, which whole_norm_order converts.
std::int64_t norm_order(const NodeView& n);
void whole_norm_order(Upgrade& n);

// The derivative of a p-norm by its data, from `over_norm` = dy / y^(p - 1) at the data's elements.
Term gradient_of_norm(Term x, std::int64_t p, Term over_norm);
// dy / y^(p - 1), 0 where the norm is 0.
Term divided_by_norm(Term dy, Term y, std::int64_t p);

}  // namespace onnxc::ops
