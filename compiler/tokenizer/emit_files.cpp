// base.h and base.cpp of a tokenizer.
#include "compiler/tokenizer/emit_files.hpp"

#include <algorithm>
#include <filesystem>

#include "compiler/emit/fixed_text.hpp"
#include "compiler/emit/kernels.hpp"
#include "compiler/interface/names.hpp"
#include "compiler/support/diagnostics.hpp"
#include "compiler/tokenizer/emit_steps.hpp"
#include "compiler/tokenizer/generator_header.hpp"

namespace onnxc {
namespace {

using ops::TokenModel;

// Kernels that the code may call, by header.
const std::set<std::string> kHeaders = {"pick_token", "add_tokens", "byte_pairs",    "normal_form",
                                        "pieces",     "regex_find", "character_map", "rewrite",
                                        "token_text", "unigram"};

constexpr const char* kSource = "compiler/tokenizer/text/tokenizer.cpp.in";

// What callers have to know: bytes of scratch memory for a text, tokens that it has at most.
struct TokenizerMemory {
  std::int64_t factor = 0, constant = 0;
  std::int64_t tokens_factor = 1, tokens_constant = 0;
  std::size_t vocabulary = 0, longest_piece = 0;
};

class TokenizerSource {
 public:
  TokenizerSource(const ops::Tokenizer& t, const Identifier& name, const FileStem& stem)
      : t_(t), name_(name), stem_(stem), tables_(name) {}

  const WeightPlan& plan() const { return tables_.plan(); }

  std::string run(WeightsMode weights, const std::string& more) {
    model();
    added();
    decoder();
    steps_ = tokenizer_steps(t_, tables_, model_call());
    count_memory();
    struct_of_memory();
    encode_part();
    encode();
    tables_.place(weights);
    return file(tables_.definitions() + steps_.tables + w_.take(), more);
  }

  // `more`: declarations after those of the tokenizer.
  std::string header(const std::string& sha256, const std::string& more) const {
    return fixed_text(
        "compiler/tokenizer/text/tokenizer.h.in",
        {{"stem", stem_},
         {"name", name_},
         {"NAME", upper_case(name_)},
         {"sha256", comment_text(sha256)},
         {"table_bytes", tables_.plan().data_bytes},
         {"vocabulary", memory_.vocabulary},
         {"factor", memory_.factor},
         {"constant", memory_.constant},
         {"tokens_factor", memory_.tokens_factor},
         {"tokens_constant", memory_.tokens_constant},
         {"most_bytes", (std::int64_t{1} << 30) / std::max<std::int64_t>(memory_.factor, 1)},
         {"token_text_bytes", 3 * (memory_.longest_piece + 4)},
         {"api", TextValue::code(fixed_text("compiler/emit/text/api.h.in", {}))},
         {"more", TextValue::code(more)}});
  }

 private:
  std::string file(const std::string& own, const std::string& more) const {
    TextValues values = {{"stem", stem_}, {"name", name_}, {"NAME", upper_case(name_)}};
    const auto code = [&](const char* name, const std::string& text) {
      values.insert_or_assign(name, TextValue::code(text));
    };
    code("more", more);
    code("tables", own);
    for (const char* later : {"includes", "weights", "kernels"}) code(later, "");
    // Its own functions say which kernels it needs.
    const KernelText kernels = collect_kernels(kHeaders, fixed_text(kSource, values));
    code("kernels", kernels.runtime + kernels.kernels);
    std::string includes;
    for (const std::string& include : kernels.system_includes)
      includes += "#include " + include + "\n";
    code("includes", includes);
    if (tables_.plan().has_source())
      code("weights", weights_declaration(name_, tables_.plan().mode));
    return fixed_text(kSource, values);
  }

  // ---- the model ----------------------------------------------------------------------------

  void text_member(const char* name, const std::string& value) {
    w_.line("Text {}() const {{ return text({}); }}", Identifier(identifier_from(name)),
            string_literal(value));
  }

  void model() {
    const TokenModel& m = t_.model;
    w_.raw_line("// How words become tokens.");
    w_.open("struct WordRules {");
    const auto flag = [&](const char* name, bool value) {
      w_.raw_line(fmt::format("bool {} = {};", name, value));
    };
    flag("by_bytes", m.by_bytes);
    flag("whole_words", m.whole_words);
    flag("byte_fallback", m.byte_fallback);
    flag("fuse_unknown", m.fuse_unknown);
    w_.line("std::int32_t unknown = {};", m.unknown);
    w_.line("std::int64_t longest_word = {};", m.longest_word);
    text_member("inner_prefix", m.inner_prefix);
    text_member("word_end", m.word_end);
    w_.close("};");
    w_.raw_line("");
    w_.raw_line(fmt::format("inline PrefixTree words_tree() {{ return {{{}}}; }}",
                            tables_.tree("words", m.words)));
    if (m.kind == TokenModel::Kind::pairs) pairs();
    if (m.kind == TokenModel::Kind::unigram) unigram();
  }

