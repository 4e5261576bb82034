"""Puts nodes into a function, a branch, or the only iteration of a loop: the results stay."""
import re

FORMS = ["function", "if", "loop", "scan"]


class Nodes:
    """Text of nodes, the names they make, what they read from outside, and functions for the model."""

    def __init__(self, nodes):
        self.text = "".join(n.text() for n in nodes)
        self.made = {o for n in nodes for o in n.outputs if o}
        self.read = sorted({i for n in nodes for i in n.operands()} - self.made)
        self.functions = ""
        self.level = 0

    def renamed(self, prefix):
        if not self.made:
            return self.text
        pattern = r"\b(" + "|".join(sorted(self.made)) + r")\b"
        return re.sub(pattern, prefix + r"\1", self.text)

    def wrap(self, form, results, types, head):
        """results: the names to keep; types: of values; head: the opset imports of a function."""
        self.level += 1
        getattr(self, "in_" + form)([r for r in results if r in self.made], types, head)
        self.made = {r for r in results if r in self.made} | {
            n for n in re.findall(r"(\w+)(?:, \w+)* = ", self.text) if n.endswith("_")}

    def body(self, prefix, results, types):
        outputs = ", ".join(f"{loose(types[r])} {prefix}{r}" for r in results)
        return f"() => ({outputs}) {{\n{self.renamed(prefix)}  }}"

    def in_function(self, results, types, head):
        name = f"Body{self.level}"
        self.functions += (f'<domain: "own", opset_import: [{head}, "own": 1]>\n'
                           f"{name} ({', '.join(self.read)}) => ({', '.join(results)}) {{\n"
                           f"{self.text}}}\n")
        self.text = f"  {', '.join(results)} = own.{name} ({', '.join(self.read)})\n"

    def in_if(self, results, types, head):
        p = f"l{self.level}"
        then, other = (self.body(f"{p}{k}_", results, types) for k in "te")
        self.text = (f"  {p}n_ = Constant <value = int64 {{3}}> ()\n"
                     f"  {p}z_ = RandomUniformLike <dtype = 1> ({p}n_)\n"
                     f"  {p}h_ = Constant <value = float {{0.5}}> ()\n"
                     f"  {p}c_ = Less ({p}z_, {p}h_)\n"
                     f"  {', '.join(results)} = If <then_branch = t{p} {then}, "
                     f"else_branch = e{p} {other}> ({p}c_)\n")

    def squeezed(self, results, p):
        return f"  {p}a_ = Constant <value = int64[1] {{0}}> ()\n" + "".join(
            f"  {r} = Squeeze ({p}{r}_, {p}a_)\n" for r in results)

    def in_loop(self, results, types, head):
        p = f"l{self.level}"
        body = self.body(p + "b_", results, types).replace(
            "() => (", f"(int64 {p}i, bool {p}g) => (bool {p}go, ", 1)
        body = body.replace("{\n", f"{{\n  {p}go = Identity ({p}g)\n", 1)
        self.text = (f"  {p}n_ = Constant <value = int64 {{1}}> ()\n"
                     f"  {', '.join(p + r + '_' for r in results)} = Loop <body = b{p} {body}> "
                     f'({p}n_, "")\n' + self.squeezed(results, p))

    def in_scan(self, results, types, head):
        p = f"l{self.level}"
        body = self.body(p + "b_", results, types).replace("() => (", f"(double {p}e) => (", 1)
        self.text = (f"  {p}s_ = Constant <value = double[1] {{0}}> ()\n"
                     f"  {', '.join(p + r + '_' for r in results)} = Scan <num_scan_inputs = 1, "
                     f"body = b{p} {body}> ({p}s_)\n" + self.squeezed(results, p))


def loose(text):
    """A type without extents."""
    return re.sub(r"\d+(?=[,\]])", "?", text) if "[" in text else text


class Symbols:
    """Types with a new symbol for every extent, or for some."""

    def __init__(self, chooser=None):
        self.count, self.chooser = 0, chooser

    def of(self, text):
        def symbol(match):
            if self.chooser and self.chooser.random() < 0.5:
                return match.group(0)
            self.count += 1
            return f"n{self.count}"
        return re.sub(r"\d+(?=[,\]])", symbol, text) if "[" in text else text
