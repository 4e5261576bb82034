// value.hpp - what has no fixed shape: sequences, optionals, maps, tensors of unknown rank.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "runtime_min/heap.hpp"
#include "runtime_min/text.hpp"

namespace onnxc {

// A handle of a value on the heap of the call. Copies share; a value that is shared is never
// changed. Nothing at all is the empty optional. A map is a list of two tensors: keys and values.
class Value {
 public:
  explicit Value(Heap& heap) : heap_(&heap) {}
  Value(const Value& other) : heap_(other.heap_), node_(other.node_) { retain(node_); }
  Value& operator=(const Value& other) {
    retain(other.node_);
    drop(node_);
    node_ = other.node_;
    return *this;
  }
  ~Value() { drop(node_); }

  void clear() {
    drop(node_);
    node_ = nullptr;
  }

  bool exists() const { return node_ != nullptr; }
  bool is_list() const { return node_ != nullptr && node_->list; }

  // ---- tensors ------------------------------------------------------------------------------

  // Becomes a tensor of `count` elements of `width` bytes; null when there is no memory. `borrowed`
  // elements stay where they are and have to outlive the call.
  void* make_tensor(Index rank, const Extent* dims, Index width, const void* borrowed = nullptr) {
    clear();
    Extent count = 1;
    for (Index k = 0; k < rank; ++k) count = count * dims[k];
    const Extent head = align(Extent(sizeof(Node)) + rank * Extent(sizeof(std::int64_t)));
    const Extent body = borrowed != nullptr ? Extent(0) : max(count * width, Extent(1));
    auto* const raw = static_cast<unsigned char*>(heap_->allocate(head + body));
    if (raw == nullptr) return nullptr;
    node_ = reinterpret_cast<Node*>(raw);
    *node_ = Node{};
    node_->rank = rank;
    node_->count = count.value();
    node_->width = width;
    node_->dims = reinterpret_cast<std::int64_t*>(raw + sizeof(Node));
    for (Index k = 0; k < rank; ++k) node_->dims[k] = dims[k].value();
    node_->data = borrowed != nullptr ? const_cast<void*>(borrowed) : raw + Index(head);
    return node_->data;
  }
  Index rank() const { return node_->rank; }
  std::int64_t dim(Index axis) const { return node_->dims[axis]; }
  const std::int64_t* dims() const { return node_->dims; }
  // Elements of a tensor, members of a list.
  std::int64_t size() const { return node_ == nullptr ? 0 : node_->count; }
  Index width() const { return node_->width; }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(node_->data);
  }

  // ---- lists --------------------------------------------------------------------------------

  // Becomes a list without members.
  bool make_list() {
    clear();
    node_ = static_cast<Node*>(heap_->allocate(sizeof(Node)));
    if (node_ == nullptr) return false;
    *node_ = Node{};
    node_->list = true;
    return true;
  }
  Value at(std::int64_t i) const {
    Value v(*heap_);
    v.node_ = node_->members[i];
    retain(v.node_);
    return v;
  }
  // Puts a member before member `at`; false when there is no memory.
  bool insert(std::int64_t at, const Value& member) {
    if (!own(node_->count + 1)) return false;
    for (std::int64_t i = node_->count; i > at; --i) node_->members[i] = node_->members[i - 1];
    node_->members[at] = member.node_;
    retain(member.node_);
    ++node_->count;
    return true;
  }
  bool append(const Value& member) { return insert(node_->count, member); }
  bool erase(std::int64_t at) {
    if (!own(node_->count)) return false;
    drop(node_->members[at]);
    --node_->count;
    for (std::int64_t i = at; i < node_->count; ++i) node_->members[i] = node_->members[i + 1];
    return true;
  }

  Heap& heap() const { return *heap_; }

 private:
  struct alignas(16) Node {
    std::int64_t uses = 1;
    bool list = false;
    Index rank = 0, width = 0;
    std::int64_t count = 0, capacity = 0;
    std::int64_t* dims = nullptr;
    void* data = nullptr;
    Node** members = nullptr;
  };

  static Extent align(Extent bytes) { return floor_div(bytes + 63, 64) * 64; }

  static void retain(Node* node) {
    if (node != nullptr) ++node->uses;
  }
  void drop(Node* node) const {
    if (node == nullptr || --node->uses > 0) return;
    if (node->list) {
      for (std::int64_t i = 0; i < node->count; ++i) drop(node->members[i]);
      heap_->release(node->members);
    }
    heap_->release(node);
  }

