#!/usr/bin/env python3
"""The rules of the source tree that a program can check: includes, names, sizes, layout, words.

usage: lint.py [--only CHECK] [--under FOLDER] [ROOT]

Prints one line for each violation and ends with `N passed, N failed`, counted in checks.
"""
import argparse
import bisect
import collections
import json
import os
import re
import subprocess
import sys

# Headers of other projects that only one floor may know.
ONLY_IN = {
    "proto/": "onnx",
    "google/protobuf/": "onnx",
    "CLI/": "cli",
}

# Headers of operating systems, which only the part of the compiler that hides them includes.
SYSTEM_HEADER = re.compile(
    r"(?:aclapi|dirent|dlfcn|direct|elf|fcntl|fnmatch|glob|io|poll|process|psapi|pthread|signal|spawn"
    r"|termios|unistd|windows)\.h$|csignal$|sys/|linux/|mach/|emscripten")
SYSTEM_FOLDER = "compiler/support/platform/"

# Where the name of an operator or a kernel may be compared: next to the operators themselves, in
# what is about these operators.
NAMES = {
    "compiler/onnx/read/order.cpp":
        ("Constant", "a Constant may be anywhere in a file"),
    "compiler/devices/shard_tensors.cpp":
        ("Gather Split Reshape", "what tables, heads and rows of weights are read by"),
    "compiler/emit/source_functions.cpp":
        ("add sum mul", "functions whose operands commute"),
    "compiler/onnx/read/input_formats.cpp":
        ("Transpose Cast Sub Mul", "makes them"),
    "compiler/onnx/write/prepare.cpp":
        ("Adagrad Adam Momentum", "writes them"),
    "compiler/ir/layout.cpp":
        ("Conv", "its kernels alone read an epilogue operand with other strides"),
    "compiler/ir/parse_types.cpp":
        ("min max", "functions of dimensions in the text form"),
    "compiler/ir/verify.cpp":
        ("Concat", "its inputs may be views of its result"),
    "compiler/passes/autodiff/split_optimizers.cpp":
        ("Adagrad Adam AdamDecayed Momentum Mul", "is about them, and weight decay before them"),
    "compiler/passes/canonicalize/decompose_batch_norm.cpp":
        ("BatchNormalization", "is about it"),
    "compiler/passes/canonicalize/decompose_einsum.cpp":
        ("Einsum", "is about it"),
    "compiler/passes/canonicalize/fold_input_scale.cpp":
        ("Conv Mul Div", "folds the two into the one"),
    "compiler/passes/canonicalize/fold_pad.cpp":
        ("Pad Conv QuantizeLinear DequantizeLinear", "folds one into the other, past the pair"),
    "compiler/passes/canonicalize/fold_scale_bias.cpp":
        ("Conv ConvTranspose Add Sub Mul Div", "folds the four into the two"),
    "compiler/passes/canonicalize/hoist_shape_ops.cpp":
        ("Transpose Unsqueeze Squeeze Reshape", "is about them"),
    "compiler/passes/canonicalize/lists_to_members.cpp":
        ("SequenceEmpty SequenceConstruct SplitToSequence Identity SequenceInsert SequenceErase SequenceLength"
         " SequenceAt ConcatFromSequence Split Squeeze Unsqueeze Concat Cast", "is about lists and their members"),
    "compiler/passes/canonicalize/lower_conv3d_to_conv2d.cpp":
        ("Conv", "is about it"),
    "compiler/passes/fusion/share_packed_rows.cpp":
        ("GatherBlockQuantized MatMulNBits", "is about the two"),
    "compiler/passes/canonicalize/merge_duplicates.cpp":
        ("Identity", "stands for a result that is computed elsewhere"),
    "compiler/passes/canonicalize/one_hot_to_gather.cpp":
        ("MatMul OneHot Equal Cast", "folds the product of marks and rows"),
    "compiler/passes/canonicalize/zipmap_to_tensor.cpp":
        ("ZipMap Identity", "is about it"),
    "compiler/passes/fusion/fold_channel_shuffle.cpp":
        ("Conv", "folds a shuffle into it"),
    "compiler/passes/autodiff/restore_attention.cpp":
        ("Reshape Transpose", "finds heads in the nodes that exporters write"),
    "compiler/passes/fusion/fuse_attention.cpp":
        ("Mul Div Reshape Transpose", "takes in what is around attention"),
    "compiler/passes/fusion/match_attention.cpp":
        ("MatMul Softmax Mul Div Add Where IsNaN Reshape Flatten Shape",
         "is about what attention is made of"),
    "compiler/passes/fusion/fuse_elementwise.cpp":
        ("Map", "makes it"),
    "compiler/passes/fusion/fuse_gelu.cpp":
        ("Erf Tanh Add Sub Mul Div Pow Gelu", "is about what Gelu is made of"),
    "compiler/passes/fusion/fuse_normalization.cpp":
        ("ReduceMean Sub Pow Mul Add Sqrt Reciprocal Div Cast LayerNormalization RMSNormalization",
         "is about what the two are made of"),
    "compiler/passes/fusion/match_channel_shuffle.cpp":
        ("Reshape Transpose", "what a shuffle is made of"),
    "compiler/passes/fusion/strided.cpp":
        ("Reshape Squeeze Unsqueeze Flatten Identity Transpose Split Gather Slice Expand",
         "each does something else to strides"),
    "compiler/passes/infer/fold_constant_if.cpp":
        ("If", "is about it"),
    "compiler/passes/infer/needed_rank.cpp":
        ("Transpose Identity Cast CastLike", "what these say about the rank of their operand"),
    "compiler/passes/infer/peel_loop.cpp":
        ("Loop", "is about it"),
    "compiler/passes/infer/resolve_branch_ranks.cpp":
        ("If", "is about it"),
    "compiler/passes/layout/choose_layout.cpp":
        ("Transpose", "what a change of layout can absorb"),
    "compiler/passes/layout/concat_in_place.cpp":
        ("Concat Conv", "lets producers write into a Concat"),
    "compiler/passes/quantization/functions_to_int8.cpp":
        ("QuantizeLinear Softmax LayerNormalization RMSNormalization LSTM GRU Abs Add Cast Ceil Clip Div"
         " Max Floor LeakyRelu Min Mul Neg PRelu Relu Round Sub Sign",
         "is about their int8 forms, and lists what is quicker than a table"),
    "compiler/passes/quantization/fuse_fake_quant.cpp":
        ("QuantizeLinear DequantizeLinear Mul", "is about the two and the scale before them"),
    "compiler/passes/quantization/lower_to_int8.cpp":
        ("Conv QLinearConv MatMul Gemm QLinearMatMul MatMulInteger ConvInteger Cast QuantizeLinear"
         " DequantizeLinear Identity Transpose ConvTranspose AveragePool GlobalAveragePool Pad",
         "is about their int8 forms"),
    "compiler/passes/quantization/quantized_ports.cpp":
        ("QuantizeLinear DequantizeLinear Identity", "is about the two"),
    "compiler/passes/quantization/quant_params.cpp":
        ("QuantizeLinear DequantizeLinear Conv ConvTranspose Gemm MatMul Relu Clip",
         "is about the two, products and clamps"),
    "compiler/schedule/heap_use.cpp":
        ("Loop", "says what fixes its trip count"),
    "compiler/schedule/fuse_conv_pool.cpp":
        ("conv2d_nhwc reorder", "is about these kernels"),
    "compiler/schedule/fuse_depthwise.cpp":
        ("conv2d_nhwc depthwise_conv2d_nhwc", "is about these kernels"),
    "compiler/tokenizer/emit_files.cpp":
        ("pick_token add_tokens byte_pairs normal_form pieces regex_find character_map rewrite "
         "token_text unigram", "the headers of what it calls"),
    "compiler/tokenizer/steps.cpp":
        ("Split", "a pre-tokenizer of that name"),
}

