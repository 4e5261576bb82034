"""The faults that are planted in the compiler's sources."""
import os
import random
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Import, graphs, passes, the schedule, and ten families of operators. Folders with what is in them.
FAMILIES = ["attention", "convolution", "elementwise", "matmul", "movement", "normalization", "pooling", "quantization", "recurrent",
            "reduction"]
PARTS = ["compiler/onnx/read", "compiler/ir", "compiler/passes", "compiler/schedule",
         *(f"compiler/ops/{family}" for family in FAMILIES)]

# Each rule: a name, what to look for, what to put in its place.
RULES = [
    ("comparison", re.compile(r" (<|<=|>|>=|==|!=) "),
     {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}),
    ("arithmetic", re.compile(r" (\+|-|\*|/) "), {"+": "-", "-": "+", "*": "+", "/": "*"}),
    ("logic", re.compile(r" (&&|\|\|) "), {"&&": "||", "||": "&&"}),
    ("negation", re.compile(r"(?<=[( ])(!)(?=[a-z(*])"), {"!": ""}),
]
NUMBER = re.compile(r"(?<![\w.{])(\d+)(?![\w.])")
# Of functions whose arguments have an order.
ARGUMENTS = re.compile(r"\b(?!(?:checked_add|checked_mul|max|min)\()\w+\((\w+(?:\.\w+)*), (\w+(?:\.\w+)*)\)")
STATEMENT = re.compile(r"\s+(?:if \(.*\) )?(?:[\w.>\[\]()-]+ (?:[+*-]?=|\+=) .*|[\w.>-]+\(.*\)|\+\+[\w.]+|continue|"
                       r"return|throw .*|break);$")


def is_code(line):
    text = line.strip()
    return bool(text) and not text.startswith(("//", "#", "using ", "namespace ", "template", "static_assert", "case "))


def faults_of(path, lines):
    """(path, line number, rule, new line) of every fault."""
    for number, line in enumerate(lines):
        if not is_code(line):
            continue
        code = line.split("  //")[0]
        quotes = [i for i, c in enumerate(code) if c == '"']
        free = lambda at: sum(q < at for q in quotes) % 2 == 0
        for rule, pattern, new in RULES:
            for m in pattern.finditer(code):
                if free(m.start(1)):
                    yield path, number, rule, code[:m.start(1)] + new[m.group(1)] + code[m.end(1):]
        for m in NUMBER.finditer(code):
            if free(m.start(1)):
                yield path, number, "constant", code[:m.start(1)] + str(int(m.group(1)) + 1) + code[m.end(1):]
        for m in ARGUMENTS.finditer(code):
            if free(m.start()) and m.group(1) != m.group(2):
                yield (path, number, "swap",
                       code[:m.start(1)] + m.group(2) + ", " + m.group(1) + code[m.end(2):])
        before = lines[number - 1].rstrip() if number else ""
        if STATEMENT.fullmatch(code) and ".reserve(" not in code and before.endswith((";", "{", "}", ")", "else")):
            indent = code[:len(code) - len(code.lstrip())]
            yield path, number, "statement", indent + "{}"


def all_faults(only):
    for part in PARTS:
        for folder, folders, files in os.walk(os.path.join(ROOT, part)):
            folders.sort()
            for file in sorted(f for f in files if f.endswith(".cpp")):
                full = os.path.join(folder, file)
                path = os.path.relpath(full, ROOT)
                if only in path:
                    with open(full, encoding="utf-8") as source:
                        yield from faults_of(path, source.read().split("\n"))


def sample(seed, count, only):
    """Evenly from the parts and the rules: first a file, then a rule, then a place."""
    tree = {}
    for fault in all_faults(only):
        tree.setdefault(fault[0], {}).setdefault(fault[2], []).append(fault)
    chance = random.Random(seed)
    chosen, seen = [], set()
    for _ in range(50 * count):
        rules = tree[chance.choice(sorted(tree))]
        fault = chance.choice(rules[chance.choice(sorted(rules))])
        if fault not in seen and len(chosen) < count:
            seen.add(fault)
            chosen.append(fault)
    return chosen


def survivors(logs):
    """The faults of these logs, at the places that they have now; those whose code is gone are left out."""
    printed = re.compile(r"^(?:unseen [^:]*|no effect|not reached): (.+):(\d+): (\w+): (.*)$", re.M)
    for log in logs:
        with open(log, encoding="utf-8") as text:
            for path, at, rule, line in printed.findall(text.read()):
                same = [f for f in all_faults(path) if f[2] == rule and f[3].strip() == line]
                yield from sorted(same, key=lambda f: abs(f[1] + 1 - int(at)))[:1]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()
