"""Small tokenizers of the kinds that models come with, and random texts for them."""
import base64
import collections
import json
import math
import random
import unicodedata

import slow

CORPUS = ("The quick brown fox jumps over the lazy dog. Don't you think it's 42 or 1234? "
          "Hello, world! Tokenizers split unaffable words into pieces; naïve café déjà vu. "
          "Ünïcödé ÄÖÜ straße Привет мир 你好世界 こんにちは 😀 emoji. \n\nNew   lines\tand tabs. ").split(" ")
MARK = "\u2581"
LLAMA = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"
         r"\s*[\r\n]+|\s+(?!\S)|\s+")


def learn_pairs(words, first, count):
    """A vocabulary and merges of byte pair encoding."""
    vocab, merges = {c: i for i, c in enumerate(first)}, []
    words = [list(w) for w in words]
    for _ in range(count):
        pairs = collections.Counter(p for w in words for p in zip(w, w[1:]))
        if not pairs:
            break
        a, b = max(pairs.items(), key=lambda item: (item[1], item[0]))[0]
        merges.append([a, b])
        vocab.setdefault(a + b, len(vocab))
        for w in words:
            i = 0
            while i + 1 < len(w):
                if w[i] == a and w[i + 1] == b:
                    w[i:i + 2] = [a + b]
                i += 1
    return vocab, merges


def added(names, start, **more):
    token = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
    return [{"id": start + i, "content": n, **token, **more} for i, n in enumerate(names)]


def template(before, after, ids):
    token = lambda name: {"SpecialToken": {"id": name, "type_id": 0}}
    return {"type": "TemplateProcessing",
            "single": [*map(token, before), {"Sequence": {"id": "A", "type_id": 0}}, *map(token, after)],
            "pair": [], "special_tokens": {n: {"id": n, "ids": [ids[n]], "tokens": [n]} for n in ids}}


def spec(tokens, normalizer, pre_tokenizer, post_processor, decoder, model):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": tokens,
            "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
            "post_processor": post_processor, "decoder": decoder, "model": model}


def gpt2():
    words = ["".join(slow.ALPHABET[b] for b in ((" " if i else "") + w).encode())
             for i, w in enumerate(CORPUS)]
    vocab, merges = learn_pairs(words, slow.ALPHABET, 200)
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return spec(added(["<|endoftext|>"], len(vocab)), None, level, level, level,
                {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                 "end_of_word_suffix": "", "fuse_unk": False, "vocab": vocab,
                 "merges": [" ".join(m) for m in merges]})


def llama3():
    out = gpt2()
    end = len(out["model"]["vocab"])
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    out["added_tokens"] = added(["<|begin|>", "<|eot|>"], end) + \
        added(["<tool>"], end + 2, special=False, lstrip=True, rstrip=True)
    out["normalizer"] = {"type": "NFC"}
    out["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": LLAMA}, "behavior": "Isolated", "invert": False}, level]}
    out["post_processor"] = {"type": "Sequence", "processors": [
        level, template(["<|begin|>"], [], {"<|begin|>": end})]}
    out["model"]["ignore_merges"] = True
    out["model"]["merges"] = [m.split(" ") for m in out["model"]["merges"]]
    return out


def roberta():
    out = gpt2()
    end = len(out["model"]["vocab"])
    out["added_tokens"] = added(["<s>", "</s>"], end)
    out["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    out["post_processor"] = {"type": "RobertaProcessing", "sep": ["</s>", end + 1], "cls": ["<s>", end],
                             "trim_offsets": True, "add_prefix_space": True}
    return out


def clip():
    """Byte pairs with a mark at the end of words."""
    words = [[*("".join(slow.ALPHABET[b] for b in w.lower().encode()))] for w in CORPUS if w]
    words = [w[:-1] + [w[-1] + "</w>"] for w in words if w]
    vocab, merges = learn_pairs(words, slow.ALPHABET + [c + "</w>" for c in slow.ALPHABET], 150)
    out, end = gpt2(), len(vocab)
    out["added_tokens"] = added(["<|startoftext|>"], end, normalized=True) + added(["<|endoftext|>"], end + 1)
    out["normalizer"] = {"type": "Sequence", "normalizers": [
        {"type": "NFC"}, {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}, {"type": "Lowercase"}]}
    out["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "behavior": "Removed", "invert": True, "pattern": {
            "Regex": "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|"
                     "[^\\s\\p{L}\\p{N}]+"}},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}]}
    out["post_processor"] = {"type": "RobertaProcessing", "sep": ["<|endoftext|>", end + 1],
                             "cls": ["<|startoftext|>", end], "trim_offsets": False, "add_prefix_space": False}
    vocab |= {"<|startoftext|>": end, "<|endoftext|>": end + 1}
    out["model"] |= {"vocab": vocab, "merges": [" ".join(m) for m in merges], "end_of_word_suffix": "</w>",
                     "unk_token": "<|endoftext|>"}
    return out


