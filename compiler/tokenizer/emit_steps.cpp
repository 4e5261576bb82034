// Prints the steps of a tokenizer: each changes the text, or divides it for those after it.
#include "compiler/tokenizer/emit_steps.hpp"

#include <algorithm>

#include "compiler/tokenizer/precompiled_map.hpp"

namespace onnxc {
namespace {

using ops::TextStep;
using StepKind = TextStep::Kind;

// The most that one byte becomes: bytes of the normal form, and characters before composition.
struct FormGrowth {
  std::int64_t bytes, points;
};
FormGrowth growth_of(ops::NormalForm form) {
  const bool compatible = form == ops::NormalForm::nfkc || form == ops::NormalForm::nfkd;
  return compatible ? FormGrowth{11, 6} : FormGrowth{3, 2};
}

class StepPrinter {
 public:
  StepPrinter(const ops::Tokenizer& t, TokenizerTables& tables, const std::string& model_call)
      : t_(t), tables_(tables), model_call_(model_call) {
    for (std::size_t i = 0; i < t.steps.size(); ++i)
      if (t.steps[i].only_first) last_first_ = i + 1;
  }

  TokenizerSteps run() {
    w_.indent();
    step(0, "x0");
    out_.body = w_.take();
    out_.tables = functions_.take();
    return std::move(out_);
  }

 private:
  void step(std::size_t i, const std::string& x) {
    if (i == t_.steps.size()) {
      out_.words = bound_;
      w_.raw_line(fmt::format("return {};", fmt::vformat(model_call_, fmt::make_format_args(x))));
      return;
    }
    const TextStep& s = t_.steps[i];
    if (s.kind == StepKind::split || s.kind == StepKind::added) return divide(s, i, x);
    if (s.kind == StepKind::strip) {
      w_.raw_line(fmt::format("const Text x{} = stripped({}, {}, {});", i + 1, x, s.left, s.right));
    } else {
      change(s, i, x);
    }
    step(i + 1, fmt::format("x{}", i + 1));
  }

  // ---- steps that divide --------------------------------------------------------------------

  void divide(const TextStep& s, std::size_t i, const std::string& x) {
    const std::string part = fmt::format("x{}", i + 1);
    if (s.kind == StepKind::added)
      w_.raw_line(
          fmt::format("return each_between(later_tree(), kLater, {}, sink, [&](const Text& "
                      "{}) {{",
                      x, part));
    else
      w_.raw_line(
          fmt::format("return each_piece<SplitBehavior::{}, {}>(m.{}, {}, [&](const Text& {}) {{",
                      s.behavior, s.inverted, search(s, i), x, part));
    w_.indent();
    const std::string outer = first_;
    if (i < last_first_) {
      first_ = fmt::format("first{}", i + 1);
      w_.raw_line(fmt::format("const bool {} = {} && {}.data == {}.data;", first_, outer, part, x));
    }
    step(i + 1, part);
    w_.close("});");
    first_ = outer;
  }

  std::string search(const TextStep& s, std::size_t i) {
    const std::string name = fmt::format("search{}", i + 1);
    const std::string program = tables_.integers(fmt::format("pattern{}", i + 1), s.program.words);
    const std::int64_t numbers = ops::search_numbers(s.program);
    out_.members.push_back(
        {"RegexSearch", name, {0, 8 * numbers}, fmt::format("{}, {}", program, s.program.steps)});
    return name;
  }

  // ---- steps that change --------------------------------------------------------------------

  void change(const TextStep& s, std::size_t i, const std::string& x) {
    const std::string to = fmt::format("m.text{}", i + 1);
    const TextBound before = bound_;
    const std::string code = change_call(s, i, x, to);
    out_.members.push_back({"char*", fmt::format("text{}", i + 1), bound_, ""});
    if (s.kind == StepKind::normal_form) {
      const std::int64_t points = 8 * growth_of(s.form).points;
      out_.members.push_back({"std::int32_t*",
                              fmt::format("points{}", i + 1),
                              {points * before.factor, points * before.constant},
                              ""});
    }
    if (s.kind != StepKind::prepend) {
      w_.raw_line(fmt::format("const Text x{}{{{}, {} - {}}};", i + 1, to, code, to));
      return;
    }
    std::string condition = x + ".size > 0";
    if (s.only_first) condition += " && " + first_;
    if (s.unless_there) condition += fmt::format(" && !begins_with({}, {})", x, text_of(s.to));
    w_.raw_line(fmt::format("const bool adds{} = {};", i + 1, condition));
    w_.raw_line(fmt::format("const Text x{0} = adds{0} ? Text{{{1}, {2} - {1}}} : {3};", i + 1, to,
                            code, x));
  }

