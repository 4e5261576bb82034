// What the searches of com.microsoft share: a decoder runs once on the prompt, and then, as the
// body of a Loop, on one token of each row at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ops/upgrade.hpp"

namespace onnxc::ops::search {

inline constexpr std::int64_t kInt32 = 6, kInt64 = 7, kBool = 9;

// Appends nodes to the graph of the search, or to the body of its loop. Results are named after
// their operators.
class Builder {
 public:
  explicit Builder(Upgrade& n) : Builder(n, n.editor()) {}
  Builder(Upgrade& n, GraphEditor& editor) : n_(&n), editor_(&editor) {}

  Value* operator()(const std::string& op, const std::vector<Value*>& inputs,
                    Attributes attributes = {}) {
    return all(op, inputs, 1, std::move(attributes)).front();
  }
  // A node with several results.
  std::vector<Value*> all(const std::string& op, const std::vector<Value*>& inputs,
                          std::size_t results, Attributes attributes) {
    const Op& found = named(op);
    return editor_->emit_all(found, inputs, results, std::move(attributes),
                             std::string(found.name));
  }

  Value* ints(std::vector<std::int64_t> values) { return n_->constant(Tensor::ints(values)); }
  Value* real(float value) { return n_->constant(Tensor::scalar(value)); }
  Value* int32(std::int64_t value) { return (*this)("Cast", {ints({value})}, {{"to", kInt32}}); }
  Value* cast(Value* x, std::int64_t type) { return (*this)("Cast", {x}, {{"to", type}}); }
  Value* scalar(Value* x) { return (*this)("Reshape", {x, ints({})}); }
  Value* list(Value* x) { return (*this)("Reshape", {x, ints({1})}); }
  Value* join(const std::vector<Value*>& parts, std::int64_t axis = 0) {
    return (*this)("Concat", parts, {{"axis", axis}});
  }
  Value* extent(Value* x, std::int64_t axis) {
    return (*this)("Shape", {x}, {{"start", axis}, {"end", axis + 1}});
  }
  Value* filled(Tensor one, const std::vector<Value*>& dims) {
    return (*this)("ConstantOfShape", {join(dims)}, {{"value", std::move(one)}});
  }

 private:
  Upgrade* n_;
  GraphEditor* editor_;
};

struct State {
  std::vector<Value*> inputs;  // of the decoder
  Value* sequences = nullptr;  // the tokens so far
  Value* place = nullptr;      // of the next token; null where the decoder does not take it
  std::vector<Value*> own;     // of the search
  bool whole = false;          // the decoder reads all tokens, not only the newest

  std::vector<Value*> all() const;
};

// What a search decides after a call of the decoder.
struct Choice {
  Value* tokens = nullptr;     // [rows, 1]
  Value* sequences = nullptr;  // with these tokens
  Value* parents = nullptr;    // the rows that they continue; null: each its own
  Value* goes_on = nullptr;    // a condition
  std::vector<Value*> own;
  Value* scan = nullptr;  // a result of every step, if any
};
// Chooses by the logits of the last token, float32 [rows, vocabulary].
using Choose = std::function<Choice(Builder&, const State&, Value* logits, bool first)>;

// How the decoder's inputs follow from its last results.
using Advance =
    std::function<State(Builder&, const State&, const std::vector<Value*>& results, const Choice&)>;

struct Search {
  Upgrade& n;
  Choose choose;
  Advance advance;
};

// What a search leaves: the state, and the scans of all steps, [steps, ...].
struct Found {
  State state;
  Value* scans = nullptr;
};

// After the first call of the decoder, which has read the prompt.
struct Start {
  std::shared_ptr<Graph> decoder;  // of all further calls
  State prompt;                    // before the first call
  std::vector<Value*> results;     // of the first call
};

// Runs the decoder in a loop until the sequences are `most` long.
Found run(const Search& s, const Start& start, Value* most);
// Moves the nodes of a graph before the node of the search; its inputs are these values.
std::vector<Value*> inlined(Upgrade& n, Graph& g, const std::vector<Value*>& inputs);
// A graph that is an attribute of the node.
std::shared_ptr<Graph> graph_of(const Upgrade& n, const char* attribute);
// Zeros as the cache that a decoder reads, [..., rows, ..., 0, ...]. dims: null: the declared one.
Value* empty_cache(Builder& b, const Upgrade& n, const Graph& decoder, std::size_t input,
                   std::vector<Value*> dims);

// Decoders like GPT: tokens, positions, mask and caches [2, rows, heads, past, size]. The first
// call has a graph of its own, or reads empty caches. `mask` may be null.
Start gpt_start(Builder& b, Upgrade& n, Value* tokens, Value* mask, std::int64_t pad);
State gpt_advance(Builder& b, const State& before, const std::vector<Value*>& results,
                  const Choice& choice);

}  // namespace onnxc::ops::search
