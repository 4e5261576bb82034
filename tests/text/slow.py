"""A slow model of tokenizer.json, written from its rules: what generated tokenizers are compared with.

encode(spec, text) gives token numbers, decode(spec, ids) bytes. Python's re has no Unicode
properties, so patterns are rewritten with the sets from unicodedata.
"""
import base64
import functools
import re
import sys
import unicodedata

LAST = sys.maxunicode
SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


@functools.lru_cache(None)
def category(name):
    """The characters of a category as the inside of a set of re."""
    out, first = [], None
    for c in range(LAST + 2):
        inside = c <= LAST and unicodedata.category(chr(c)).startswith(name)
        if inside and first is None:
            first = c
        if not inside and first is not None:
            out.append("\\U%08x-\\U%08x" % (first, c - 1))
            first = None
    return "".join(out)


@functools.lru_cache(None)
def pattern(text):
    """A pattern of Oniguruma for re: properties and white space as sets."""
    out, at, inside = "", 0, False
    while at < len(text):
        prop = re.compile(r"\\p\{(\w+)\}").match(text, at)
        hexa = re.compile(r"\\x\{(\w+)\}").match(text, at)
        if prop:
            body = category(prop[1])
            out += body if inside else f"[{body}]"
            at = prop.end()
        elif hexa:
            out += "\\U%08x" % int(hexa[1], 16)
            at = hexa.end()
        elif text.startswith("\\s", at):
            out += SPACE if inside else f"[{SPACE}]"
            at += 2
        elif text.startswith("\\S", at):
            out += f"[^{SPACE}]"
            at += 2
        elif text[at] == "\\":
            out += text[at:at + 2]
            at += 2
        else:
            inside = text[at] == "[" or (inside and text[at] != "]")
            out += text[at]
            at += 1
    return re.compile(out)


def byte_alphabet():
    out, other = [], 256
    for byte in range(256):
        if 33 <= byte < 127 or (161 <= byte and byte != 173):
            out.append(chr(byte))
        else:
            out.append(chr(other))
            other += 1
    return out


ALPHABET = byte_alphabet()
BYTES = {c: b for b, c in enumerate(ALPHABET)}


def is_space(c):
    return re.match(f"[{SPACE}]", c) is not None


def is_punctuation(c):
    return unicodedata.category(c)[0] == "P" or (ord(c) < 128 and c in "$+<=>^`|~")


def without_marks(text):
    return "".join(c for c in text if unicodedata.category(c) != "Mn")


def lower(text):
    """Character by character: no final sigma."""
    return "".join(c.lower() for c in text)


# ---- normalizers --------------------------------------------------------------------------------

CJK = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
       (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


def clean(text):
    out = ""
    for c in text:
        if c in "\0\ufffd" or (unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") and c not in "\t\n\r"
                               and not is_space(c)):
            continue
        out += " " if is_space(c) else c
    return out


def bert(spec, text):
    if spec.get("clean_text", True):
        text = clean(text)
    if spec.get("handle_chinese_chars", True):
        text = "".join(f" {c} " if any(a <= ord(c) <= b for a, b in CJK) else c for c in text)
    small = spec.get("lowercase", True)
    strip = spec.get("strip_accents")
    if small if strip is None else strip:
        text = without_marks(unicodedata.normalize("NFD", text))
    return lower(text) if small else text


# Beyond the categories: Grapheme_Extend and SpacingMark of other characters, and what is neither.
EXTENDS = ("09BE 09D7 0B3E 0B57 0BBE 0BD7 0CC2 0CD5 0CD6 0D3E 0D57 0DCF 0DDF 0E33 0EB3 1B35 200C 200D "
           "302E 302F FF9E FF9F 1133E 11357 114B0 114BD 115AF 11930 1D165 1D16E 1D16F 1D170 1D171 1D172 "
           "1F3FB 1F3FC 1F3FD 1F3FE 1F3FF").split()
EXTENDS = {int(c, 16) for c in EXTENDS} | set(range(0xE0020, 0xE0080))
NO_MARKS = {0x102B, 0x102C, 0x1038, *range(0x1062, 0x1065), *range(0x1067, 0x106E), 0x1083,
            *range(0x1087, 0x108D), 0x108F, *range(0x109A, 0x109D), 0x1A61, 0x1A63, 0x1A64, 0xAA7B, 0xAA7D,
            0x11720, 0x11721}
PREPENDS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E, 0x110BD, 0x110CD, 0x111C2,
            0x111C3, 0x1193F, 0x11941, 0x11A3A, *range(0x11A84, 0x11A8A), 0x11D46}


