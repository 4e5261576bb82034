#!/usr/bin/env python3
"""Prints folders with model.onnx and test_data_set_* as the cases of docs/cases.md.

usage: to_case.py [--data NAME.data] FOLDER...     NAME.data: the side file that large tensors are appended to
Needs protoc, python3-protobuf and python3-numpy.
"""
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from side_file import SideFile  # noqa: E402

WIDTH = 100
# Tensors with more elements than this, and more digits in each, go to a side file.
MANY, DIGITS = 24, 6
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def file_format():
    """The messages of proto/onnx.proto."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.check_call(["protoc", "-I", ROOT, "--python_out", folder, "proto/onnx.proto"],
                              stderr=subprocess.DEVNULL)
        sys.path.insert(0, os.path.join(folder, "proto"))
        try:
            return importlib.import_module("onnx_pb2")
        finally:
            sys.path.pop(0)


pb = file_format()
NAMES = ["undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string",
         "bool", "float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16",
         "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4",
         "float4e2m1", "float8e8m0", "uint2", "int2"]
NESTED = ["seq", "map", "optional", "sparse_tensor", "opaque"]
DTYPES = {"float": "<f4", "uint8": "u1", "int8": "i1", "uint16": "<u2", "int16": "<i2",
          "int32": "<i4", "int64": "<i8", "bool": "u1", "float16": "<f2", "double": "<f8",
          "uint32": "<u4", "uint64": "<u8", "complex64": "<f4", "complex128": "<f8",
          "bfloat16": "<u2"}
BITS = {"uint4": 4, "int4": 4, "float4e2m1": 4, "uint2": 2, "int2": 2}
# Bits of exponent and mantissa, bias.
MINIFLOATS = {"float8e4m3fn": (4, 3, 7), "float8e4m3fnuz": (4, 3, 8), "float8e5m2": (5, 2, 15),
              "float8e5m2fnuz": (5, 2, 16), "float4e2m1": (2, 1, 1)}


# ---- names and types ----------------------------------------------------------------------------

def quoted(text):
    data = text.encode() if isinstance(text, str) else text
    plain = lambda b: 0x20 <= b < 0x7f and b not in b'"\\'
    escaped = lambda b: "\\" + chr(b) if b in b'"\\' else "\\x%02x" % b
    return '"%s"' % "".join(chr(b) if plain(b) else escaped(b) for b in data)


def name_text(name):
    reserved = name in NAMES or name in NESTED or name in ("inf", "nan")
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.A) and not reserved else quoted(name)


def dim_text(dim):
    kind = dim.WhichOneof("value")
    if kind is None:
        return "?"
    return str(dim.dim_value) if kind == "dim_value" else name_text(dim.dim_param)


def tensor_type_text(type):
    if not type.HasField("shape"):
        return NAMES[type.elem_type] + "[]"
    dims = ",".join(dim_text(d) for d in type.shape.dim)
    return NAMES[type.elem_type] + ("[%s]" % dims if dims else "")


def type_text(type):
    kind = type.WhichOneof("value")
    if kind == "tensor_type":
        return tensor_type_text(type.tensor_type)
    if kind == "sparse_tensor_type":
        return "sparse_tensor(%s)" % tensor_type_text(type.sparse_tensor_type)
    if kind == "sequence_type":
        return "seq(%s)" % type_text(type.sequence_type.elem_type)
    if kind == "optional_type":
        return "optional(%s)" % type_text(type.optional_type.elem_type)
    if kind == "map_type":
        key = NAMES[type.map_type.key_type]
        return "map(%s, %s)" % (key, type_text(type.map_type.value_type))
    raise ValueError("no text for this type: %s" % type)


def info_text(value):
    return (type_text(value.type) + " " if value.HasField("type") else "") + name_text(value.name)


# ---- values -------------------------------------------------------------------------------------

def real(value):
    """Shortest digits that read back the same."""
    text = str(value)
    return text[:-2] if text.endswith(".0") else text


def minifloat(code, kind):
    exponent_bits, mantissa_bits, bias = MINIFLOATS[kind]
    width = 1 + exponent_bits + mantissa_bits
    magnitude = code & ((1 << (width - 1)) - 1)
    exponent, mantissa = magnitude >> mantissa_bits, magnitude & ((1 << mantissa_bits) - 1)
    special = {"float8e4m3fn": magnitude == 0x7f, "float8e5m2": magnitude >= 0x7c,
               "float4e2m1": False}.get(kind, code == 0x80)
    if special:
        return "0x%02x" % code
    scale = 2.0 ** (max(exponent, 1) - bias - mantissa_bits)
    value = (mantissa + (exponent > 0) * (1 << mantissa_bits)) * scale
    return real(-value if code >> (width - 1) else value)


def float_texts(raw, kind):
    if kind == "bfloat16":
        bits = np.frombuffer(raw, "<u2")
        values, quiet = (bits.astype("<u4") << 16).view("<f4"), 0x7fc0
    else:
        values = np.frombuffer(raw, DTYPES[kind])
        bits = values.view("<u%d" % values.itemsize)
        quiet = {2: 0x7e00, 4: 0x7fc00000, 8: 0x7ff8 << 48}[values.itemsize]
    nan = lambda b: "nan" if b == quiet else "0x%x" % b
    return [real(v) if v == v else nan(b) for v, b in zip(values, bits)]


def element_texts(raw, count, kind):
    if kind in BITS:
        width = BITS[kind]
        codes = [b >> shift & ((1 << width) - 1) for b in raw for shift in range(0, 8, width)]
        codes = codes[:count]
        if kind in MINIFLOATS:
            return [minifloat(c, kind) for c in codes]
        half = 1 << (width - 1) if kind.startswith("int") else 1 << width
        return [str(c if c < half else c - 2 * half) for c in codes]
    if kind in MINIFLOATS:
        return [minifloat(c, kind) for c in raw]
    if kind == "float8e8m0":
        return [real(2.0 ** (c - 127)) if c < 255 else "0xff" for c in raw]
    if kind in ("float", "double", "float16", "bfloat16", "complex64", "complex128"):
        return float_texts(raw, kind)
    return [str(v) for v in np.frombuffer(raw, DTYPES[kind])]


def raw_bytes(tensor, kind):
    if tensor.HasField("raw_data"):
        return tensor.raw_data
    if kind in ("float", "complex64"):
        return np.array(tensor.float_data, "<f4").tobytes()
    if kind in ("double", "complex128"):
        return np.array(tensor.double_data, "<f8").tobytes()
    if kind == "int64":
        return np.array(tensor.int64_data, "<i8").tobytes()
    if kind in ("uint32", "uint64"):
        return np.array(list(tensor.uint64_data), "<u8").astype(DTYPES[kind]).tobytes()
    dtype = "<u2" if kind in ("float16", "bfloat16") else DTYPES.get(kind, "u1")
    return np.array(tensor.int32_data, "<i4").astype(dtype).tobytes()


def elements_text(tensor, side=None):
    if tensor.external_data:
        raise ValueError("external data of " + tensor.name)
    kind = NAMES[tensor.data_type]
    if kind == "string":
        return "{%s}" % ", ".join(quoted(s) for s in tensor.string_data)
    raw, count = raw_bytes(tensor, kind), int(np.prod(tensor.dims, dtype=np.int64))
    text = "{%s}" % ", ".join(element_texts(raw, count, kind))
    aside = side and count > MANY and len(text) > (DIGITS + 2) * count and kind not in BITS
    return side.put(raw) if aside else text


def shaped(tensor):
    dims = ",".join(str(d) for d in tensor.dims)
    return NAMES[tensor.data_type] + ("[%s]" % dims if dims else "")


def tensor_text(tensor, named=True, side=None):
    name = name_text(tensor.name) + " " if named and tensor.name else ""
    elements = elements_text(tensor, side)
    equals = "= " if name or elements[0] != "{" else ""
    return "%s %s%s%s" % (shaped(tensor), name, equals, elements)


def sparse_text(sparse):
    type = shaped(pb.TensorProto(data_type=sparse.values.data_type, dims=sparse.dims))
    name = name_text(sparse.values.name) + " = " if sparse.values.name else ""
    return "sparse_tensor(%s) %s{%s, %s}" % (
        type, name, tensor_text(sparse.values, False), tensor_text(sparse.indices, False))


def map_text(value, name):
    keys = [quoted(k) for k in value.string_keys] or [str(k) for k in value.keys]
    items = value.values.tensor_values
    kind = NAMES[items[0].data_type] if items else "float"
    texts = [elements_text(t)[1:-1] for t in items]
    pairs = ", ".join("%s: %s" % pair for pair in zip(keys, texts))
    return "map(%s, %s) %s{%s}" % (NAMES[value.key_type], kind, name, pairs)


def sequence_text(value, name, type):
    items = [tensor_text(t) for t in value.tensor_values]
    items += [sparse_text(t) for t in value.sparse_tensor_values]
    items += [sequence_text(s, "", None) for s in value.sequence_values]
    items += [map_text(m, "") for m in value.map_values]
    items += [optional_text(o, "", None) for o in value.optional_values]
    return "%s %s[%s]" % (type_text(type) if type else "seq(float[])", name, ", ".join(items))


def optional_text(value, name, type):
    inner = [tensor_text(value.tensor_value)] if value.HasField("tensor_value") else []
    if value.HasField("sequence_value"):
        inner.append(sequence_text(value.sequence_value, "", None))
    return "%s %s{%s}" % (type_text(type) if type else "optional(float[])", name, ", ".join(inner))


MESSAGES = {"tensor_type": "TensorProto", "sparse_tensor_type": "SparseTensorProto",
            "sequence_type": "SequenceProto", "map_type": "MapProto",
            "optional_type": "OptionalProto"}


def read_value(data, type):
    return getattr(pb, MESSAGES[type.WhichOneof("value")]).FromString(data)


def value_text(value, type, side=None):
    name = name_text(getattr(value, "name", "")) + " = "
    kind = type.WhichOneof("value")
    if kind == "tensor_type":
        return tensor_text(value, side=side)
    if kind == "sparse_tensor_type":
        return sparse_text(value)
    if kind == "map_type":
        return map_text(value, name)
    return (sequence_text if kind == "sequence_type" else optional_text)(value, name, type)


# ---- graphs -------------------------------------------------------------------------------------

def wrapped(text, indent, more="    "):
    """Lines of at most WIDTH columns, broken at blanks outside strings."""
    lines, line = [], indent
    for word in re.findall(r'(?:"(?:\\.|[^"\\])*"|[^\s"])+', text):
        if not line.strip():
            line += word
        elif len(line) + 1 + len(word) <= WIDTH:
            line += " " + word
        else:
            lines.append(line)
            line = indent + more + word
    return lines + [line]


def attribute_value(a, field):
    one = {"f": float_attribute, "i": str, "s": quoted, "t": lambda v: tensor_text(v, False),
           "sparse_tensor": sparse_text, "tp": type_text}
    many = {"floats": "f", "ints": "i", "strings": "s", "tensors": "t",
            "sparse_tensors": "sparse_tensor", "type_protos": "tp"}
    if field in many:
        return "[%s]" % ", ".join(one[many[field]](v) for v in getattr(a, field))
    return one[field](getattr(a, field))


def float_attribute(value):
    text = str(np.float32(value))
    return text if re.search("[.en]", text) else text + ".0"


FIELDS = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "floats",
          "INTS": "ints", "STRINGS": "strings", "TENSORS": "tensors", "GRAPHS": "graphs",
          "SPARSE_TENSOR": "sparse_tensor", "SPARSE_TENSORS": "sparse_tensors", "TYPE_PROTO": "tp",
          "TYPE_PROTOS": "type_protos"}


def attribute_text(a, indent):
    kind = pb.AttributeProto.AttributeType.Name(a.type)
    if a.ref_attr_name:
        return "%s: %s = @%s" % (name_text(a.name), kind.lower(), name_text(a.ref_attr_name))
    field = FIELDS[kind]
    if kind in ("GRAPH", "GRAPHS"):
        graphs = [a.g] if kind == "GRAPH" else a.graphs
        heads = [name_text(g.name) + " " if g.name else "" for g in graphs]
        texts = ", ".join(graph_text(g, head, indent) for g, head in zip(graphs, heads))
        return "%s = %s" % (name_text(a.name), texts if kind == "GRAPH" else "[%s]" % texts)
    empty = kind.endswith("S") and not len(getattr(a, field))
    type = ": " + kind.lower() if empty else ""
    return "%s%s = %s" % (name_text(a.name), type, attribute_value(a, field))


def node_text(node, indent):
    """On one line, or with a line for each attribute."""
    label = "[%s] " % name_text(node.name) if node.name else ""
    operator = (node.domain + "." if node.domain else "") + node.op_type
    operator += ":" + name_text(node.overload) if node.overload else ""
    head = "%s%s = %s" % (label, ", ".join(map(name_text, node.output)), operator)
    tail = " (%s)" % ", ".join(map(name_text, node.input))
    graphs = any(a.g.node or a.graphs for a in node.attribute)
    line = head + (" <%s>" % ", ".join(attribute_text(a, indent) for a in node.attribute)
                   if node.attribute else "") + tail
    if not graphs and len(indent + line) <= WIDTH or not node.attribute:
        return "\n".join(wrapped(line, indent))
    lines = [indent + head + " <"]
    for i, a in enumerate(node.attribute):
        text = attribute_text(a, indent + "  ") + ("," if i + 1 < len(node.attribute) else "")
        first, *inner = text.split("\n")
        lines += wrapped(first, indent + "  ") + inner
    return "\n".join(lines + [indent + ">" + tail])


def graph_text(graph, head, indent, side=None):
    """With the first line not indented."""
    inner = [tensor_text(t, side=side) for t in graph.initializer]
    inner += [sparse_text(s) for s in graph.sparse_initializer]
    inner += [info_text(v) for v in graph.value_info]
    text = "%s(%s) => (%s) %s" % (head, ", ".join(map(info_text, graph.input)),
                                  ", ".join(map(info_text, graph.output)), "<" if inner else "{")
    lines = wrapped(text, indent)
    for i, item in enumerate(inner):
        lines += wrapped(item + ("," if i + 1 < len(inner) else ""), indent + "  ")
    lines += [indent + "> {"] if inner else []
    lines += [node_text(n, indent + "  ") for n in graph.node] + [indent + "}"]
    return "\n".join(lines).lstrip()


def imports_text(imports):
    pairs = ["%s: %d" % (quoted(i.domain), i.version) for i in imports]
    return "opset_import: [%s]" % ", ".join(pairs)


def function_text(f):
    names = lambda values: ", ".join(map(name_text, values))
    parameters = [name_text(a) for a in f.attribute]
    parameters += [attribute_text(a, "") for a in f.attribute_proto]
    parameters = " <%s>" % ", ".join(parameters) if parameters else ""
    nodes = "".join(node_text(n, "  ") + "\n" for n in f.node)
    overload = ", overload: " + quoted(f.overload) if f.overload else ""
    return "<domain: %s%s, %s>\n%s%s (%s) => (%s) {\n%s}" % (
        quoted(f.domain), overload, imports_text(f.opset_import), name_text(f.name),
        parameters, names(f.input), names(f.output), nodes)


def model_text(model, name, side):
    graph_name = "" if model.graph.name == name else name_text(model.graph.name) + " "
    lines = ["<ir_version: %d, %s>" % (model.ir_version, imports_text(model.opset_import)),
             graph_text(model.graph, graph_name, "", side)]
    return "\n".join(lines + [function_text(f) for f in model.functions])


# ---- cases --------------------------------------------------------------------------------------

def contents(folder, role, types):
    for i, info in enumerate(types):
        path = os.path.join(folder, "%s_%d.pb" % (role, i))
        if not os.path.exists(path):
            return
        yield read_value(open(path, "rb").read(), info.type), info.type


def data_text(folder, graph, side):
    lines = []
    for value, type in contents(folder, "input", graph.input):
        lines += wrapped("given " + value_text(value, type, side), "")
    for value, type in contents(folder, "output", graph.output):
        lines += wrapped("expect " + value_text(value, type, side), "")
    return lines


def tolerance_text(folder):
    path = os.path.join(folder, "data.json")
    values = json.load(open(path)) if os.path.exists(path) else {}
    words = ["%s %s" % (k, real(values[k])) for k in ("rtol", "atol") if k in values]
    return [" ".join(words)] if words else []


def case_text(folder, name=None, refusal=None, side=None):
    name = name or os.path.basename(os.path.normpath(folder))
    model = pb.ModelProto.FromString(open(os.path.join(folder, "model.onnx"), "rb").read())
    lines = ["=== " + name, model_text(model, name, side)] + tolerance_text(folder)
    sets = [d for d in os.listdir(folder) if d.startswith("test_data_set_")]
    for data in sorted(sets, key=lambda d: int(d.rsplit("_", 1)[1])):
        lines += data_text(os.path.join(folder, data), model.graph, side)
    if refusal:
        lines.append("refused " + quoted(refusal))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    folders, aside = sys.argv[1:], None
    if folders[:1] == ["--data"]:
        aside, folders = SideFile(folders[1]), folders[2:]
    print("\n".join(case_text(folder, side=aside) for folder in folders), end="")
    if aside:
        aside.write()
