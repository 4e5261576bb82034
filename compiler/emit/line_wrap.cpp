// Where to break a line: at the outermost brackets first, then as late as possible.
#include "compiler/emit/writer.hpp"

#include <algorithm>
#include <cctype>

namespace onnxc {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

struct Break {
  std::size_t at = 0;  // position of the first character of the next line
  int cost = 0;        // depth of brackets, and a penalty for a poor place
};

// Scans code for its trailing comment and the possible breaks, up to the first after `enough`.
class CodeScan {
 public:
  explicit CodeScan(std::string_view code, std::size_t enough = kNone) : code_(code) {
    const auto is_done = [&] {
      return comment_ != kNone || (!breaks_.empty() && breaks_.back().at > enough);
    };
    for (at_ = 0; at_ < code_.size() && !is_done(); ++at_) step();
  }
  std::size_t comment() const { return comment_; }
  const std::vector<Break>& breaks() const { return breaks_; }

 private:
  char now() const { return code_[at_]; }
  char before() const { return at_ > 0 ? code_[at_ - 1] : ' '; }
  bool starts(std::string_view s) const { return code_.substr(at_, s.size()) == s; }

  void step() {
    if (now() == '"') return literal();
    if (starts("  // ") || starts("  /* ")) comment_ = at_;
    if (starts("/*")) return inner_comment();
    if (now() == '(' || now() == '[' || now() == '{' || opens_arguments()) ++depth_;
    if (now() == ')' || now() == ']' || now() == '}' || closes_arguments()) --depth_;
    add_break();
  }
  void add_break() {
    constexpr int kPoor = 100;
    if (now() == '(') breaks_.push_back({at_ + 1, depth_ + kPoor});
    if (now() != ' ' || at_ == 0) return;
    const bool assigned = before() == '=' && angles_ == 0;
    if (is_place() || assigned) breaks_.push_back({at_ + 1, depth_ + (assigned ? kPoor : 0)});
  }
  void literal() {
    for (++at_; at_ < code_.size() && now() != '"'; ++at_)
      if (now() == '\\') ++at_;
  }
  void inner_comment() {
    const std::size_t end = code_.find("*/", at_);
    at_ = end == kNone ? code_.size() : end + 1;
  }
  bool opens_arguments() {
    const bool opens = now() == '<' && std::isalnum(static_cast<unsigned char>(before())) != 0;
    angles_ += opens;
    return opens;
  }
  bool closes_arguments() {
    const bool closes = now() == '>' && angles_ > 0 && before() != '-' && before() != ' ';
    angles_ -= closes;
    return closes;
  }
  bool is_place() const {
    const std::string_view rest = code_.substr(at_ + 1);
    return before() == ',' || before() == ';' || before() == '{' || rest.starts_with("&& ") ||
           rest.starts_with("|| ") || rest.starts_with("+ ") || rest.starts_with("return ");
  }

  std::string_view code_;
  std::size_t at_ = 0, comment_ = kNone;
  int depth_ = 0, angles_ = 0;
  std::vector<Break> breaks_;
};

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// The position in `text`, which is indented by `indent` blanks; npos if there is no possible break.
std::size_t best_break(std::string_view text, std::size_t indent, std::size_t width) {
  const std::size_t own = indentation(text), last = width + 1 > indent ? width + 1 - indent : 0;
  const CodeScan scan(text, std::max(own, last));
  const Break* best = nullptr;
  for (const Break& b : scan.breaks()) {
    if (b.at <= own) continue;
    if (b.at > last) return best ? best->at : b.at;
    // A break too early gains little.
    const bool early = best && (indent + best->at) * 3 < width;
    if (!best || early || b.cost <= best->cost) best = &b;
  }
  return best ? best->at : kNone;
}

void wrap_code(std::string_view code, std::size_t width, std::vector<std::string>& lines) {
  const std::string hanging(indentation(code) + 4, ' ');
  std::string indent;  // of the next line, besides its own
  while (indent.size() + code.size() > width) {
    const std::size_t at = best_break(code, indent.size(), width);
    if (at == kNone || at >= code.size()) break;
    lines.push_back(indent + std::string(code.substr(0, code.find_last_not_of(' ', at - 1) + 1)));
    code.remove_prefix(at);
    indent = hanging;
  }
  lines.push_back(indent + std::string(code));
}

// The start of every line of a comment.
std::string comment_mark(std::string_view comment) {
  const std::size_t indent = indentation(comment);
  const std::string_view text = comment.substr(indent);
  const char* const mark = text.starts_with("//")   ? "//   "
                           : text.starts_with("/*") ? "   "
                                                    : "*   ";
  return std::string(indent, ' ') + mark;
}

void wrap_comment(std::string_view comment, std::size_t width, std::vector<std::string>& lines) {
  const std::string mark = comment_mark(comment);
  std::string line(comment);
  while (line.size() > width) {
    std::size_t at = line.rfind(' ', width);
    if (at == kNone || at <= mark.size() + width / 3) at = line.find_last_of(",;/)", width - 1) + 1;
    if (at <= mark.size() || at >= line.size()) at = width;
    if (line[at] == '/' && line[at - 1] == '*') --at;
    lines.push_back(line.substr(0, line.find_last_not_of(' ', at - 1) + 1));
    line = mark + line.substr(std::min(line.find_first_not_of(' ', at), line.size()));
  }
  lines.push_back(line);
}

bool is_comment(std::string_view line) {
  const std::string_view text = line.substr(indentation(line));
  return text.starts_with("//") || text.starts_with("/*") || line.starts_with(" *");
}

}  // namespace

std::vector<std::string> wrap_line(std::string_view line, std::size_t width) {
  std::vector<std::string> lines;
  if (line.size() <= width || line.starts_with("#")) {
    lines.emplace_back(line);
  } else if (is_comment(line)) {
    wrap_comment(line, width, lines);
  } else if (const std::size_t at = CodeScan(line).comment(); at != kNone) {
    const std::string comment(line.substr(at + 2));
    wrap_comment(std::string(indentation(line), ' ') + comment, width, lines);
    wrap_code(line.substr(0, at), width, lines);
  } else {
    wrap_code(line, width, lines);
  }
  return lines;
}

}  // namespace onnxc
