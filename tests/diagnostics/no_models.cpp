// Files that hold no ONNX model: damaged bytes, and files of other kinds.
#include <catch2/catch.hpp>

#include "tests/diagnostics/broken_models.hpp"

using namespace onnxc;
using namespace onnxc::broken;

TEST_CASE("bytes that protobuf's wire format does not allow", "[import]") {
  const TemporaryFolder folder;
  const auto bytes = [](std::initializer_list<int> list) {
    std::string all;
    for (int b : list) all += static_cast<char>(b);
    return all;
  };
  const std::pair<std::string, const char*> cases[] = {
      {bytes({0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}),
       "m: error[not-onnx]: not an ONNX model: byte offset 1, field ir_version: varint longer than "
       "10 bytes"},
      {bytes({0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0f}),
       "m: error[not-onnx]: not an ONNX model: byte offset 9, field ir_version: wire type 7"},
      {bytes({0x0d, 1, 2, 3, 4, 0x0c}),
       "m: error[not-onnx]: not an ONNX model: byte offset 5: end-group without a group"},
      {bytes({0x0b, 0x0b, 0x0c, 0x0c, 0x08}),
       "m: error[not-onnx]: not an ONNX model: byte offset 5, field ir_version: truncated varint"},
      {bytes({0x0b, 0x08, 0x01}),
       "m: error[not-onnx]: not an ONNX model: byte offset 0, field ir_version: unterminated "
       "group"},
      // In graph.node, and after it.
      {bytes({0x3a, 4, 0x0a, 2, 0x22, 9}),
       "m: error[not-onnx]: not an ONNX model: byte offset 4, field graph.node.op_type: length 9 "
       "goes past the end (0 bytes are left): the file is cut off, or no such file"},
      {bytes({0x3a, 2, 0x0a, 0, 0x08, 1, 0x12, 2, 'a'}),
       "m: error[not-onnx]: not an ONNX model: byte offset 6, field producer_name: length 2 goes "
       "past the end (1 bytes are left): the file is cut off, or no such file"},
      {bytes({0x3a, 3, 0x0a, 1, 0x0f}),
       "m: error[not-onnx]: not an ONNX model: byte offset 4, field graph.node.input: wire type 7"},
      {bytes({0x3a, 3, 0x0d, 1, 2, 3, 4}),
       "m: error[not-onnx]: not an ONNX model: byte offset 2, field graph.node: length 4 goes past "
       "the end (2 bytes are left): the file is cut off, or no such file"},
      {bytes({0x02, 0}), "m: error[not-onnx]: not an ONNX model: byte offset 0: field number 0"},
      {bytes({0x80, 0x80, 0x80, 0x80, 0x10, 0}),
       "m: error[not-onnx]: not an ONNX model: byte offset 0: field number 536870912"},
      {bytes({0xf8, 0xff, 0xff, 0xff, 0x0f}),
       "m: error[not-onnx]: not an ONNX model: byte offset 5, field 536870911: truncated varint"},
      {"<!DOCTYPE html><html></html>",
       "m: error[not-onnx]: this is a web page, not an ONNX file: the download went wrong"},
      {std::string("\x1c\0\0\0TFL3....", 12),
       "m: error[not-onnx]: this is a TFLite model: `python -m tf2onnx.convert --tflite` converts "
       "it to ONNX"},
      {std::string("\x1c\0\0\0ORTM....", 12),
       "m: error[not-onnx]: this is a model in ORT format: take the ONNX file that it was made "
       "from"},
      {"PK\x03\x04....", "m: error[not-onnx]: this is a zip archive"},
      {"\x1f\x8b....", "m: error[not-onnx]: this is a gzip file: unpack it with gunzip"},
  };
  for (const auto& [file, message] : cases) {
    write(folder / "m.onnx", file);
    CHECK(import_messages(folder / "m.onnx") == std::vector<std::string>{message});
  }
}

TEST_CASE("groups in groups have a limit, and of a long path the beginning is shown", "[import]") {
  const TemporaryFolder folder;
  write(folder / "m.onnx", std::string(3000, '\x0b'));
  std::string path = "ir_version";
  while (path.size() < 200) path += ".1";
  CHECK(import_messages(folder / "m.onnx") ==
        std::vector<std::string>{"m: error[not-onnx]: not an ONNX model: byte offset 106, field " +
                                 path + "...: groups nested too deeply"});
}