# The folders that must not dispatch on names of operators.
RULED = "devices emit ir onnx passes products run schedule tokenizer cli".split()

LONGEST_FUNCTION, LONGEST_FILE, WIDEST_LINE = 60, 600, 100
CLANG_FORMAT = 14  # other versions lay out differently

# Names of std that come with headers which generated code always includes; for the others see
# kStandardHeaders.
STANDARD_TABLE = "compiler/emit/kernels.cpp"
ALWAYS_STANDARD = re.compile(
    r"\w+_t|is_\w+|numeric_limits|initializer_list|size|atomic|memory_order_\w+|chrono")


class Tree:
    """The files of the project, read once."""

    def __init__(self, root, under):
        self.root = root
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
        self.all = [f for f in listed if os.path.isfile(os.path.join(root, f))]
        self.files = [f for f in self.all if f.startswith(under)]
        self.cpp = [f for f in self.files if f.endswith((".cpp", ".hpp", ".h"))]
        self.texts = {}

    def lines(self, file):
        if file not in self.texts:
            with open(os.path.join(self.root, file), errors="replace") as f:
                self.texts[file] = f.read().splitlines()
        return self.texts[file]


# The line of ARCHITECTURE.md that says which folder may include which: folders of a lower rank.
ORDER = re.compile(r"^support < .*$", re.M)