  // Makes this list the only user of its members, with room for `wanted`.
  bool own(std::int64_t wanted) {
    if (node_->uses == 1 && node_->capacity >= wanted) return true;
    const std::int64_t capacity = wanted > 2 * node_->count ? wanted : 2 * node_->count;
    auto** const members = static_cast<Node**>(heap_->allocate(Extent(capacity) * sizeof(Node*)));
    if (members == nullptr) return false;
    for (std::int64_t i = 0; i < node_->count; ++i) members[i] = node_->members[i];
    if (node_->uses == 1) {
      heap_->release(node_->members);
      node_->members = members;
      node_->capacity = capacity;
      return true;
    }
    auto* const node = static_cast<Node*>(heap_->allocate(sizeof(Node)));
    if (node == nullptr) {
      heap_->release(members);
      return false;
    }
    *node = Node{};
    node->list = true;
    node->count = node_->count;
    node->capacity = capacity;
    node->members = members;
    for (std::int64_t i = 0; i < node->count; ++i) retain(members[i]);
    drop(node_);
    node_ = node;
    return true;
  }

  Heap* heap_;
  Node* node_ = nullptr;
};

// The form that a value from the caller must have: element width of its tensors, and
// the lists, optionals and maps around them, outermost first.
struct ValueType {
  enum Layer : unsigned char { tensor, list, optional, map };
  Layer layers[4];
  Index width;
  bool text;  // strings, whose bytes lie elsewhere
  Index key_width = 0;
  bool key_text = false;
};

// V is the <name>_value of a model's header: kind, data, dims, rank, items, count. The elements
// stay with the caller.
template <class V>
Status import_tensor(const V& v, Index width, Value& out) {
  constexpr std::int64_t kMaxRank = 64;
  if (v.kind != 1 || v.rank < 0 || v.rank > kMaxRank || (v.rank > 0 && v.dims == nullptr))
    return Status::bad_argument;
  Extent dims[kMaxRank] = {}, count = 1;
  for (std::int64_t k = 0; k < v.rank; ++k) {
    dims[k] = v.dims[k];
    if (dims[k] < 0) return Status::bad_shape;
    count = count * dims[k];
  }
  if (count != 0 && v.data == nullptr) return Status::bad_argument;
  static constexpr unsigned char kNothing[16] = {};
  const void* const data = v.data != nullptr ? v.data : kNothing;
  return out.make_tensor(static_cast<Index>(v.rank), dims, width, data) != nullptr
             ? Status::ok
             : Status::out_of_memory;
}

// Keys and values, the same number of each.
template <class V>
Status import_map(const V& v, const ValueType& type, Value& out) {
  if (v.kind != 3 || v.count != 2 || v.items == nullptr) return Status::bad_argument;
  if (!out.make_list()) return Status::out_of_memory;
  Value side(out.heap());
  std::int64_t size = 0;
  for (int i = 0; i < 2; ++i) {
    const Status s = import_tensor(v.items[i], i == 0 ? type.key_width : type.width, side);
    if (s != Status::ok) return s;
    if (side.rank() != 1 || (i == 1 && side.size() != size)) return Status::bad_shape;
    size = side.size();
    if (!out.append(side)) return Status::out_of_memory;
  }
  return Status::ok;
}

template <class V>
Status import_value(const V* v, const ValueType& type, int depth, Value& out) {
  ValueType::Layer layer = type.layers[depth];
  if (layer == ValueType::optional) {
    if (v == nullptr || v->kind == 0) {
      out.clear();
      return Status::ok;
    }
    layer = type.layers[++depth];
  }
  if (v == nullptr) return Status::bad_argument;
  if (layer == ValueType::list) {
    if (v->kind != 2 || v->count < 0 || (v->count > 0 && v->items == nullptr))
      return Status::bad_argument;
    if (!out.make_list()) return Status::out_of_memory;
    Value member(out.heap());
    for (std::int64_t i = 0; i < v->count; ++i) {
      const Status s = import_value(v->items + i, type, depth + 1, member);
      if (s != Status::ok) return s;
      if (!out.append(member)) return Status::out_of_memory;
    }
    return Status::ok;
  }
  return layer == ValueType::map ? import_map(*v, type, out) : import_tensor(*v, type.width, out);
}

