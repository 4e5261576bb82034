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
