// Picks a message in the tree, one of its fields, and a change that suits the field's type.
#include "tests/fuzz/model_mutator.hpp"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "compiler/ir/op.hpp"
#include "proto/onnx.pb.h"

namespace onnxc {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

class Mutator {
 public:
  Mutator(Message& model, unsigned seed) : chance_(seed) { collect(model); }

  void run() {
    Message& m = *messages_[pick(messages_.size())];
    const auto* type = m.GetDescriptor();
    if (type->field_count() == 0) return;
    std::vector<const FieldDescriptor*> set;
    m.GetReflection()->ListFields(m, &set);
    // Mostly fields that the model has; at times any of the type.
    const bool any = set.empty() || pick(5) == 0;
    const auto* f =
        any ? type->field(static_cast<int>(pick(static_cast<std::size_t>(type->field_count()))))
            : set[pick(set.size())];
    if (f->is_repeated())
      change_list(m, f);
    else
      change_field(m, f);
  }

 private:
  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(chance_);
  }

  void collect(Message& m) {
    messages_.push_back(&m);
    std::vector<const FieldDescriptor*> set;
    const auto* r = m.GetReflection();
    r->ListFields(m, &set);
    for (const auto* f : set) {
      if (f->type() == FieldDescriptor::TYPE_STRING) collect_strings(m, f);
      if (f->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      if (!f->is_repeated()) collect(*r->MutableMessage(&m, f));
      for (int i = 0; f->is_repeated() && i < r->FieldSize(m, f); ++i)
        collect(*r->MutableRepeatedMessage(&m, f, i));
    }
  }

  void collect_strings(const Message& m, const FieldDescriptor* f) {
    const auto* r = m.GetReflection();
    if (!f->is_repeated()) texts_.push_back(r->GetString(m, f));
    for (int i = 0; f->is_repeated() && i < r->FieldSize(m, f); ++i)
      texts_.push_back(r->GetRepeatedString(m, f, i));
  }

  // ---- values ----------------------------------------------------------------------------------

  std::int64_t integer(std::int64_t old) {
    static constexpr std::int64_t kSpecial[] = {0,
                                                1,
                                                -1,
                                                2,
                                                3,
                                                4,
                                                7,
                                                16,
                                                64,
                                                1000,
                                                1 << 20,
                                                std::int64_t{1} << 31,
                                                std::int64_t{1} << 40,
                                                std::numeric_limits<std::int64_t>::max(),
                                                std::numeric_limits<std::int64_t>::min()};
    const std::size_t kind = pick(4);
    if (kind == 0) return static_cast<std::int64_t>(static_cast<std::uint64_t>(old) + 1);
    if (kind == 1) return static_cast<std::int64_t>(static_cast<std::uint64_t>(old) - 1);
    return kSpecial[pick(kind == 2 ? 7 : std::size(kSpecial))];
  }

  double real() {
    static constexpr double kSpecial[] = {0, -0.0, 1, -1, 0.5, 2, 1e-40, 1e30, 1e300};
    const std::size_t i = pick(std::size(kSpecial) + 2);
    if (i == std::size(kSpecial)) return std::numeric_limits<double>::quiet_NaN();
    return i > std::size(kSpecial) ? std::numeric_limits<double>::infinity() : kSpecial[i];
  }

  // Another text of the model, an operator, or bytes with one change.
  std::string text(const FieldDescriptor* f, std::string old) {
    if (f->name() == "op_type" && pick(2) == 0)
      return std::string(ops::all()[pick(ops::all().size())]->name);
    if (f->type() == FieldDescriptor::TYPE_STRING && pick(4) != 0)
      return texts_.empty() ? "" : texts_[pick(texts_.size())];
    if (old.empty() || pick(4) == 0) return old + static_cast<char>(pick(256));
    if (pick(2) == 0) return old.erase(pick(old.size()), 1);
    old[pick(old.size())] = static_cast<char>(pick(256));
    return old;
  }

  // ---- fields ----------------------------------------------------------------------------------

  void change_field(Message& m, const FieldDescriptor* f) {
    const auto* r = m.GetReflection();
    if (pick(8) == 0) return r->ClearField(&m, f);
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->SetInt32(&m, f, static_cast<std::int32_t>(integer(r->GetInt32(m, f))));
      case FieldDescriptor::CPPTYPE_INT64:
        return r->SetInt64(&m, f, integer(r->GetInt64(m, f)));
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->SetUInt64(&m, f, static_cast<std::uint64_t>(integer(0)));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->SetFloat(&m, f, static_cast<float>(real()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->SetDouble(&m, f, real());
      case FieldDescriptor::CPPTYPE_ENUM: {
        const auto* values = f->enum_type();
        return r->SetEnumValue(
            &m, f,
            values->value(static_cast<int>(pick(static_cast<std::size_t>(values->value_count()))))
                ->number());
      }
      case FieldDescriptor::CPPTYPE_STRING:
        return r->SetString(&m, f, text(f, r->GetString(m, f)));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        r->MutableMessage(&m, f);
        return;
      default:
        return;
    }
  }

  void change_list(Message& m, const FieldDescriptor* f) {
    const auto* r = m.GetReflection();
    const int size = r->FieldSize(m, f);
    const std::size_t kind = pick(5);
    if (size == 0 || kind == 0) return add(m, f);
    const int i = static_cast<int>(pick(static_cast<std::size_t>(size)));
    if (kind == 1) {
      r->SwapElements(&m, f, i, size - 1);
      r->RemoveLast(&m, f);
    } else if (kind == 2) {
      r->SwapElements(&m, f, i, static_cast<int>(pick(static_cast<std::size_t>(size))));
    } else {
      change_element(m, f, i);
    }
  }

  void change_element(Message& m, const FieldDescriptor* f, int i) {
    const auto* r = m.GetReflection();
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->SetRepeatedInt32(
            &m, f, i, static_cast<std::int32_t>(integer(r->GetRepeatedInt32(m, f, i))));
      case FieldDescriptor::CPPTYPE_INT64:
        return r->SetRepeatedInt64(&m, f, i, integer(r->GetRepeatedInt64(m, f, i)));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->SetRepeatedFloat(&m, f, i, static_cast<float>(real()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->SetRepeatedDouble(&m, f, i, real());
      case FieldDescriptor::CPPTYPE_STRING:
        return r->SetRepeatedString(&m, f, i, text(f, r->GetRepeatedString(m, f, i)));
      // A copy of another message of the same type, or of this one at the end.
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return r->AddMessage(&m, f)->CopyFrom(r->GetRepeatedMessage(m, f, i));
      default:
        return;
    }
  }

  void add(Message& m, const FieldDescriptor* f) {
    const auto* r = m.GetReflection();
    switch (f->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return r->AddInt32(&m, f, static_cast<std::int32_t>(integer(0)));
      case FieldDescriptor::CPPTYPE_INT64:
        return r->AddInt64(&m, f, integer(0));
      case FieldDescriptor::CPPTYPE_UINT64:
        return r->AddUInt64(&m, f, static_cast<std::uint64_t>(integer(0)));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return r->AddFloat(&m, f, static_cast<float>(real()));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return r->AddDouble(&m, f, real());
      case FieldDescriptor::CPPTYPE_STRING:
        return r->AddString(&m, f, text(f, ""));
      case FieldDescriptor::CPPTYPE_MESSAGE:
        r->AddMessage(&m, f);
        return;
      default:
        return;
    }
  }

  std::mt19937 chance_;
  std::vector<Message*> messages_;
  std::vector<std::string> texts_;
};

}  // namespace

std::size_t mutate_model(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  pb::ModelProto model;
  if (!model.ParseFromArray(data, static_cast<int>(size))) return size;
  Mutator(model, seed).run();
  const std::size_t needed = model.ByteSizeLong();
  if (needed > room) return size;
  model.SerializeToArray(data, static_cast<int>(needed));
  return needed;
}

}  // namespace onnxc
