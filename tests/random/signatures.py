"""What operators exist and which types they take: from the schemas of the installed onnx package, and for
newer versions from `onnxc ops --json`."""
import json
import re
import subprocess

from build import WEIGHT

try:
    import onnx.defs as defs
except ImportError:
    defs = None


class Schemas:
    def __init__(self, onnxc):
        rows = json.loads(subprocess.check_output([onnxc, "ops", "--json"]))["operators"]
        self.rows = {("" if r["domain"] == "ai.onnx" else r["domain"], r["name"]): r for r in rows}
        self.cache = {}

    def version(self, op, opset, domain=""):
        """The since_version at this opset; None if there is none."""
        row = self.rows.get((domain, op))
        if not row or (not domain and row["removed_in"] and row["removed_in"] <= opset):
            return None
        limit = opset if not domain else 3
        known = [v for v in row["versions"] if v <= limit]
        return max(known) if known else None

    def types(self, op, opset, index, domain=""):
        """Element types of an input, by its number."""
        key = (op, opset, index, domain)
        if key not in self.cache:
            self.cache[key] = self.find_types(op, opset, index, domain)
        return self.cache[key]

    def find_types(self, op, opset, index, domain):
        formals = self.rows[domain, op]["inputs"]
        ours = re.split(r",\s*", formals[min(index, len(formals) - 1)]["types"])
        if ours == ["any"]:
            ours = list(WEIGHT)
        if not defs or domain == "com.microsoft" or opset > defs.onnx_opset_version():
            return ours
        try:
            schema = defs.get_schema(op, opset if not domain else 3, domain)
        except defs.SchemaError:
            return ours
        formal = schema.inputs[min(index, len(schema.inputs) - 1)]
        theirs = {re.sub(r"^tensor\((.*)\)$", r"\1", t) for t in formal.types}
        return [t for t in ours if t in theirs]
