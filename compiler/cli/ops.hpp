// The `ops` command: the table of supported operators, from the registry.
#pragma once

namespace onnxc {

enum class OpsFormat { text, json, markdown };

// Returns the exit code.
int run_ops(OpsFormat format);

}  // namespace onnxc
