#include <algorithm>
#include <map>

#include "compiler/emit/report.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {
namespace {

std::string escaped(std::string_view text) {
  std::string s;
  for (const char c : text) {
    if (c == '<')
      s += "&lt;";
    else if (c == '>')
      s += "&gt;";
    else if (c == '&')
      s += "&amp;";
    else if (c == '"')
      s += "&quot;";
    else
      s += c;
  }
  return s;
}

// First and last step that touches each arena buffer.
std::map<BufferId, std::pair<std::size_t, std::size_t>> spans(const Program& p) {
  std::map<BufferId, std::pair<std::size_t, std::size_t>> life;
  for (std::size_t i = 0; i < p.steps.size(); ++i)
    for (const Arg& arg : p.steps[i].args) {
      const auto* b = std::get_if<BufferArg>(&arg.value);
      if (!b) continue;
      const auto [it, fresh] = life.emplace(p.root(b->buffer).first, std::pair(i, i));
      if (!fresh) it->second.second = i;
    }
  return life;
}

// One rectangle per buffer: steps to the right, addresses upwards.
void memory_plan(CodeWriter& w, const Program& p) {
  constexpr double kWidth = 1000, kHeight = 360;
  const double step = kWidth / static_cast<double>(std::max<std::size_t>(p.steps.size(), 1));
  const double scale = kHeight / static_cast<double>(std::max<std::int64_t>(p.arena_bytes, 1));
  w.line("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"memory plan\">", kWidth, kHeight);
  for (const auto& [id, life] : spans(p)) {
    const Buffer& b = p.at(id);
    if (b.kind != Buffer::Kind::arena || b.offset < 0) continue;
    const std::int64_t size = *p.capacity(id);
    const double bytes = static_cast<double>(size);
    w.line(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{} {} bytes "
        "{}..{}</title></rect>",
        static_cast<double>(life.first) * step,
        kHeight - (static_cast<double>(b.offset) + bytes) * scale,
        static_cast<double>(life.second - life.first + 1) * step, std::max(bytes * scale, 0.5),
        escaped(comment_text(b.name)), escaped(to_string(b.shape)), b.offset, b.offset + size);
  }
  w.raw_line("</svg>");
}

}  // namespace

std::string html_report(const EmitContext& c) {
  const Program& p = c.program;
  CodeWriter w;
  w.raw_line("<!doctype html><meta charset=\"utf-8\">");
  w.line("<title>{}</title>", escaped(c.name));
  w.raw_line(
      "<style>body{font:14px sans-serif;max-width:1040px;margin:2em auto}svg{width:100%;border:"
      "1px solid #ccc}rect{fill:#7aa6d8;stroke:#245;stroke-width:.4}td,th{padding:2px 8px;"
      "text-align:left}td:last-child{text-align:right}</style>");
  w.line("<h1>{}</h1><p>{} steps, {} multiply-accumulates, {} bytes of weights; target {}</p>",
         escaped(c.name), p.steps.size(), escaped(work_comment(c.macs)), c.weights.data_bytes,
         escaped(c.target.name));
  w.line("<h2>Memory</h2><p>arena {} bytes, lower bound {} bytes</p>", p.arena_bytes,
         p.lower_bound);
  memory_plan(w, p);
  w.raw_line("<h2>Steps</h2><table><tr><th>step<th>work<th>shape<th>kernel<th>MAC</tr>");
  for (const Step& s : p.steps)
    w.line("<tr><td>{}<td>{}<td>{}<td>{}<td>{}</tr>", escaped(comment_text(s.name)),
           escaped(comment_text(s.title)), escaped(comment_text(s.shape_note)), escaped(s.kernel),
           escaped(work_comment(s.macs)));
  w.raw_line("</table>");
  return w.take();
}

}  // namespace onnxc
