// The shape structs of kernel calls: constants where the compiler knows them, else members.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

class SourceShapes {
 public:
  explicit SourceShapes(SourceNames& names) : names_(names) {}

  // An object of the step's shape, `Conv1Shape{n}`. Steps with the same shape share a struct, and
  // so one instance of the kernel.
  std::string object(const Step& step);
  void write(CodeWriter& w) const;  // the structs of all objects so far

 private:
  std::string member(const Param& param, std::string& values) const;

  SourceNames& names_;
  std::map<std::string, std::string> structs_;  // body -> name
  std::vector<const std::pair<const std::string, std::string>*> order_;
};

}  // namespace onnxc