// Lays a value out in the caller's memory, with everything it points at. Called with no memory it
// only measures.
class ValueWriter {
 public:
  ValueWriter(void* memory, std::size_t capacity)
      : memory_(static_cast<unsigned char*>(memory)), capacity_(memory == nullptr ? 0 : capacity) {}

  template <class V>
  void write(const Value& value, const ValueType& type, V* to, int depth = 0) {
    while (type.layers[depth] == ValueType::optional) ++depth;
    if (value.exists() && !value.is_list()) return write_tensor(value, type.width, type.text, to);
    V v{};
    if (value.is_list()) {
      const bool map = type.layers[depth] == ValueType::map;
      v.kind = map ? 3 : 2;
      v.count = value.size();
      V* const items = static_cast<V*>(take(value.size() * Extent(sizeof(V))));
      v.items = items;
      for (std::int64_t i = 0; i < value.size(); ++i) {
        V* const item = items == nullptr ? nullptr : items + i;
        if (map && i == 0)
          write_tensor(value.at(i), type.key_width, type.key_text, item);
        else
          write(value.at(i), type, item, depth + 1);
      }
    }
    if (to != nullptr) *to = v;
  }
  std::int64_t used() const { return used_.value(); }
  bool fits() const {
    return used_.value() >= 0 && static_cast<std::uint64_t>(used_.value()) <= capacity_;
  }

 private:
  template <class V>
  void write_tensor(const Value& value, Index width, bool text, V* to) {
    V v{};
    v.kind = 1;
    v.rank = value.rank();
    v.dims = static_cast<const std::int64_t*>(
        copy(value.dims(), value.rank() * Extent(sizeof(std::int64_t))));
    v.count = value.size();
    v.data = copy(value.data<void>(), value.size() * Extent(width));
    if (text) copy_bytes(value, v.data);
    if (to != nullptr) *to = v;
  }
  // Memory for one part; null once it does not fit.
  void* take(Extent bytes) {
    const Extent start = floor_div(used_ + 15, 16) * 16;
    used_ = start + bytes;
    return fits() && memory_ != nullptr ? memory_ + Index(start) : nullptr;
  }
  // The bytes of strings, to which the copied elements then point.
  void copy_bytes(const Value& value, const void* copied) {
    auto* const texts = static_cast<Text*>(const_cast<void*>(copied));
    for (std::int64_t i = 0; i < value.size(); ++i) {
      const Text& t = value.data<Text>()[i];
      const void* const bytes = copy(t.data, t.size);
      if (texts != nullptr) texts[i] = {static_cast<const char*>(bytes), t.size};
    }
  }
  const void* copy(const void* from, Extent bytes) {
    void* const to = take(bytes);
    if (to != nullptr && bytes != 0) std::memcpy(to, from, static_cast<std::size_t>(bytes.value()));
    return to;
  }

  unsigned char* memory_;
  std::size_t capacity_;
  Extent used_;
};

// Moves the bytes of strings, made by the call or elsewhere, to the caller's memory. `used` gets
// the number of bytes they take, if it is not null.
inline Status copy_strings(Text* texts, Extent count, char* memory, std::size_t capacity,
                           std::size_t* used) {
  Extent bytes = 0;
  for (Index i = 0; i < count; ++i) bytes = bytes + texts[i].size;
  if (used != nullptr) *used = static_cast<std::size_t>(bytes.value());
  if (static_cast<std::uint64_t>(bytes.value()) > (memory == nullptr ? 0 : capacity))
    return Status::too_small;
  for (Index i = 0; i < count; ++i) {
    const auto size = static_cast<std::size_t>(texts[i].size);
    if (size > 0) std::memcpy(memory, texts[i].data, size);
    texts[i].data = memory;
    memory += size;
  }
  return Status::ok;
}

constexpr std::int64_t kAnySize = -1;

// Whether the members of a sequence have the shape that its type says.
inline bool members_have_shape(const Value& list, Index rank, const std::int64_t* dims) {
  for (std::int64_t i = 0; i < list.size(); ++i) {
    const Value member = list.at(i);
    if (member.rank() != rank) return false;
    for (Index k = 0; k < rank; ++k)
      if (dims[k] != kAnySize && member.dim(k) != dims[k]) return false;
  }
  return true;
}

}  // namespace onnxc
