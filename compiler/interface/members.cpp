// The structs of inputs and outputs, member by member.
#include <fmt/format.h>

#include "compiler/interface/interface.hpp"

namespace onnxc {
namespace {

using Kind = Member::Kind;

void add_object(const InterfaceFacts& f, const Port& p, bool input, std::vector<Member>& list) {
  const std::string value = f.prefix + "_value*";
  const CommentText type = shape_comment(p.type.to_string());
  list.push_back({Kind::pointer, (input ? "const " : "") + value, p.identifier, type});
  if (input) return;
  list.push_back({Kind::pointer, "void*", p.identifier + "_memory",
                  comment_text("room for what it points at")});
  list.push_back({Kind::size, "size_t", p.identifier + "_capacity"});
  list.push_back({Kind::pointer, "size_t*", p.identifier + "_size",
                  comment_text("gets how many bytes that takes, unless null")});
}

void add_rows(const InterfaceFacts& f, const Port& p, std::vector<Member>& list) {
  CommentText text = shape_comment(to_string(p.shape));
  text += comment_text(fmt::format(": {} rows of {} elements", p.rows->count, p.rows->elements()));
  list.push_back({Kind::rows, f.prefix + "_rows", p.identifier, text});
}

void add_text_memory(const Port& p, std::vector<Member>& list) {
  list.push_back({Kind::pointer, "char*", p.identifier + "_text",
                  comment_text("room for the bytes of the strings")});
  list.push_back({Kind::size, "size_t", p.identifier + "_text_capacity"});
  list.push_back({Kind::pointer, "size_t*", p.identifier + "_text_size",
                  comment_text("gets how many bytes they take, unless null")});
}

void add_tensor(const InterfaceFacts& f, const Port& p, bool input, std::vector<Member>& list) {
  CommentText text = shape_comment(to_string(p.shape));
  if (is_complex(p.elem)) text += comment_text(" of real part, imaginary part");
  list.push_back({Kind::pointer, (input ? "const " : "") + c_type(p.elem, f.prefix) + "*",
                  p.identifier, text});
  if (!input && p.elem == ElemType::string && f.heap) add_text_memory(p, list);
  if (!p.is_dynamic()) return;
  if (input) {
    list.push_back({Kind::extents, "int64_t", p.identifier + "_dims", {}, p.dims.size()});
    return;
  }
  list.push_back({Kind::size, "size_t", p.identifier + "_capacity",
                  comment_text("elements that it has room for")});
  list.push_back({Kind::pointer, "int64_t*", p.identifier + "_dims",
                  comment_text(fmt::format("gets its {} extents, unless null", p.dims.size()))});
}

std::vector<Member> members_of(const InterfaceFacts& f, const std::vector<Port>& ports,
                               bool input) {
  std::vector<Member> list;
  for (const Port& p : ports) {
    if (p.is_object())
      add_object(f, p, input, list);
    else if (p.rows)
      add_rows(f, p, list);
    else
      add_tensor(f, p, input, list);
  }
  if (input)
    for (Resource& r : resources(f)) list.push_back(std::move(r.member));
  if (list.empty()) list.push_back({Kind::unused, "char", "unused_"});
  return list;
}

}  // namespace

std::vector<Member> input_members(const InterfaceFacts& facts, const std::vector<Port>& ports) {
  return members_of(facts, ports, true);
}

std::vector<Member> output_members(const InterfaceFacts& facts, const std::vector<Port>& ports) {
  return members_of(facts, ports, false);
}

}  // namespace onnxc