def hangul(c):
    c = ord(c)
    for kind, ranges in (("L", ((0x1100, 0x115F), (0xA960, 0xA97C))), ("V", ((0x1160, 0x11A7), (0xD7B0, 0xD7C6))),
                         ("T", ((0x11A8, 0x11FF), (0xD7CB, 0xD7FB)))):
        if any(a <= c <= b for a, b in ranges):
            return kind
    return "" if not 0xAC00 <= c <= 0xD7A3 else "LV" if (c - 0xAC00) % 28 == 0 else "LVT"


def one_cluster(a, b):
    """Whether there is no boundary of grapheme clusters between two characters."""
    control = lambda c: (unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and
                         ord(c) not in EXTENDS and ord(c) not in PREPENDS)
    if (a, b) == ("\r", "\n"):
        return True
    if control(a) or control(b):
        return False
    kind = unicodedata.category(b)
    if kind in ("Mn", "Me") or ord(b) in EXTENDS or (kind == "Mc" and ord(b) not in NO_MARKS):
        return True
    return ord(a) in PREPENDS or (hangul(a), hangul(b)) in {
        ("L", "L"), ("L", "V"), ("L", "LV"), ("L", "LVT"), ("LV", "V"), ("LV", "T"), ("V", "V"), ("V", "T"),
        ("LVT", "T"), ("T", "T")}


@functools.lru_cache(None)
def charsmap(coded):
    data = base64.b64decode(coded)
    size = int.from_bytes(data[:4], "little")
    units = [int.from_bytes(data[i:i + 4], "little") for i in range(4, 4 + size, 4)]
    return units, data[4 + size:]


def transform(coded, part):
    """What SentencePiece's map makes of a text by the first key that it begins with, or None."""
    units, texts = charsmap(coded)
    offset = lambda unit: unit >> 10 << ((unit & 1 << 9) >> 6)
    at = offset(units[0])
    for byte in part.encode():
        at ^= byte
        if byte == 0 or units[at] & 0x800000FF != byte:
            return None
        unit = units[at]
        at ^= offset(unit)
        if unit >> 8 & 1:
            begin = units[at] & 0x7FFFFFFF
            return texts[begin:texts.index(b"\0", begin)].decode()
    return None


def precompiled(coded, text):
    clusters = []
    for c in text:
        if clusters and one_cluster(clusters[-1][-1], c):
            clusters[-1] += c
        else:
            clusters.append(c)
    out = ""
    for cluster in clusters:
        whole = transform(coded, cluster) if len(cluster.encode()) < 6 else None
        if whole is not None:
            out += whole
            continue
        for c in cluster:
            by = transform(coded, c)
            out += c if by is None else by
    return out


def normalize(spec, text):
    if spec is None:
        return text
    kind = spec["type"]
    if kind == "Precompiled":
        return precompiled(spec["precompiled_charsmap"], text)
    if kind == "Sequence":
        for one in spec["normalizers"]:
            text = normalize(one, text)
        return text
    if kind in ("NFC", "NFD", "NFKC", "NFKD"):
        return unicodedata.normalize(kind, text)
    if kind == "Lowercase":
        return lower(text)
    if kind == "StripAccents":
        return without_marks(text)
    if kind == "Strip":
        begin, end = 0, len(text)
        while spec["strip_left"] and begin < end and is_space(text[begin]):
            begin += 1
        while spec["strip_right"] and end > begin and is_space(text[end - 1]):
            end -= 1
        return text[begin:end]
    if kind == "Prepend":
        return spec["prepend"] + text if text else text
    if kind == "Replace":
        if "String" in spec["pattern"]:
            return text.replace(spec["pattern"]["String"], spec["content"])
        return pattern(spec["pattern"]["Regex"]).sub(lambda m: spec["content"], text)
    if kind == "BertNormalizer":
        return bert(spec, text)
    raise ValueError(kind)


