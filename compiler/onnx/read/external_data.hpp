// Tensor data in files next to the model.
//
// A location comes from an untrusted model: it may only name a regular file beneath the model's
// folder, reached without symbolic links.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/tensor.hpp"
#include "compiler/onnx/read/file.hpp"

namespace onnxc::pb {
class TensorProto;
}

namespace onnxc::reader {

class ExternalData {
 public:
  explicit ExternalData(const std::string& model_path);

  // The `needed` bytes of a tensor whose data_location is EXTERNAL. Throws OpError.
  std::shared_ptr<const Blob> read(const pb::TensorProto& tensor, std::int64_t needed);

  // Paths of the files read, for depfiles; sorted.
  std::vector<std::string> files() const { return {files_.begin(), files_.end()}; }
  // Notes to the user that are not errors.
  std::vector<std::string> warnings;

 private:
  struct Entry;
  FileDescriptor open(const std::string& location) const;
  void verify_checksum(const FileDescriptor& file, std::uint64_t size, const Entry& entry);

  std::string folder_;
  platform::Folder files_of_folder_;
  std::set<std::string> files_;
  std::map<std::string, std::string> sha1_;  // location -> digest
};

}  // namespace onnxc::reader
