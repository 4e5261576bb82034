// What is going on, for people who wait.
#pragma once

#include <string>

namespace onnxc {

// The last line of a terminal on stderr; nothing where stderr is none.
class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(const std::string& text) const;
  // Before anything else is printed.
  void clear() const;

 private:
  bool terminal_;
};

}  // namespace onnxc