  void pairs() {
    const ops::PairRuleTables rules = t_.model.rule_tables();
    w_.raw_line(fmt::format(
        "inline PairModel pair_model() {{ return {{words_tree(), {{{}, {}}}, {}}}; }}",
        tables_.integers("rules_begin", rules.begin), tables_.integers("rules", rules.rules),
        tables_.integers("bytes", t_.model.bytes)));
  }

  void unigram() {
    constexpr double kPenalty = 10;
    const double unknown =
        *std::min_element(t_.model.scores.begin(), t_.model.scores.end()) - kPenalty;
    w_.raw_line(fmt::format(
        "inline UnigramModel unigram_model() {{ return {{words_tree(), {}, {}, {}}}; }}",
        tables_.numbers("scores", t_.model.scores), double_literal(unknown),
        tables_.integers("bytes", t_.model.bytes)));
  }

  std::string model_call() const {
    switch (t_.model.kind) {
      case TokenModel::Kind::pairs:
        return "add_byte_pairs(WordRules{{}}, pair_model(), {}, m.ids, sink)";
      case TokenModel::Kind::word_pieces:
        return "add_word_pieces(WordRules{{}}, words_tree(), {}, sink)";
      case TokenModel::Kind::words:
        return "add_word(WordRules{{}}, words_tree(), {}, sink)";
      case TokenModel::Kind::unigram:
        return "add_unigram(WordRules{{}}, unigram_model(), {}, m.paths, sink)";
    }
    return "";
  }

  // ---- added words, decoder -----------------------------------------------------------------

  void added_list(const char* tree, const char* list, const std::vector<ops::AddedToken>& tokens) {
    ops::Vocabulary words;
    w_.raw_line(fmt::format("constexpr AddedWord {}[] = {{", list));
    for (const ops::AddedToken& token : tokens) {
      w_.raw_line(
          fmt::format("    {{{}, {}, {}}},", token.id, token.blanks_before, token.blanks_after));
      words.emplace_back(token.text, static_cast<std::int32_t>(words.size()));
    }
    if (tokens.empty()) w_.raw_line("    {0, false, false},");
    w_.raw_line("};");
    w_.raw_line(fmt::format("inline PrefixTree {}_tree() {{ return {{{}}}; }}", tree,
                            tables_.tree(tree, words)));
  }

  void added() {
    added_list("added", "kAdded", t_.added);
    if (!t_.added_later.empty()) added_list("later", "kLater", t_.added_later);
  }

  void decoder() {
    const ops::TokenDecoder& d = t_.decoder;
    std::vector<std::int32_t> begins;
    std::vector<std::uint8_t> bytes;
    for (const std::string& piece : d.pieces) {
      begins.push_back(static_cast<std::int32_t>(bytes.size()));
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      memory_.longest_piece = std::max(memory_.longest_piece, piece.size());
    }
    begins.push_back(static_cast<std::int32_t>(bytes.size()));
    memory_.vocabulary = d.pieces.size();
    w_.raw_line("");
    w_.raw_line("// How tokens become text.");
    w_.open("struct TextRules {");
    w_.line("bool words = {};", d.words);
    w_.line("bool drops_first_blanks = {};", d.drops_first_blanks);
    w_.line("int strip = {};", d.strip);
    text_member("blank", d.blank);
    w_.close("};");
    w_.raw_line("");
    w_.raw_line(fmt::format("inline TokenPieces token_pieces() {{ return {{{}, {}, {}, {}}}; }}",
                            tables_.integers("pieces_begin", begins),
                            tables_.bytes("pieces", bytes), tables_.bytes("pieces_bits", d.bits),
                            d.pieces.size()));
  }

  // ---- encode -------------------------------------------------------------------------------

  void count_memory() {
    const TextBound words = steps_.words;
    if (t_.model.kind == TokenModel::Kind::pairs)
      steps_.members.push_back(
          {"std::int32_t*", "ids", {28 * words.factor, 28 * words.constant + 4}, ""});
    if (t_.model.kind == TokenModel::Kind::unigram)
      steps_.members.push_back(
          {"UnigramPath*", "paths", {16 * words.factor, 16 * words.constant + 16}, ""});
    memory_.constant = 8;  // to align it
    for (const ScratchMember& member : steps_.members) {
      memory_.factor += member.bytes.factor;
      memory_.constant += member.bytes.constant + 8;
    }
    memory_.tokens_factor = words.factor;
    memory_.tokens_constant =
        words.constant + static_cast<std::int64_t>(t_.before.size() + t_.after.size());
  }

  void struct_of_memory() {
    w_.raw_line("");
    w_.raw_line("// The parts of the scratch memory.");
    w_.open("struct Memory {");
    for (const ScratchMember& member : steps_.members)
      w_.raw_line(fmt::format("{} {};", member.type, member.name));
    w_.close("};");
    w_.raw_line("");
    if (steps_.members.empty()) return;
    const bool grows =
        std::any_of(steps_.members.begin(), steps_.members.end(),
                    [](const ScratchMember& member) { return member.bytes.factor != 0; });
    w_.open(fmt::format("inline Memory memory_of(void* scratch, {}) {{",
                        parameter("std::size_t", "bytes", grows)));
    w_.raw_line("auto* at = static_cast<unsigned char*>(scratch);");
    w_.raw_line("at += (8 - reinterpret_cast<std::uintptr_t>(at) % 8) % 8;");
    w_.open("const auto take = [&](std::size_t size) {");
    w_.raw_line("void* const part = at;");
    w_.raw_line("at += (size + 7) / 8 * 8;");
    w_.raw_line("return part;");
    w_.close("};");
    w_.raw_line("Memory m{};");
    for (const ScratchMember& member : steps_.members) take(member);
    w_.raw_line("return m;");
    w_.close("}");
    w_.raw_line("");
  }

