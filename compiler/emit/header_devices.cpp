// Prints the interface of a program that is one of several devices'.
#include "compiler/emit/header_devices.hpp"

#include "compiler/interface/figures.hpp"

namespace onnxc {

void devices_banner(CodeWriter& w, const OwnDevice& own) {
  w.line(" * device    {} of {}; sends {} in {} messages of a run", own.number, own.count,
         shape_comment(bytes_text(own.bytes_sent)), own.messages_sent);
}

void devices_type(CodeWriter& w, const EmitContext& c) {
  w.raw_line(
      "/* How this device reaches the others, which have the numbers from 0 on. Messages from");
  w.raw_line(
      "   one device to another arrive in order; `tag` counts the exchanges of a run and is the");
  w.raw_line("   same at both ends. A function returns 0, or another value when it failed. */");
  w.open("typedef struct {");
  w.raw_line(
      "int (*send)(void* context, int device, uint32_t tag, const void* data, size_t bytes);");
  w.raw_line("int (*receive)(void* context, int device, uint32_t tag, void* data, size_t bytes);");
  w.raw_line("/* Of `count` elements of each device of the group: 0 the sum, 1 the product, 2 the");
  w.raw_line(
      "   maximum, 3 the minimum, in place. `type`: ONNX's number of the element type. Null:");
  w.raw_line("   done by send and receive, in the order of the group. */");
  w.raw_line(
      "int (*all_reduce)(void* context, const int* group, int size, uint32_t tag, void* data,");
  w.raw_line("                  size_t count, int type, int operation);");
  w.raw_line("void* context;");
  w.close(fmt::format("}} {}_devices;", c.name));
  w.raw_line("");
}

void meet_interface(CodeWriter& w, const EmitContext& c) {
  w.raw_line(
      "/* Tells the devices that this one exchanges messages with which plan it has, 8 bytes");
  w.line("   each. {}_OK: theirs is the same. Call it once, before the first run. */",
         upper_case(c.name));
  w.line("ONNXC_API {0}_status {0}_meet(const {0}_devices* devices);", c.name);
  w.raw_line("");
}

void write_meet_function(CodeWriter& w, const EmitContext& c) {
  const OwnDevice& own = *c.model.device;
  std::string peers;
  for (const int p : own.peers) peers += fmt::format("{}{}", peers.empty() ? "" : ", ", p);
  w.open(fmt::format("extern \"C\" {0}_status {0}_meet(const {0}_devices* devices) {{", c.name));
  w.line("static constexpr int peers[] = {{{}}};", peers);
  w.line("return static_cast<{}_status>(onnxc::meet(devices, {}, peers, {:#x}u));", c.name,
         own.number, own.plan);
  w.close();
  w.raw_line("");
}

}  // namespace onnxc