def llama2():
    words = [MARK + w for w in " ".join(CORPUS).split()]
    characters = sorted({c for w in words for c in w} - set("😀мж好"))
    first = ["<unk>", "<s>", "</s>"] + ["<0x%02X>" % b for b in range(256)]
    vocab, merges = learn_pairs([[c for c in w if c in characters] for w in words], first + characters, 150)
    return spec(added(["<unk>", "<s>", "</s>"], 0),
                {"type": "Sequence", "normalizers": [
                    {"type": "Prepend", "prepend": MARK},
                    {"type": "Replace", "pattern": {"String": " "}, "content": MARK}]},
                None, template(["<s>"], [], {"<s>": 1}),
                {"type": "Sequence", "decoders": [
                    {"type": "Replace", "pattern": {"String": MARK}, "content": " "},
                    {"type": "ByteFallback"}, {"type": "Fuse"},
                    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
                {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                 "end_of_word_suffix": None, "fuse_unk": True, "byte_fallback": True, "vocab": vocab,
                 "merges": [" ".join(m) for m in merges]})


def unknown():
    """Byte pairs of characters without fallback: unknown ones are one token."""
    out = llama2()
    vocab = out["model"]["vocab"]
    out["model"]["byte_fallback"] = False
    out["pre_tokenizer"] = {"type": "Split", "pattern": {"String": MARK},
                            "behavior": "MergedWithPrevious", "invert": False}
    assert "<unk>" in vocab
    return out


def bert():
    text = " ".join(CORPUS).lower()
    text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    characters = sorted({c for c in text if not c.isspace()})
    words = names + characters + ["##" + c for c in characters if c.isalnum()]
    for word in sorted(set(text.split())):
        word = "".join(c for c in word if c.isalpha())
        if len(word) > 3:
            words += [word[:3], "##" + word[3:]] if len(word) > 5 else [word]
    vocab = {w: i for i, w in enumerate(dict.fromkeys(words))}
    return spec(added(names, 0), {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                                  "strip_accents": None, "lowercase": True},
                {"type": "BertPreTokenizer"}, template(["[CLS]"], ["[SEP]"], {"[CLS]": 2, "[SEP]": 3}),
                {"type": "WordPiece", "prefix": "##", "cleanup": True},
                {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                 "max_input_chars_per_word": 100, "vocab": vocab})


def unigram():
    words = [MARK + w for w in " ".join(CORPUS).split()]
    counts = collections.Counter()
    for w in words:
        for i in range(len(w)):
            for j in range(i + 1, min(len(w), i + 6) + 1):
                counts[w[i:j]] += j - i
    total = sum(counts.values())
    common = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:400]
    vocab = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0]] + \
        [[p, math.log(c / total)] for p, c in common if "😀" not in p]
    mark = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True}
    return spec(added(["<pad>", "</s>", "<unk>"], 0), {"type": "NFKC"},
                {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, mark]},
                template([], ["</s>"], {"</s>": 1}), mark,
                {"type": "Unigram", "unk_id": 2, "vocab": vocab, "byte_fallback": False})


def first_mark():
    """Metaspace that marks the start of a text alone, and divides nothing."""
    out = unigram()
    out["normalizer"] = {"type": "NFKD"}
    out["pre_tokenizer"] = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first", "split": False}
    return out


def double_array(rules):
    """SentencePiece's precompiled_charsmap: a double array of units, and texts."""
    root, texts = {}, b""
    for key, by in rules.items():
        node = root
        for byte in key.encode():
            node = node.setdefault(byte, {})
        node[0] = len(texts)
        texts += by.encode() + b"\0"
    units, used, bases, free = {}, {0}, {0}, 1

    def place(node, at):
        nonlocal free
        while free in used:
            free += 1
        base = next(b for b in range(free & ~255, 1 << 21) if b not in bases and all(b ^ c not in used for c in node))
        bases.add(base)
        used.update(base ^ c for c in node)
        units[at] = units.get(at, 0) | (base ^ at) << 10 | (0 in node) << 8
        for byte, below in node.items():
            units[base ^ byte] = byte if byte else below | 1 << 31
        for byte, below in node.items():
            if byte:
                place(below, base ^ byte)

    place(root, 0)
    count = (max(units) | 255) + 1
    trie = b"".join(units.get(i, 0).to_bytes(4, "little") for i in range(count))
    return base64.b64encode(len(trie).to_bytes(4, "little") + trie + texts).decode()