def ranks(tree):
    order = ORDER.search("\n".join(tree.lines("ARCHITECTURE.md"))).group(0)
    return {folder: rank for rank, equals in enumerate(order.split(" < ")) for folder in equals.split(", ")}


def floor_of(path):
    match = re.match(r"compiler/([a-z]+)[./]", path)
    return match.group(1) if match else None


def check_includes(tree):
    order = ranks(tree)
    for file in tree.cpp:
        if not file.startswith(("compiler/", "templates/", "runtime_min/")):
            continue
        if file.startswith("compiler/run/harness/"):
            continue  # compiled together with generated code, not part of the program
        here = floor_of(file)
        for number, line in enumerate(tree.lines(file), 1):
            match = re.match(r'\s*#\s*include\s+["<]([^">]+)[">]', line)
            if match:
                reason = include_problem(order, here, match.group(1))
                if file.startswith("compiler/") and not file.startswith(SYSTEM_FOLDER) \
                        and SYSTEM_HEADER.match(match.group(1)):
                    reason = f"only {SYSTEM_FOLDER} includes {match.group(1)}"
                if reason:
                    yield file, number, reason


def include_problem(order, here, path):
    for prefix, floor in ONLY_IN.items():
        if path.startswith(prefix) and here != floor:
            return f"only {floor} includes {prefix}"
    there = floor_of(path)
    if there is None or there == here:
        return None
    if there not in order:
        return f"{there} is not in the order of ARCHITECTURE.md"
    if here is None:
        return f"generated code does not include {there}"
    if here not in order:
        return f"{here} is not in the order of ARCHITECTURE.md"
    if order[there] < order[here]:
        return None
    where = "beside" if order[there] == order[here] else "above"
    return f"{here} includes {there}, which is {where} it"


def known_names(tree):
    """Names of operators, and of kernels."""
    names = set()
    for file in tree.all:
        if file.startswith("compiler/ops/") and file.endswith(".cpp"):
            text = "\n".join(tree.lines(file))
            names |= set(re.findall(r'\.name = "(\w+)"', text))
            names |= set(re.findall(r'^\s*\{+"([A-Z]\w+)"', text, re.M))
            names |= set(re.findall(r'\bcall\(\s*"(\w+)"', text))
        match = re.match(r"templates/(?:\w+/)*(\w+)\.hpp$", file)
        if match:
            names.add(match.group(1))
    return names


