// Reads tensors that other programs recorded: .npz of NumPy, and folders of .pb.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "compiler/run/harness.hpp"
#include "compiler/run/inner_tensors.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/support/read_file.hpp"

namespace onnxc {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw FatalError(exit_code::io, fmt::format("{}: {}", path, what));
}

// A number of a zip archive, which is little-endian.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint64_t n = 0;
  for (std::size_t i = width; i-- > 0;)
    n = n << 8 | static_cast<unsigned char>(at + i < bytes.size() ? bytes[at + i] : 0);
  return n;
}

struct NumpyType {
  std::string_view name;
  ElemType elem;
};
constexpr NumpyType kNumpyTypes[] = {
    {"f4", ElemType::float32},   {"f8", ElemType::float64},    {"f2", ElemType::float16},
    {"i1", ElemType::int8},      {"i2", ElemType::int16},      {"i4", ElemType::int32},
    {"i8", ElemType::int64},     {"u1", ElemType::uint8},      {"u2", ElemType::uint16},
    {"u4", ElemType::uint32},    {"u8", ElemType::uint64},     {"b1", ElemType::boolean},
    {"c8", ElemType::complex64}, {"c16", ElemType::complex128}};

// What follows 'key': in the header of an array, a dictionary of Python.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  return at == std::string_view::npos ? "" : header.substr(at + key.size() + 3);
}

// The bytes of a file .npy.
Tensor read_array(std::string_view bytes, const std::string& where) {
  if (bytes.size() < 12 || bytes.substr(0, 6) != "\x93NUMPY") fail(where, "is no NumPy array");
  const bool first = bytes[6] == 1;
  const std::size_t start = first ? 10 : 12, length = number_at(bytes, 8, first ? 2 : 4);
  if (start + length > bytes.size()) fail(where, "is cut off");
  const std::string_view header = bytes.substr(start, length);
  std::string_view type = value_of(header, "descr");
  type = type.substr(std::min(type.find('\'') + 1, type.size()));
  type = type.substr(0, type.find('\''));
  if (!type.empty() && (type[0] == '<' || type[0] == '|' || type[0] == '=')) type.remove_prefix(1);
  const auto known = std::ranges::find(kNumpyTypes, type, &NumpyType::name);
  if (known == std::end(kNumpyTypes))
    fail(where, fmt::format("elements {} are not supported", type));
  if (value_of(header, "fortran_order").find("True") < 6) fail(where, "is in Fortran order");
  std::string_view shape = value_of(header, "shape");
  shape = shape.substr(0, shape.find(')'));
  std::vector<std::int64_t> dims;
  std::size_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t d = 0;
    const auto [end, error] = std::from_chars(shape.data() + i, shape.data() + shape.size(), d);
    if (error != std::errc()) continue;
    dims.push_back(d);
    count *= static_cast<std::size_t>(d);
    i = static_cast<std::size_t>(end - shape.data());
  }
  const std::string_view data = bytes.substr(start + length);
  if (data.size() < count * elem_bytes(known->elem)) fail(where, "is cut off");
  const auto elements = std::as_bytes(std::span(data.substr(0, count * elem_bytes(known->elem))));
  return {known->elem, std::move(dims), Blob::owned({elements.begin(), elements.end()})};
}

// By the directory at the end of the archive.
std::map<std::string, Tensor> read_npz(const std::string& path) {
  constexpr std::size_t kEnd = 22, kEntry = 46, kLocal = 30;
  const std::string file = read_file(path);
  const std::string_view bytes = file;
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string_view::npos || end + kEnd > bytes.size()) fail(path, "is no zip archive");
  std::size_t at = number_at(bytes, end + 16, 4);
  std::map<std::string, Tensor> tensors;
  for (std::uint64_t n = number_at(bytes, end + 10, 2); n-- > 0;) {
    if (at + kEntry > bytes.size() || bytes.substr(at, 4) != "PK\x01\x02") fail(path, "is cut off");
    const std::size_t name_size = number_at(bytes, at + 28, 2);
    std::string name(bytes.substr(at + kEntry, name_size));
    if (number_at(bytes, at + 10, 2) != 0)
      fail(path, "is compressed: write it with numpy.savez, not savez_compressed");
    const std::size_t local = number_at(bytes, at + 42, 4);
    const std::size_t data =
        local + kLocal + number_at(bytes, local + 26, 2) + number_at(bytes, local + 28, 2);
    if (data > bytes.size()) fail(path, "is cut off");
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    tensors.emplace(name, read_array(bytes.substr(data), fmt::format("{}: {}", path, name)));
    at += kEntry + name_size + number_at(bytes, at + 30, 2) + number_at(bytes, at + 32, 2);
  }
  return tensors;
}

}  // namespace

std::map<std::string, Tensor> read_named_tensors(const std::string& path) {
  if (!fs::is_directory(path)) {
    if (!fs::exists(path)) fail(path, "no such file or folder");
    return read_npz(path);
  }
  std::map<std::string, Tensor> tensors;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().extension() == ".pb") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    DataValue v = import_data_file(file.string(), Type::tensor(ElemType::undefined));
    tensors.emplace(v.name.empty() ? file.stem().string() : v.name, std::move(v.tensor));
  }
  return tensors;
}

}  // namespace onnxc