# ---- pre-tokenizers -----------------------------------------------------------------------------


def split(text, spans, behavior, invert=False):
    """Pieces of a text by matches: [(begin, end)]."""
    parts, done = [], 0
    for begin, end in spans:
        if begin == end:
            continue
        if begin > done:
            parts.append((text[done:begin], invert))
        parts.append((text[begin:end], not invert))
        done = end
    if done < len(text):
        parts.append((text[done:], invert))
    out, before = [], False
    if behavior == "Removed":
        return [p for p, match in parts if not match]
    if behavior == "Isolated":
        return [p for p, _ in parts]
    if behavior == "MergedWithNext":
        for p, match in reversed(parts):
            if match and not before and out:
                out[-1] = p + out[-1]
            else:
                out.append(p)
            before = match
        return out[::-1]
    for p, match in parts:
        joins = match and (before if behavior == "Contiguous" else not before)
        if joins and out:
            out[-1] += p
        else:
            out.append(p)
        before = match
    return out


def by_pattern(text, regex, behavior, invert=False):
    return split(text, [m.span() for m in pattern(regex).finditer(text)], behavior, invert)


def by_character(text, test, behavior):
    return split(text, [(i, i + 1) for i, c in enumerate(text) if test(c)], behavior)


GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def metaspace(spec, piece, first):
    mark = spec["replacement"]
    scheme = spec.get("prepend_scheme", "always")
    piece = piece.replace(" ", mark)
    if (scheme == "always" or (scheme == "first" and first)) and not piece.startswith(mark):
        piece = mark + piece
    if not spec.get("split", True):
        return [piece]
    return by_pattern(piece, re.escape(mark), "MergedWithNext")


def word_character(c):
    kind = unicodedata.category(c)
    return kind[0] in "LM" or kind in ("Nd", "Nl", "Pc") or c in "\u200c\u200d" or \
        0x24B6 <= ord(c) <= 0x24E9 or 0x1F130 <= ord(c) <= 0x1F189


def words_of_kinds(piece):
    """Runs of word characters, and of others that are not space."""
    out, before = [], None
    for c in piece:
        kind = None if is_space(c) else word_character(c)
        if kind is not None and kind == before:
            out[-1] += c
        elif kind is not None:
            out.append(c)
        before = kind
    return out


def pre_tokenize(spec, pieces):
    """pieces: [(text, whether it is the first of the whole text)]."""
    if spec is None:
        return pieces
    kind = spec["type"]
    if kind == "Sequence":
        for one in spec["pretokenizers"]:
            pieces = pre_tokenize(one, pieces)
        return pieces
    out = []
    for piece, first in pieces:
        if not piece:
            continue
        if kind == "ByteLevel":
            if spec.get("add_prefix_space", True) and not piece.startswith(" "):
                piece = " " + piece
            parts = by_pattern(piece, GPT2, "Isolated") if spec.get("use_regex", True) else [piece]
        elif kind == "Split":
            regex = spec["pattern"].get("Regex") or re.escape(spec["pattern"]["String"])
            parts = by_pattern(piece, regex, spec["behavior"], spec.get("invert", False))
        elif kind == "Whitespace":
            parts = words_of_kinds(piece)
        elif kind == "WhitespaceSplit":
            parts = by_character(piece, is_space, "Removed")
        elif kind == "BertPreTokenizer":
            parts = [q for p in by_character(piece, is_space, "Removed")
                     for q in by_character(p, is_punctuation, "Isolated")]
        elif kind == "Digits":
            parts = by_character(piece, lambda c: unicodedata.category(c)[0] == "N",
                                 "Isolated" if spec["individual_digits"] else "Contiguous")
        elif kind == "Punctuation":
            parts = by_character(piece, is_punctuation, spec.get("behavior", "Isolated"))
        elif kind == "Metaspace":
            parts = metaspace(spec, piece, first)
        else:
            raise ValueError(kind)
        # Only what begins where the text begins is the first.
        lead = piece.startswith(parts[0]) if parts and kind != "Metaspace" else bool(parts)
        out += [(p, first and i == 0 and lead) for i, p in enumerate(parts)]
    return out


