// Parts of the JSON report, one function each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/emit/emit.hpp"
#include "compiler/ir/size_values.hpp"
#include "compiler/support/json.hpp"

namespace onnxc {

// Begins the JSON in a page.
inline constexpr const char* kReportData = "<script type=\"application/json\" id=\"report\">";

// The same JSON, or if it is large, one in which arrays of many objects are columns:
// {"$rows": 2, "$columns": {"name": ["a", "b"], "kind": {"of": ["call"], "at": [0, -1]}}}.
std::string packed(std::string json);

// What people call the model: its graph, or, if that has no name of its own, its file or folder.
std::string title_of(const EmitContext& context);

// A size: a number or an expression, in which sizes have the names of the generated code.
void write_size(JsonWriter& json, const Dim& size);
// A field `key`; where it is open also KEY_about, its leading terms as a text.
void write_amount(JsonWriter& json, const std::string& key, const Dim& amount,
                  std::string (*text)(const Dim&));

// `weights`: the largest constants, and the steps that read them.
void write_weights(JsonWriter& json, const EmitContext& context);

// A batch of one and usual values of other open sizes, and what follows from them; empty if all are
// fixed, or if the model does not allow them.
SizeValues typical_sizes(const Program& program);

// `sizes`, what they are called; `typical_sizes`; and `examples`: work and memory at some values of
// the open sizes; nothing if all are fixed.
void write_examples(JsonWriter& json, const EmitContext& context);

}  // namespace onnxc