def t5():
    """Unigram after SentencePiece's own normalizer: NFKC, white space, no control characters."""
    rules = {}
    for c in map(chr, [*range(1, 0xD800), *range(0xF900, 0xFFFE)]):
        by = unicodedata.normalize("NFKC", c)
        if by != c and unicodedata.ucd_3_2_0.category(c) != "Cn":
            rules[c] = by
        if len(unicodedata.normalize("NFD", c)) == 2 and unicodedata.normalize("NFC", c) == c:
            rules[unicodedata.normalize("NFD", c)] = c
    rules |= {c: " " for c in "\t\n\r\u200b\u200d\u2028"} | {c: "" for c in "\x01\x07\x7f\xad"}
    rules |= {"oo": "u", "e": "e", "\u1100\u0301": "x"}
    out = unigram()
    out["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": double_array(rules)}
    return out


def words():
    names = ["[UNK]", "the", "quick", "fox", ".", "1", "2", "4", "!?", "don", "'", "t", ",", "hello", "!"]
    return spec([], {"type": "Sequence", "normalizers": [
        {"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"},
        {"type": "Replace", "pattern": {"Regex": "o{2,}"}, "content": "u"},
        {"type": "Strip", "strip_left": True, "strip_right": True}]},
        {"type": "Sequence", "pretokenizers": [
            {"type": "Whitespace"}, {"type": "Digits", "individual_digits": True},
            {"type": "Punctuation", "behavior": "MergedWithPrevious"},
            {"type": "Split", "pattern": {"Regex": "[a-c]"}, "behavior": "Contiguous", "invert": True},
            {"type": "Split", "pattern": {"String": "t"}, "behavior": "MergedWithNext", "invert": False}]},
        None, None, {"type": "WordLevel", "unk_token": "[UNK]", "vocab": {w: i for i, w in enumerate(names)}})


ALL = {f.__name__: f for f in (gpt2, llama3, roberta, clip, llama2, unknown, bert, unigram, first_mark, t5, words)}

POOLS = ["abcdefgh TheDog .,!?'s 123 oooo", "äöüßÉéñ", "Привет", "你好世界漢", "😀👍🏽🇩🇪", "\n\t\r  \u00a0\u3000",
         "'ll 've DON'T", "e\u0301a\u0308\u0323", "한국어가각\u1100\u1161\u11a8", "ﬁ①²½ﷺ", "\u200b\0\x07\ufffd",
         "ǅİΣς", "e\u0327\u0301", "١٢३Ⅷ", "\u0344\u0390\u1f82", "\r\n\r\xad", "a\u200d\u0903\ufe0fé\u0600b\u0301",
         "\u1100\u1161\u0301가\u11a8\u0300"]
MARKS = ["<|endoftext|>", "<s>", "[SEP]", " <tool> ", "</s>", "<|begin|>", "<unk>", "<0x41>", MARK]


def any_character(pick):
    """One that had its properties long before Unicode 14, so that every Python agrees on them."""
    while True:
        c = chr(pick.choice([pick.randrange(32, 0x250), pick.randrange(0x250, 0x3000),
                             pick.randrange(0xA000, 0xD7FF), pick.randrange(0x10000, 0x11000)]))
        if unicodedata.ucd_3_2_0.category(c) == unicodedata.category(c) != "Cn":
            return c


def texts(count, seed):
    pick = random.Random(seed)
    out = ["", "a", " ", "  ", "Hello world", "<s>", "I'll go  to the dog's 12345 place.\n\n\nEnd ",
           "a" * 3000, "ab " * 500]
    while len(out) < count:
        text = ""
        for _ in range(pick.randint(1, 6)):
            kind = pick.random()
            if kind < 0.4:
                text += pick.choice(["", " "]) + pick.choice(CORPUS)
            elif kind < 0.8:
                pool = pick.choice(POOLS)
                at = pick.randrange(len(pool))
                text += pool[at:at + pick.randint(1, 6)]
            elif kind < 0.9:
                text += pick.choice(MARKS)
            else:
                text += any_character(pick)
        out.append(text)
    return out
