// Recognises formats by their first bytes, archives by the names in them.
#include "compiler/onnx/read/model_file.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "compiler/ir/tensor.hpp"
#include "compiler/onnx/read/fields.hpp"
#include "compiler/support/utf8.hpp"
#include "proto/onnx.pb.h"

namespace onnxc::reader {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLooked = 4096;           // bytes at the beginning of a file
constexpr std::size_t kDirectory = 256 * 1024;  // bytes at the end of an archive

constexpr std::string_view kTf2onnx = "tf2onnx converts it to ONNX";

struct Magic {
  std::size_t at;
  std::string_view bytes;
  std::string_view kind;
};
constexpr Magic kMagic[] = {
    {0, "version https://git-lfs"sv, "a git-lfs pointer: fetch the file with `git lfs pull`"},
    {0, "\x89PNG\r\n"sv, "a PNG picture, not a model"},
    {0, "\xff\xd8\xff"sv, "a JPEG picture, not a model"},
    {0, "GIF8"sv, "a GIF picture, not a model"},
    {8, "WEBP"sv, "a WebP picture, not a model"},
    {8, "WAVE"sv, "a WAV recording, not a model"},
    {0, "%PDF"sv, "a PDF document, not a model"},
    {0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file, such as a Keras model: tf2onnx converts it to ONNX"},
    {4, "TFL3"sv, "a TFLite model: `python -m tf2onnx.convert --tflite` converts it to ONNX"},
    {4, "ORTM"sv, "a model in ORT format: take the ONNX file that it was made from"},
    {0, "GGUF"sv, "a GGUF file, weights for llama.cpp: export the original model to ONNX"},
    {0, "\x93NUMPY"sv, "a NumPy array, not a model"},
    {0, "\x1f\x8b"sv, "a gzip file: unpack it with gunzip"},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd file: unpack it with unzstd"},
    {0,
     "\xfd"
     "7zXZ"sv,
     "an xz file: unpack it with unxz"},
    {0, "BZh"sv, "a bzip2 file: unpack it with bunzip2"},
    {257, "ustar"sv, "a tar archive: unpack it with tar -x"},
    {0,
     "\x7f"
     "ELF"sv,
     "an ELF file, a program or a library, not a model"},
    {0, "MZ"sv, "a program for Windows, not a model"},
};

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// The names of an archive precede its contents, and are listed again at its end.
std::string archive(std::string_view file) {
  const std::string_view end = file.substr(file.size() - std::min(file.size(), kDirectory));
  const auto holds = [&](std::string_view name) {
    return has(file.substr(0, kLooked), name) || has(end, name);
  };
  if (holds("constants.pkl") || holds("/code/__torch__"))
    return "a TorchScript archive: load it with torch.jit.load, then call torch.onnx.export";
  if (holds("data.pkl"))
    return "a PyTorch archive, mostly weights alone: load it into its model, then call "
           "torch.onnx.export";
  if (holds("model.weights.h5")) return fmt::format("a Keras archive: {}", kTf2onnx);
  if (holds(".npy")) return "an archive of NumPy arrays, not a model";
  if (holds(".onnx")) return "a zip archive with an ONNX file in it: unpack it with unzip";
  return "a zip archive";
}

bool is_safetensors(std::string_view text) {
  return text.size() > 9 && text[8] == '{' && text.substr(5, 3) == "\0\0\0"sv;
}

bool is_pickle(std::string_view file) {
  return file.size() > 2 && file[0] == '\x80' && file[1] >= 2 && file[1] <= 5 && file.back() == '.';
}

// UTF-8 without control characters; the last character may be cut off.
bool is_text(std::string_view begin) {
  const bool cut = begin.size() == kLooked;
  while (!begin.empty()) {
    const std::size_t n = utf8_length(begin);
    if (n == 0) return cut && begin.size() < 4;
    const auto c = static_cast<unsigned char>(begin[0]);
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f) return false;
    begin.remove_prefix(n);
  }
  return true;
}

std::string text_file(std::string_view begin) {
  if (has(begin, "<html") || has(begin, "<!DOCTYPE") || has(begin, "<HTML"))
    return "a web page, not an ONNX file: the download went wrong";
  if (has(begin, "<?xml"))
    return has(begin, "<net") ? "an OpenVINO model: take the ONNX file that it was made from"
                              : "an XML file, not a model";
  if (has(begin, ") => ("))
    return "ONNX's text syntax: onnx.parser.parse_model reads it, onnx.save writes the binary file";
  if (has(begin, "ir_version:") || has(begin, "graph {") || has(begin, "opset_import"))
    return "ONNX in protobuf's text format; onnxc reads the binary format";
  const std::size_t first = begin.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (begin[first] == '{' || begin[first] == '['))
    return "a JSON file, not a model";
  return "a text file, not a model";
}

}  // namespace

std::string guess_other_format(std::span<const std::byte> bytes) {
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view begin = file.substr(0, kLooked);
  if (begin.starts_with("PK\x03\x04")) return archive(file);
  for (const Magic& m : kMagic)
    if (begin.size() > m.at && begin.substr(m.at).starts_with(m.bytes)) return std::string(m.kind);
  if (is_safetensors(begin))
    return "a safetensors file, weights without a graph: load them into their model, then call "
           "torch.onnx.export";
  if (is_pickle(file))
    return "a pickle, as torch.save or joblib write it: load it in Python and export the model "
           "to ONNX";
  if (begin.starts_with("\x08\x01\x12") && has(begin, "serve"))
    return fmt::format("a TensorFlow SavedModel: {}", kTf2onnx);
  if (has(begin, "\x12\x0bPlaceholder")) return fmt::format("a TensorFlow graph: {}", kTf2onnx);
  return is_text(begin) ? text_file(begin) : "";
}

std::string describe_tensor(std::span<const std::byte> bytes) {
  pb::TensorProto tensor;
  const bool parsed = bytes.size() < std::size_t{0x7fffffff} &&
                      tensor.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const std::int32_t elem = tensor.data_type();
  if (!parsed || elem <= 0 || elem >= kElemTypeCount) return "";
  return fmt::format("a tensor of {}, as in test data, not a model",
                     info(static_cast<ElemType>(elem)).onnx_name);
}

}  // namespace onnxc::reader