# ---- models -------------------------------------------------------------------------------------


@functools.lru_cache(None)
def tables(key):
    spec = SPECS[key]
    model = spec["model"]
    merges = model.get("merges", [])
    pairs = [tuple(m) if isinstance(m, list) else tuple(m.split(" ", 1)) for m in merges]
    return {pair: rank for rank, pair in reversed(list(enumerate(pairs)))}


SPECS = {}


def is_byte_level(spec):
    return spec is not None and (spec["type"] == "ByteLevel" or
                                 any(map(is_byte_level, spec.get("pretokenizers", []))))


def bpe(spec, ranks, word):
    model = spec["model"]
    vocab = model["vocab"]
    if is_byte_level(spec["pre_tokenizer"]):
        word = "".join(ALPHABET[b] for b in word.encode())
    if model.get("ignore_merges") and word in vocab:
        return [vocab[word]]
    parts, end = [], model.get("end_of_word_suffix") or ""
    for c in [*word[:-1], *(last + end for last in word[-1:])]:
        codes = ["<0x%02X>" % b for b in c.encode()]
        if c in vocab:
            parts.append(c)
        elif model.get("byte_fallback") and all(b in vocab for b in codes):
            parts += codes
        elif model.get("unk_token") and not (model.get("fuse_unk") and parts and
                                             parts[-1] == model["unk_token"]):
            parts.append(model["unk_token"])
    while True:
        best = min(((ranks.get((a, b), 1 << 30), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))),
                   default=(1 << 30, 0))
        if best[0] == 1 << 30:
            return [vocab[p] for p in parts]
        i = best[1]
        parts[i:i + 2] = [parts[i] + parts[i + 1]]


def word_piece(model, word):
    vocab, out, at = model["vocab"], [], 0
    if len(word) > model.get("max_input_chars_per_word", 100):
        return [vocab[model["unk_token"]]]
    while at < len(word):
        prefix = model["continuing_subword_prefix"] if at else ""
        for end in range(len(word), at, -1):
            if prefix + word[at:end] in vocab:
                out.append(vocab[prefix + word[at:end]])
                at = end
                break
        else:
            return [vocab[model["unk_token"]]]
    return out


def unigram(model, word):
    pieces = {}
    for i, (piece, score) in enumerate(model["vocab"]):
        pieces[piece] = (i, score)
    lowest = min(score for _, score in model["vocab"]) - 10
    best = [None] * (len(word) + 1)  # score, begin, piece
    best[0] = (0.0, -1, None)
    for begin in range(len(word)):
        alone = False
        for end in range(begin + 1, len(word) + 1):
            if word[begin:end] in pieces:
                i, score = pieces[word[begin:end]]
                if best[end] is None or best[begin][0] + score > best[end][0]:
                    best[end] = (best[begin][0] + score, begin, i)
                alone = alone or end == begin + 1
        if not alone and (best[begin + 1] is None or best[begin][0] + lowest > best[begin + 1][0]):
            best[begin + 1] = (best[begin][0] + lowest, begin, None)
    out, at = [], len(word)
    while at > 0:
        _, begin, piece = best[at]
        out.append((piece, word[begin:at]))
        at = begin
    ids, before = [], True
    for piece, text in reversed(out):
        if piece is not None:
            ids.append(piece)
        elif before is not None or not ids:
            ids.append(model["unk_id"])
        before = piece
    return ids