STRING = r'"(\w+)"'
COMPARED = [
    re.compile(r"[=!]=\s*" + STRING),
    re.compile(STRING + r"\s*[=!]="),
    # A question about a node or a step: is_a(n, "Conv"), only_reader(v, "Reshape").
    re.compile(r"\b(?:is_\w+|only_\w+|find\w*|has_op\w*)\([^;{}]*?" + STRING),
    # The first entry of a row, and the entries of a list of names.
    re.compile(r"\{\s*" + STRING + r"\s*,"),
    re.compile(r"(?<=\",)\s*" + STRING + r"(?=\s*[,}])"),
]


def check_names(tree):
    names = known_names(tree)
    for file in NAMES:
        if file not in tree.all:
            yield file, 0, "is in the list of lint.py, but does not exist"
    for file in tree.cpp:
        if not file.startswith(tuple(f"compiler/{folder}/" for folder in RULED)):
            continue
        if file.startswith("compiler/interface/reserved_names."):
            continue  # lists identifiers of C, some of which are also kernels
        allowed = NAMES.get(file, ("", ""))[0].split()
        text = "\n".join(line.split("//")[0] for line in tree.lines(file))
        for at, name in sorted(compared_names(text)):
            if name in names and name not in allowed:
                yield file, text.count("\n", 0, at) + 1, f"compares with the name {name}"


def compared_names(text):
    found = set()
    for pattern in COMPARED:
        at = 0
        while match := pattern.search(text, at):
            name = match.group(1)
            asked = re.search(r"\b(?:name|kernel|header|op_type)\s*[=!]=\s*\"$",
                              text[:match.start(1)])
            # Short words like "min" have other meanings elsewhere: keys of JSON, for one.
            if name[0].isupper() or "_" in name or asked:
                found.add((match.start(1), name))
            at = match.end(1)
    return found


def check_functions(tree):
    tags = subprocess.run(
        ["ctags", "--languages=C++", "--langmap=C++:.cpp.hpp.h", "--kinds-C++=f", "--fields=+ne",
         "--output-format=json", "-f", "-", "-L", "-"],
        cwd=tree.root, input="\n".join(tree.cpp), capture_output=True, text=True, check=True)
    for line in tags.stdout.splitlines():
        tag = json.loads(line)
        length = tag.get("end", tag["line"]) - tag["line"] + 1
        if length > LONGEST_FUNCTION:
            yield tag["path"], tag["line"], f"{tag['name']} has {length} lines"


def check_files(tree):
    for file in tree.cpp:
        if len(tree.lines(file)) > LONGEST_FILE:
            yield file, 1, f"{len(tree.lines(file))} lines"


def check_columns(tree):
    for file in tree.cpp:
        for number, line in enumerate(tree.lines(file), 1):
            if len(line) > WIDEST_LINE:
                yield file, number, f"{len(line)} columns"


def check_heads(tree):
    for file in tree.files:
        if file.endswith((".cpp", ".hpp", ".h")):
            skipped, comment = "#pragma once", ("//", "/*")
        elif file.endswith((".py", ".sh")):
            skipped, comment = "#!", ("#", '"""')
        else:
            continue
        first = next((x for x in tree.lines(file) if x and not x.startswith(skipped)), "")
        if not first.startswith(comment):
            yield file, 1, "does not begin with a comment that says what it is for"


def check_format(tree):
    tool = "clang-format"
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    if f" version {CLANG_FORMAT}." not in version:
        raise RuntimeError(f"needs clang-format {CLANG_FORMAT}, this is {version.strip()}")
    chunks = [tree.cpp[i::4] for i in range(4)]
    runs = [subprocess.Popen([tool, "--dry-run", "-Werror", "--ferror-limit=1", *chunk],
                             cwd=tree.root, stderr=subprocess.PIPE, text=True)
            for chunk in chunks if chunk]
    first = {}
    for run in runs:
        for line in run.communicate()[1].splitlines():
            match = re.match(r"(.+?):(\d+):\d+: error:", line)
            if match:
                first.setdefault(match.group(1), int(match.group(2)))
    for file, number in first.items():
        yield file, number, "differs from what clang-format makes"