  void take(const ScratchMember& member) {
    const auto [factor, constant] = member.bytes;
    const std::string bytes = factor == 0     ? fmt::format("{}", constant)
                              : constant == 0 ? fmt::format("{} * bytes", factor)
                                              : fmt::format("{} * bytes + {}", factor, constant);
    const bool search = !member.search.empty();
    const std::string part =
        fmt::format("static_cast<{}>(take({}))", search ? "std::int64_t*" : member.type, bytes);
    if (!search) return w_.raw_line(fmt::format("m.{} = {};", member.name, part));
    w_.raw_line(fmt::format("m.{} = {{{}, {}}};", member.name, member.search, part));
    w_.raw_line(
        fmt::format("for (Index i = 0; i < {}; ++i) m.{}.work[i] = 0;", constant / 8, member.name));
  }

  // Without its name where nothing reads it.
  static std::string parameter(const std::string& type, const char* name, bool used) {
    return used ? type + " " + name : type;
  }

  void encode_part() {
    w_.raw_line("// The tokens of a text without added words.");
    const auto reads = [&](const char* name) {
      return steps_.body.find(name) != std::string::npos;
    };
    w_.open(fmt::format("inline Status encode_part({}, const Text& x0, {}, TokenSink& sink) {{",
                        parameter("Memory&", "m", reads("m.")),
                        parameter("bool", "first0", reads("first0"))));
    w_.raw(steps_.body);
    w_.close("}");
    w_.raw_line("");
  }

  void specials(const std::vector<std::int32_t>& ids) {
    for (std::int32_t id : ids) w_.line("if (special) sink.put({});", id);
  }

  void encode() {
    const bool around = !t_.before.empty() || !t_.after.empty() || t_.max_tokens > 0;
    w_.open(fmt::format("inline Status encode_text(const Text& x, {}, TokenSink& sink, {}) {{",
                        parameter("bool", "special", around),
                        parameter("void*", "scratch", !steps_.members.empty())));
    w_.raw_line(steps_.members.empty()
                    ? "Memory m{};"
                    : "Memory m = memory_of(scratch, static_cast<std::size_t>(x.size));");
    specials(t_.before);
    if (t_.max_tokens > 0)
      w_.line("sink.most = {} - (special ? {} : 0);", t_.max_tokens, t_.after.size());
    w_.raw_line(
        "const Status status = each_between(added_tree(), kAdded, x, sink, [&](const Text& part) "
        "{");
    w_.raw_line("  return encode_part(m, part, part.data == x.data, sink);");
    w_.raw_line("});");
    if (t_.max_tokens > 0) w_.line("sink.most = {};", t_.max_tokens);
    specials(t_.after);
    w_.raw_line("return status;");
    w_.close("}");
  }

  const ops::Tokenizer& t_;
  Identifier name_;
  FileStem stem_;
  TokenizerTables tables_;
  TokenizerMemory memory_;
  TokenizerSteps steps_;
  CodeWriter w_;
};

}  // namespace

TokenizerFiles tokenizer_files(const ops::Tokenizer& tokenizer, const TokenizerNames& names) {
  const std::string stem_text = std::filesystem::path(names.base).filename().string();
  const auto stem = FileStem::from(stem_text);
  if (!stem)
    throw FatalError(exit_code::usage, fmt::format("'{}' is no name for files", stem_text));
  const Identifier name = identifier_from(names.prefix.empty() ? stem_text : names.prefix);
  TokenizerSource source(tokenizer, name, *stem);
  const std::string functions = names.genai ? generator_functions(name) : "";
  const std::string text = source.run(names.weights, functions);
  const WeightPlan& plan = source.plan();
  TokenizerFiles out;
  out.prefix = name.text();
  out.table_bytes = plan.data_bytes;
  out.files = {
      {names.base + ".h",
       source.header(names.sha256, names.genai ? generator_declarations(*names.genai, name) : "")},
      {names.base + ".cpp", text},
      {(std::filesystem::path(names.base).parent_path() / "onnxc_runtime.hpp").string(),
       runtime_header({})}};
  if (names.genai)
    out.files.push_back({names.base + "_generate.hpp",
                         generator_header(*names.genai, name, *stem,
                                          names.model.empty() ? names.genai->model : names.model)});
  if (plan.has_source())
    out.files.push_back({names.base + "_weights.cpp", emit_weights_source(plan, name, *stem)});
  if (plan.mode == WeightsMode::incbin)
    out.files.push_back({names.base + "_weights.bin", weights_blob(plan)});
  return out;
}

}  // namespace onnxc