  // The call that writes, as its end; makes the bound that of the result.
  std::string change_call(const TextStep& s, std::size_t i, const std::string& x,
                          const std::string& to) {
    switch (s.kind) {
      case StepKind::normal_form:
        return normal_form(s, i, x, to);
      case StepKind::small_letters:
        grow(2);
        return fmt::format("write_small_letters({}, {})", x, to);
      case StepKind::clean:
        return fmt::format("write_clean({}, {}, {})", x, set(s, i), to);
      case StepKind::separated:
        grow(2);
        return fmt::format("write_separated({}, {})", x, to);
      case StepKind::without:
        return fmt::format("write_without({}, {}, {})", x, set(s, i), to);
      case StepKind::prepend:
        bound_.constant += static_cast<std::int64_t>(s.to.size());
        return fmt::format("write_prefixed({}, {}, {})", text_of(s.to), x, to);
      case StepKind::map:
        return map(s, i, x, to);
      default:
        return replace(s, i, x, to);
    }
  }

  std::string replace(const TextStep& s, std::size_t i, const std::string& x,
                      const std::string& to) {
    const auto from = std::max<std::int64_t>(1, static_cast<std::int64_t>(s.from.size()));
    const auto size = static_cast<std::int64_t>(s.to.size());
    grow(std::max<std::int64_t>(1, (size + from - 1) / from));
    if (s.program.steps == 0)
      return fmt::format("write_replaced({}, {}, {}, {})", x, text_of(s.from), text_of(s.to), to);
    return fmt::format("write_matches_replaced(m.{}, {}, {}, {})", search(s, i), x, text_of(s.to),
                       to);
  }

  std::string normal_form(const TextStep& s, std::size_t i, const std::string& x,
                          const std::string& to) {
    const ops::NormalFormTables t = ops::normal_form_tables(s.form);
    const std::string prefix = fmt::format("form{}_", static_cast<int>(s.form));
    const auto table = [&](const char* name, const std::vector<std::int32_t>& values) {
      return tables_.integers(prefix + name, values);
    };
    functions_.raw_line(fmt::format(
        "inline NormalFormTable forms{}() {{ return {{{}, {}, {}, {}, {}, {}, {}, {}}}; }}", i + 1,
        table("keys", t.keys), table("begins", t.begins), table("parts", t.parts),
        table("classes", t.classes), table("composed", t.composed), t.keys.size(),
        t.classes.size() / 3, t.composed.size() / 3));
    const FormGrowth growth = growth_of(s.form);
    grow(growth.bytes);
    return fmt::format(
        "{0} + write_normal_form(forms{1}(), {2}, m.points{1}, static_cast<Index>({3} "
        "* {2}.size), {0})",
        to, i + 1, x, growth.points);
  }

  std::string map(const TextStep& s, std::size_t i, const std::string& x, const std::string& to) {
    ops::Vocabulary keys;
    std::vector<std::int32_t> begins = {0};
    std::vector<std::uint8_t> texts;
    std::size_t factor = 1;
    for (const auto& [from, by] : s.rules) {
      keys.emplace_back(from, static_cast<std::int32_t>(keys.size()));
      texts.insert(texts.end(), by.begin(), by.end());
      begins.push_back(static_cast<std::int32_t>(texts.size()));
      factor = std::max(factor, (by.size() + from.size() - 1) / from.size());
    }
    texts.push_back(0);  // so that the table is never empty
    const ops::ClusterSets sets = ops::cluster_sets();
    const std::string name = fmt::format("map{}", i + 1);
    functions_.raw_line(fmt::format(
        "inline CharacterMap {0}() {{ return {{{{{1}}}, {2}, {3}, {{{4}}}, {{{5}}}, {{{6}}}}}; }}",
        name, tables_.tree(name, keys), tables_.integers(name + "_begins", begins),
        tables_.bytes(name + "_texts", texts), tables_.set("joins", sets.joins),
        tables_.set("leads", sets.leads), tables_.set("alone", sets.alone)));
    grow(static_cast<std::int64_t>(factor));
    return fmt::format("write_mapped({}, {}(), {})", x, name, to);
  }

  std::string set(const TextStep& s, std::size_t i) {
    functions_.raw_line(fmt::format("inline CharacterSet set{}() {{ return {{{}}}; }}", i + 1,
                                    tables_.set(fmt::format("set{}", i + 1), s.set)));
    return fmt::format("set{}()", i + 1);
  }

  void grow(std::int64_t factor) {
    constexpr std::int64_t kMax = 1 << 20;
    if (bound_.factor > kMax / factor || bound_.constant > kMax * kMax / factor)
      throw ops::TokenizerError("normalizer", "may make a text a million times as long");
    bound_.factor *= factor;
    bound_.constant *= factor;
  }

  static std::string text_of(const std::string& s) {
    return fmt::format("text({})", string_literal(s).text());
  }

  const ops::Tokenizer& t_;
  TokenizerTables& tables_;
  std::string model_call_;
  std::size_t last_first_ = 0;  // steps before it determine whether a piece is the first
  std::string first_ = "first0";
  TextBound bound_;
  CodeWriter w_, functions_;
  TokenizerSteps out_;
};

}  // namespace

TokenizerSteps tokenizer_steps(const ops::Tokenizer& t, TokenizerTables& tables,
                               const std::string& model_call) {
  return StepPrinter(t, tables, model_call).run();
}

}  // namespace onnxc
