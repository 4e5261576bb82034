// The report as an HTML page: the JSON report, and a script that draws it.
#include "compiler/interface/sanitized_text.hpp"
#include "compiler/products/report/graph_picture.hpp"
#include "compiler/products/report/report.hpp"
#include "compiler/support/embedded_files.hpp"

namespace onnxc {
namespace {

// A page stays below half a megabyte.
constexpr std::size_t kMaxNodes = 400;

// The graph that the steps were made of.
std::string graph_section(const Graph& graph) {
  if (graph.nodes.empty() || graph.nodes.size() > kMaxNodes) return "";
  return fmt::format(
      "<details><summary>Graph, as the passes left it</summary><div class=\"scroll tall\">{}</div>"
      "</details>\n",
      graph_as_svg(graph));
}

}  // namespace

std::string html_report(const EmitContext& c) {
  const HtmlText name = html_text(c.name.text());
  return fmt::format(
      "<!doctype html>\n"
      "<html lang=\"en\">\n"
      "<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n"
      "<style>\n{}</style>\n"
      "<h1>{}</h1>\n"
      "<main><noscript>This page is drawn by a script.</noscript></main>\n"
      "{}"
      "<script type=\"application/json\" id=\"report\">{}</script>\n"
      "<script>\n{}</script>\n"
      "</html>\n",
      name, embedded_text("compiler/products/report/report.css"), name,
      graph_section(c.model.graph), script_data(json_report(c)),
      embedded_text("compiler/products/report/report.js"));
}

}  // namespace onnxc
