// The shape structs of kernel calls: static values are constants, dynamic ones members.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compiler/emit/source_names.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {

class SourceShapes {
 public:
  // `small`: all dimensions are members, so that calls of a kernel share one instance for all
  // shapes.
  explicit SourceShapes(bool small) : small_(small) {}

  // An object of the step's shape, `Conv1Shape{n}`. Steps with the same shape share a struct, and
  // therefore one instance of the kernel.
  std::string object(const Step& step, SourceNames& names);
  std::string text() const;  // the structs of all objects so far

 private:
  bool is_fixed(const Dim& d) const { return d.is_const() && !small_; }
  struct Members;
  void add_member(const Param& param, const SourceNames& names, Members& members) const;
  void write_struct(CodeWriter& w, const std::string& name, const std::string& body) const;

  const bool small_;
  std::map<std::string, std::string> structs_;  // body -> name
  std::vector<const std::pair<const std::string, std::string>*> order_;
};

}  // namespace onnxc
