// The report as an HTML page.
#include <algorithm>
#include <map>

#include "compiler/emit/emit.hpp"
#include "compiler/emit/text_gates.hpp"
#include "compiler/emit/writer.hpp"

namespace onnxc {
namespace {

// Lines of HTML: fields take html_text and numbers, so that raw text does not compile.
template <class... A>
void line(CodeWriter& w, fmt::format_string<A...> format, A&&... args) {
  static_assert(
      ((std::is_same_v<std::decay_t<A>, HtmlText> || std::is_arithmetic_v<std::decay_t<A>>)&&...));
  w.raw_line(fmt::format(format, std::forward<A>(args)...));
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

// Several memories are drawn one above the other.
std::int64_t region_begin(const Program& p, const Buffer& b) {
  std::int64_t begin = 0;
  for (int r = 0; r < b.region; ++r) begin += p.regions[static_cast<std::size_t>(r)].bytes;
  return begin;
}

// One rectangle per buffer: steps to the right, addresses upwards.
void memory_plan(CodeWriter& w, const Program& p) {
  constexpr double kWidth = 1000, kHeight = 360;
  const double step = kWidth / static_cast<double>(std::max<std::size_t>(p.steps.size(), 1));
  const double scale = kHeight / static_cast<double>(std::max<std::int64_t>(p.arena_bytes, 1));
  line(w, "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"memory plan\">", kWidth, kHeight);
  for (const auto& [id, life] : spans(p)) {
    const Buffer& b = p.at(id);
    if (b.kind != Buffer::Kind::arena || b.offset < 0) continue;
    const std::int64_t size = *p.capacity(id), begin = region_begin(p, b) + b.offset;
    const double bytes = static_cast<double>(size);
    line(w,
         "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{} {} bytes "
         "{}..{}</title></rect>",
         static_cast<double>(life.first) * step,
         kHeight - (static_cast<double>(begin) + bytes) * scale,
         static_cast<double>(life.second - life.first + 1) * step, std::max(bytes * scale, 0.5),
         html_text(b.name), html_text(to_string(b.shape)), begin, begin + size);
  }
  w.raw_line("</svg>");
}

}  // namespace

std::string html_report(const EmitContext& c) {
  const Program& p = c.program;
  CodeWriter w;
  w.raw_line("<!doctype html><meta charset=\"utf-8\">");
  line(w, "<title>{}</title>", html_text(c.name.text()));
  w.raw_line(
      "<style>body{font:14px sans-serif;max-width:1040px;margin:2em auto}svg{width:100%;border:"
      "1px solid #ccc}rect{fill:#7aa6d8;stroke:#245;stroke-width:.4}td,th{padding:2px 8px;"
      "text-align:left}td:last-child{text-align:right}</style>");
  line(w, "<h1>{}</h1><p>{} steps, {} multiply-accumulates, {} bytes of weights; target {}</p>",
       html_text(c.name.text()), p.steps.size(), html_text(c.macs.to_string()),
       c.weights.data_bytes, html_text(c.target.name));
  line(w, "<h2>Memory</h2><p>arena {} bytes, lower bound {} bytes</p>", p.arena_bytes,
       p.lower_bound);
  for (const ArenaRegion& r : p.regions)
    line(w, "<p>{}: {} bytes of {}, {} bytes read and written</p>", html_text(r.name), r.bytes,
         r.capacity, r.traffic);
  memory_plan(w, p);
  w.raw_line("<h2>Steps</h2><table><tr><th>step<th>work<th>shape<th>kernel<th>MAC</tr>");
  for (const Step& s : p.steps)
    line(w, "<tr><td>{}<td>{}<td>{}<td>{}<td>{}</tr>", html_text(s.name), html_text(s.title),
         html_text(s.shape_note), html_text(s.kernel), html_text(s.macs.to_string()));
  w.raw_line("</table>");
  return w.take();
}

}  // namespace onnxc
