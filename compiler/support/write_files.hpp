// Writing a set of files so that no reader sees an incomplete set.
#pragma once

#include <string>
#include <vector>

namespace onnxc {

struct GeneratedFile {
  std::string path;
  std::string content;
};

// Writes the files atomically: all of them or, on an error, none. Files with unchanged content keep
// their time stamp, except the .cpp, which build tools want touched. Throws FatalError(io).
void write_files(const std::vector<GeneratedFile>& files);

// Whether two files, which need not exist, are in the same folder.
bool in_same_folder(const std::string& a, const std::string& b);

}  // namespace onnxc
