// Prints the tables of the command line as a man page.
#include "compiler/cli/option_table.hpp"

#include <fmt/format.h>

namespace onnxc {
namespace {

// Text of any lines; none of them is a request.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string option_text(const OptionRow& o) {
  std::string names;
  for (const std::string& name : o.names)
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  const std::string value = o.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(o.value));
  return fmt::format(".TP\n{}{}\n{}\n", names, value, roff(o.about));
}

std::string command_text(const CommandRow& c) {
  const std::string operand = c.operand.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(c.operand));
  std::string text =
      fmt::format(".SS \"onnxc {0}\"\n.PP\n\\fBonnxc {0}\\fR{1} [\\fIoptions\\fR]\n.PP\n{2}.\n",
                  c.name, operand, roff(c.about));
  if (!c.footer.empty()) text += fmt::format(".PP\n{}\n", roff(c.footer));
  bool shares = false;
  for (const OptionRow& o : c.options) {
    shares = shares || o.is_shared;
    if (!o.is_shared) text += option_text(o);
  }
  if (shares) text += ".PP\nThe options of \\fBonnxc compile\\fR are accepted, too.\n";
  return text;
}

struct Example {
  const char *about, *words;
};
constexpr Example kExamples[] = {
    {"Write out/model.h, out/model.cpp and what they need:", "model.onnx -o out/model"},
    {"The same for a microcontroller, within its memory, and a page about what it takes:",
     "model.onnx -o out/model --target cortex-m4f --ram-limit 96K --flash-limit 512K --report "
     "model.html"},
    {"Fix one size that the model leaves open, and bound another:",
     "model.onnx -o out/model --dim batch=1 --dim length=1..128"},
    {"Show inputs, outputs and the work of each layer:", "inspect model.onnx --layers"},
    {"List every problem of a model, for a continuous integration:", "check model.onnx --json"},
    {"Compare with the values that are recorded next to models:", "verify models/"},
    {"Measure the speed of each step on this machine:", "bench model.onnx --profile"},
    {"Make a Python package:", "python model.onnx -o model"},
    {"Make a model trainable, then generate the code that trains it:",
     "prepare model.onnx --loss mse --optimizer adam --train '*' -o trainable.onnx\n"
     "onnxc trainable.onnx --train -o out/model"},
};

std::string examples() {
  std::string text = ".SH EXAMPLES\n";
  for (const Example& e : kExamples)
    text += fmt::format(".PP\n{}\n.PP\n.RS\n.nf\n\\fB{}\\fR\n.fi\n.RE\n", roff(e.about),
                        roff(fmt::format("onnxc {}", e.words)));
  return text;
}

constexpr const char* kSeeAlso =
    ".SH SEE ALSO\n\\fBg++\\fR(1), \\fBclang\\fR(1), \\fBcmake\\fR(1)\n.PP\nThe manual is the "
    "folder docs "
    "of the sources; packages install it in share/doc/onnxc.\n";

}  // namespace

std::string man_page(const std::vector<CommandRow>& commands) {
  std::string text = fmt::format(
      ".TH ONNXC 1 \"\" \"onnxc {}\" \"User Commands\"\n.SH NAME\nonnxc \\- compile ONNX models to "
      "C++17\n.SH SYNOPSIS\n\\fBonnxc\\fR [\\fIcommand\\fR] \\fIMODEL\\fR [\\fIoptions\\fR]\n.SH "
      "DESCRIPTION\nReads an ONNX model and writes standalone C++17 source code that computes it. "
      "Without a command it compiles. Messages go to standard error, results to standard output. "
      "A model called \\- is standard input. \\fB@\\fR\\fIFILE\\fR stands for the words of a file, "
      "quoted as in a shell, with comments after #.\n.SH COMMANDS\n",
      ONNXC_VERSION);
  for (const CommandRow& c : commands) text += command_text(c);
  text +=
      ".SH EXIT STATUS\n"
      ".TP\n0\nsuccess\n"
      ".TP\n1\nbad or unsupported model; all reasons are listed\n"
      ".TP\n2\nusage\n"
      ".TP\n3\nover a budget or a limit; out of memory\n"
      ".TP\n4\nverification mismatch\n"
      ".TP\n5\ninput or output\n"
      ".TP\n70\ninternal error\n"
      ".SH ENVIRONMENT\n"
      ".TP\n\\fBCXX\\fR, \\fBCXXFLAGS\\fR, \\fBLDFLAGS\\fR, \\fBTMPDIR\\fR\n"
      "of what runs a C++ compiler: \\fBverify\\fR, \\fBbench\\fR, \\fB\\-\\-measure\\fR\n"
      ".TP\n\\fBNO_COLOR\\fR\nno colours on a terminal\n";
  return text + examples() + kSeeAlso;
}

}  // namespace onnxc