def check_standard(tree):
    text = "\n".join(tree.lines(STANDARD_TABLE))
    table = re.search(r"kStandardHeaders\[\] = \{(.*?)\};", text, re.S).group(1)
    known = set(re.findall(r"\w+", table))
    for file in tree.cpp:
        if not file.startswith(("templates/", "runtime_min/")):
            continue
        for number, line in enumerate(tree.lines(file), 1):
            for name in re.findall(r"std::(\w+)", line.split("//")[0]):
                if name not in known and not ALWAYS_STANDARD.fullmatch(name):
                    yield file, number, f"std::{name} is not in kStandardHeaders of {STANDARD_TABLE}"


WORDS = "tests/lint/words.txt"
COMMENT = {"//": (".cpp", ".hpp", ".h"), "#": (".py", ".sh", ".cmake", ".txt")}


def prose(file, lines):
    """(line number, text) of comments, and of pages without their code."""
    mark = next((m for m, ends in COMMENT.items() if file.endswith(ends)), None)
    # A mark outside of a string: an even number of quotes before it.
    comment = re.compile(r'^((?:[^"\\]|"(?:[^"\\]|\\.)*")*?)(?<![:\w])' + (mark or "") + r"(?!!)(.*)")
    fenced = False
    for number, line in enumerate(lines, 1):
        fences = line.count('"""') if mark == "#" else line.lstrip().startswith("```")
        if fences or (fenced and mark) or (not fenced and not mark):
            text = line
        else:
            match = None if fenced else comment.match(line)
            text = match.group(2) if match else ""
        fenced ^= fences % 2 == 1
        yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", "", text).strip()


def check_words(tree):
    banned = [line.split("\t") for line in tree.lines(WORDS)]
    banned = [(re.compile(pattern), instead) for pattern, instead in banned]
    for file in tree.files:
        if file == WORDS or not file.endswith((".md", *sum(COMMENT.values(), ()))):
            continue
        text, starts = "", []
        for number, line in prose(file, tree.lines(file)):
            starts.append(len(text))
            text += line + " " if line else "\n"
        for pattern, instead in banned:
            for match in pattern.finditer(text):
                number = bisect.bisect_right(starts, match.start())
                yield file, number, f"says \"{match.group(0)}\": {instead}"


def check_kernels(tree):
    """Every kernel is in reach of a kernel test."""
    included, todo = set(), [f for f in tree.all if re.match(r"tests/kernels/\w+\.cpp$", f)]
    while todo:
        for line in tree.lines(todo.pop()):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if match and match.group(1) in tree.all and match.group(1) not in included:
                included.add(match.group(1))
                todo.append(match.group(1))
    for file in tree.files:
        if file.startswith(("templates/", "runtime_min/")) and file.endswith(".hpp") and file not in included:
            yield file, 1, "no test in tests/kernels includes it"


CHECKS = {
    "includes": check_includes,
    "names": check_names,
    "functions": check_functions,
    "files": check_files,
    "columns": check_columns,
    "heads": check_heads,
    "format": check_format,
    "standard": check_standard,
    "words": check_words,
    "kernels": check_kernels,
}


def judge(check, tree):
    """Prints the violations of a rule, the first five of each file; returns whether there are none."""
    found = collections.defaultdict(list)
    for file, number, text in CHECKS[check](tree):
        found[file].append((number, text))
    for file, places in sorted(found.items()):
        for number, text in places[:5]:
            print(f"{file}:{number}: [{check}] {text}")
        if len(places) > 5:
            print(f"{file}: [{check}] {len(places)} in all")
    return not found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=CHECKS, help="this check alone")
    parser.add_argument("--under", default="", help="only files below this folder")
    parser.add_argument("root", nargs="?", default=os.path.join(os.path.dirname(__file__), "../.."))
    args = parser.parse_args()
    tree = Tree(args.root, args.under)
    results = [judge(check, tree) for check in ([args.only] if args.only else CHECKS)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