def word_tokens(spec, key, word):
    model = spec["model"]
    if model["type"] == "BPE":
        return bpe(spec, tables(key), word)
    if model["type"] == "WordPiece":
        return word_piece(model, word)
    if model["type"] == "Unigram":
        return unigram(model, word)
    return [model["vocab"].get(word, model["vocab"].get(model["unk_token"]))]


# ---- all of it ----------------------------------------------------------------------------------


def around(spec, ids):
    """With the special tokens of the post-processor."""
    if spec is None:
        return ids
    if spec["type"] == "Sequence":
        for one in spec["processors"]:
            ids = around(one, ids)
        return ids
    if spec["type"] in ("BertProcessing", "RobertaProcessing"):
        return [spec["cls"][1]] + ids + [spec["sep"][1]]
    if spec["type"] != "TemplateProcessing":
        return ids
    out = []
    for part in spec["single"]:
        if "Sequence" in part:
            out += ids
        else:
            out += spec["special_tokens"][part["SpecialToken"]["id"]]["ids"]
    return out


def encode(key, spec, text):
    SPECS[key] = spec
    added = {t["content"]: t for t in spec["added_tokens"]}
    ids, at, done = [], 0, 0

    def plain(part, first):
        if not part:
            return
        pieces = [(normalize(spec["normalizer"], part), first)]
        for word, _ in pre_tokenize(spec["pre_tokenizer"], pieces):
            if word:
                ids.extend(word_tokens(spec, key, word))

    while at < len(text):
        here = [c for c in added if text.startswith(c, at)]
        if not here:
            at += 1
            continue
        token = added[max(here, key=len)]
        part = text[done:at]
        while token["lstrip"] and part and is_space(part[-1]):
            part = part[:-1]
        plain(part, done == 0)
        ids.append(token["id"])
        at += len(token["content"])
        while token["rstrip"] and at < len(text) and is_space(text[at]):
            at += 1
        done = at
    plain(text[done:], done == 0)
    return around(spec["post_processor"], ids)


CLEANED = ((" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
           (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"))


def decode(spec, ids):
    model = spec["model"]["vocab"]
    names = {i: n for n, i in model.items()} if isinstance(model, dict) else \
        {i: n for i, (n, _) in enumerate(model)}
    names.update((t["id"], t["content"]) for t in spec["added_tokens"])
    special = {t["id"] for t in spec["added_tokens"] if t["special"]}
    pieces = [names[i] for i in ids if i in names and i not in special]
    decoder = spec["decoder"]
    if decoder is None:
        return " ".join(pieces).encode()
    if decoder["type"] == "ByteLevel":
        out = b"".join(bytes(BYTES[c] for c in p) if all(c in BYTES for c in p) else p.encode()
                       for p in pieces)
        return out.decode(errors="replace").encode()
    if decoder["type"] == "WordPiece":
        out = ""
        for i, p in enumerate(pieces):
            if i:
                p = p[len(decoder["prefix"]):] if p.startswith(decoder["prefix"]) else " " + p
            for a, b in CLEANED if decoder["cleanup"] else ():
                p = p.replace(a, b)
            out += p
        return out.encode()
    if decoder["type"] == "Metaspace":
        drops = decoder.get("prepend_scheme", "always") != "never"
        return "".join(p.replace(decoder["replacement"], "" if drops and i == 0 else " ")
                       for i, p in enumerate(pieces)).encode()
    out = b""  # Replace, ByteFallback, Fuse, Strip
    for p in pieces:
        byte = re.fullmatch(r"<0x([0-9A-F]{2})>", p)
        out += bytes([int(byte[1], 16)]) if byte else p.replace("\u2581", " ").encode()
    text = out.decode(errors="replace")
    return (text[1:] if text.startswith(" ") else text).encode()
