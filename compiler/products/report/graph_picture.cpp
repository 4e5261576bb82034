// Draws nodes as boxes and the values between them as lines.
#include "compiler/products/report/graph_picture.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "compiler/interface/sanitized_text.hpp"

namespace onnxc {
namespace {

// A node, an input or an output of the graph.
struct Box {
  std::string title, about;
  bool is_port = false;
  std::size_t row = 0;
  double x = 0;  // of its middle
  double width = 0;
  std::vector<std::size_t> from;  // the boxes whose values it reads
};

struct Line {
  std::size_t from = 0, to = 0;
  std::string label;
};

struct Picture {
  std::vector<Box> boxes;
  std::vector<Line> lines;
};

// ", 12 nodes inside" of a loop or a branch.
std::string bodies_of(const Node& node) {
  std::size_t count = 0;
  each_subgraph(node, [&](const Graph& body) { count += body.nodes.size(); });
  if (count == 0) return "";
  return fmt::format(", {} node{} inside", count, count == 1 ? "" : "s");
}

// Nodes are drawn once; what bodies read belongs to the node that they are in.
class Drawing {
 public:
  explicit Drawing(const Graph& graph) {
    for (const Value* v : graph.inputs)
      if (!v->constant) maker_[v] = add({v->name, v->type.to_string(), true, 0, 0, 0, {}});
    for (const auto& node : graph.nodes) {
      const std::string name = (node->name.empty() ? "" : "  " + node->name) + bodies_of(*node);
      const std::size_t box = add({node->op_type, output_types(*node) + name, false, 0, 0, 0, {}});
      for (const Value* v : node->inputs) connect(v, box);
      for (const Value* v : captured_values(*node)) connect(v, box);
      for (const Value* v : node->outputs)
        if (v) maker_[v] = box;
    }
    for (const Value* v : graph.outputs)
      connect(v, add({v->name, v->type.to_string(), true, 0, 0, 0, {}}));
  }

  Picture take() { return std::move(picture_); }

 private:
  std::size_t add(Box box) {
    picture_.boxes.push_back(std::move(box));
    return picture_.boxes.size() - 1;
  }

  void connect(const Value* v, std::size_t to) {
    const auto made = v ? maker_.find(v) : maker_.end();
    if (made == maker_.end() || made->second == to) return;
    auto& from = picture_.boxes[to].from;
    if (std::find(from.begin(), from.end(), made->second) != from.end()) return;
    from.push_back(made->second);
    picture_.lines.push_back({made->second, to, v->type.to_string()});
  }

