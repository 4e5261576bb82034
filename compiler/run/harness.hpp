// Adapts a generated function to the uniform interface of the driver programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compiler/run/toolchain.hpp"
#include "compiler/session/session.hpp"

namespace onnxc {

// A folder with the drivers and a precompiled header of the headers that kernels include. Several
// processes may share the folder.
class HarnessFolder {
 public:
  // With `standalone`, every unit's folder gets all files that it needs, for people to read.
  HarnessFolder(std::string path, const Toolchain& toolchain, bool standalone);

  // Compiles verify_driver.cpp or bench_driver.cpp; returns the object file.
  // Throws FatalError(io) with the compiler's message.
  std::string driver(const std::string& name) const;
  // Writes a generated model into `folder` and compiles it with its adapter to `folder`/unit.o.
  // `unit` makes the symbols unique.
  ProcessResult compile_unit(const CompileResult& generated, const std::string& unit,
                             const std::string& folder) const;
  // The programs of several devices as one unit: `folder`/unit.o, and `folder`/D/unit.o for each.
  ProcessResult compile_team(const CompileResult& whole, const std::vector<CompileResult>& parts,
                             const std::string& unit, const std::string& folder) const;
  // Links a driver with units and the objects that define them; units[i] is the driver's number i.
  ProcessResult link(const std::string& driver, std::span<const std::string> units,
                     std::vector<std::string> objects, const std::string& program) const;

 private:
  std::string precompiled_header() const;

  std::string path_;
  const Toolchain& toolchain_;
  bool standalone_;
};

// The C name of a model whose symbols start with `index`.
std::string unit_name(int index);

// The content of the weights file that a caller binds; empty when weights are linked in.
std::string_view external_weights(const CompileResult& generated);

void write_file(const std::string& path, const std::string& content);

}  // namespace onnxc