  std::map<const Value*, std::size_t> maker_;
  Picture picture_;
};

// ---- layout -------------------------------------------------------------------------------------

constexpr double kLetter = 6.6, kPadding = 16, kGap = 18, kHeight = 38, kRowHeight = 76;
constexpr std::size_t kLongest = 44;

std::string cut(const std::string& text) {
  return text.size() <= kLongest ? text : text.substr(0, kLongest - 3) + "...";
}

using Rows = std::vector<std::vector<std::size_t>>;

// A box is in the row after the last of those that it reads; boxes are in topological order.
Rows rows_of(std::vector<Box>& boxes) {
  Rows rows;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    Box& box = boxes[i];
    for (const std::size_t from : box.from) box.row = std::max(box.row, boxes[from].row + 1);
    box.width =
        kLetter * static_cast<double>(std::max(cut(box.title).size(), cut(box.about).size())) +
        kPadding;
    rows.resize(std::max(rows.size(), box.row + 1));
    rows[box.row].push_back(i);
  }
  return rows;
}

// Side by side, as near as their order allows to where each wants to be.
void place(std::vector<Box>& boxes, const std::vector<std::size_t>& row) {
  double free = -1e300;
  for (const std::size_t i : row) {
    Box& box = boxes[i];
    box.x = std::max(box.x, free + box.width / 2);
    free = box.x + box.width / 2 + kGap;
  }
  // Boxes that had to give way all did so to the right: half of it back.
  double moved = 0, wanted = 0;
  for (const std::size_t i : row) {
    moved += boxes[i].x;
    double mean = 0;
    for (const std::size_t from : boxes[i].from) mean += boxes[from].x;
    wanted += boxes[i].from.empty() ? boxes[i].x : mean / static_cast<double>(boxes[i].from.size());
  }
  const double shift = (wanted - moved) / static_cast<double>(std::max<std::size_t>(row.size(), 1));
  for (const std::size_t i : row) boxes[i].x += shift;
}

// Each row in the order of the middles of what its boxes read.
void lay_out(std::vector<Box>& boxes, Rows& rows) {
  for (auto& row : rows) {
    for (const std::size_t i : row) {
      double mean = 0;
      for (const std::size_t from : boxes[i].from) mean += boxes[from].x;
      if (!boxes[i].from.empty()) boxes[i].x = mean / static_cast<double>(boxes[i].from.size());
    }
    std::stable_sort(row.begin(), row.end(),
                     [&](std::size_t a, std::size_t b) { return boxes[a].x < boxes[b].x; });
    place(boxes, row);
  }
}

std::string quoted_dot(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out += '\\';
    out += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return out + "\"";
}

void draw_line(std::string& svg, const Box& a, const Box& b, const std::string& label) {
  const double y1 = static_cast<double>(a.row) * kRowHeight + kHeight,
               y2 = static_cast<double>(b.row) * kRowHeight;
  const double bend = (y2 - y1) / 2;
  svg += fmt::format(
      "<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} "
      "{:.1f}\"><title>{}</title></path>\n",
      a.x, y1, a.x, y1 + bend, b.x, y2 - bend, b.x, y2, html_text(label).text());
}

void draw_box(std::string& svg, const Box& b) {
  const double y = static_cast<double>(b.row) * kRowHeight;
  svg += fmt::format(
      "<g><title>{} {}</title><rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
      "height=\"{}\" rx=\"{}\"/>",
      html_text(b.title).text(), html_text(b.about).text(), b.is_port ? "port" : "node",
      b.x - b.width / 2, y, b.width, kHeight, b.is_port ? 19 : 4);
  svg += fmt::format(
      "<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>"
      "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
      b.x, y + 16, html_text(cut(b.title)).text(), b.x, y + 30, html_text(cut(b.about)).text());
}

}  // namespace

std::string graph_as_dot(const Graph& graph) {
  const Picture picture = Drawing(graph).take();
  std::string dot = "digraph " + quoted_dot(graph.name) + " {\n  node [shape=box];\n";
  for (std::size_t i = 0; i < picture.boxes.size(); ++i) {
    const Box& box = picture.boxes[i];
    std::string label = quoted_dot(box.title);
    label.pop_back();
    label += "\\n" + quoted_dot(box.about).substr(1);
    dot += fmt::format("  n{} [label={}{}];\n", i, label, box.is_port ? ", shape=ellipse" : "");
  }
  for (const Line& line : picture.lines)
    dot += fmt::format("  n{} -> n{} [label={}];\n", line.from, line.to, quoted_dot(line.label));
  return dot + "}\n";
}

std::string graph_as_svg(const Graph& graph) {
  Picture picture = Drawing(graph).take();
  std::vector<Box>& boxes = picture.boxes;
  Rows rows = rows_of(boxes);
  lay_out(boxes, rows);
  double left = 0, right = 0;
  for (const Box& box : boxes) {
    left = std::min(left, box.x - box.width / 2);
    right = std::max(right, box.x + box.width / 2);
  }
  const double width = right - left + 2 * kGap,
               height = static_cast<double>(rows.size()) * kRowHeight;
  std::string svg = fmt::format(
      "<svg class=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{:.1f} {:.1f} {:.1f} "
      "{:.1f}\" "
      "width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\">\n<title>{}</title>\n<style>"
      ".graph text{{font:11px sans-serif;text-anchor:middle;fill:#223}}"
      ".graph .title{{font-weight:bold}}.graph rect{{stroke:#456;fill:#dde8f5}}"
      ".graph .port{{fill:#f5ead0}}.graph path{{fill:none;stroke:#89a}}"
      "</style>\n",
      left - kGap, -kGap, width, height, width, height, html_text(graph.name).text());
  for (const Line& line : picture.lines)
    draw_line(svg, boxes[line.from], boxes[line.to], line.label);
  for (const Box& box : boxes) draw_box(svg, box);
  return svg + "</svg>\n";
}

}  // namespace onnxc
