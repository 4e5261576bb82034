"""Builds random models: messages of the file format, values with shape and range, their data.

A value knows its shape, bounds of its elements, and how many bits after the point they need. What is
discontinuous (a comparison, a rounding, an index of a maximum) may read only values that every order of
operations computes without an error: those whose `frac` is not None.
"""
import math
import os
import sys

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance"))
from to_case import NAMES, pb  # noqa: E402

NUMPY = {"float": np.float32, "uint8": np.uint8, "int8": np.int8, "uint16": np.uint16,
         "int16": np.int16, "int32": np.int32, "int64": np.int64, "bool": np.bool_,
         "float16": np.float16, "double": np.float64, "uint32": np.uint32, "uint64": np.uint64,
         "string": object}
FLOATS = ("float", "double", "float16", "bfloat16")
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
# How often a type is taken where an operator knows several.
WEIGHT = {"float": 40, "int64": 8, "int32": 8, "bool": 4, "uint8": 4, "int8": 4, "float16": 3,
          "double": 3, "string": 1, "int16": 1, "uint16": 1, "uint32": 1, "uint64": 1, "bfloat16": 1}
# Bits of the significand, for exactness; the largest finite value.
PRECISION = {"float": 24, "double": 53, "float16": 11, "bfloat16": 8}
LARGEST = {"float": 1e30, "double": 1e200, "float16": 2e3, "bfloat16": 1e30}
MOST_ELEMENTS = 4096
ODD_NAMES = ["int", "x y", "x.y", "x/y", "X", "größe", "for", "_", "a-b", "0", "in", "s", "*/", "M_PI",
             "heap", "class", "std::x", "y\\", "?"]


class Skip(Exception):
    """The recipe does not fit the values at hand."""


class Value:
    """One tensor. `const`: its elements, of an initialiser. `given`: the elements of a graph input."""

    def __init__(self, name, type, shape, lo, hi, frac=None):
        self.name, self.type, self.shape = name, type, tuple(int(d) for d in shape)
        self.lo, self.hi, self.frac = float(lo), float(hi), frac
        self.const = self.given = None
        self.hidden = False  # not to be picked by chance
        self.fixed = False   # its sizes decide ranks: an input says them

    rank = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape, dtype=np.int64)))
    mag = property(lambda self: max(abs(self.lo), abs(self.hi)))
    exact = property(lambda self: self.type not in FLOATS or self.frac is not None)


def fits(type, lo, hi):
    """Whether numbers of this range stay in the type."""
    if type in FLOATS:
        return max(abs(lo), abs(hi)) <= LARGEST[type]
    if type in NUMPY and type not in ("bool", "string"):
        info = np.iinfo(NUMPY[type])
        return info.min <= lo and hi <= info.max
    return True


def exact_bits(type, lo, hi, frac):
    """`frac` while the type holds such numbers without rounding."""
    if type not in FLOATS or frac is None:
        return 0 if type not in FLOATS else None
    whole = math.ceil(math.log2(max(abs(lo), abs(hi), 1) + 1))
    return frac if whole + frac < PRECISION[type] else None


def tensor_proto(name, type, array):
    if type == "string":
        return pb.TensorProto(name=name, data_type=NAMES.index(type), dims=array.shape,
                              string_data=[str(s).encode() for s in array.flat])
    if type == "bfloat16" and array.dtype == np.float32:  # its upper half
        array = (np.ascontiguousarray(array).view("<u4") >> 16).astype("<u2")
    return pb.TensorProto(name=name, data_type=NAMES.index(type), dims=array.shape,
                          raw_data=np.ascontiguousarray(array).tobytes())


def type_proto(type, dims):
    """`dims`: numbers, names, None for unknown; or None for an unknown rank."""
    out = pb.TypeProto()
    out.tensor_type.elem_type = NAMES.index(type)
    if dims is not None:
        out.tensor_type.shape.SetInParent()
        for d in dims:
            dim = out.tensor_type.shape.dim.add()
            if isinstance(d, str):
                dim.dim_param = d
            elif d is not None:
                dim.dim_value = d
    return out


def value_info(name, type):
    info = pb.ValueInfoProto(name=name)
    info.type.CopyFrom(type)
    return info


def attribute(name, value):
    A = pb.AttributeProto
    if isinstance(value, bool) or isinstance(value, (int, np.integer)):
        return A(name=name, type=A.INT, i=int(value))
    if isinstance(value, float):
        return A(name=name, type=A.FLOAT, f=value)
    if isinstance(value, (str, bytes)):
        return A(name=name, type=A.STRING, s=value.encode() if isinstance(value, str) else value)
    if isinstance(value, pb.TensorProto):
        return A(name=name, type=A.TENSOR, t=value)
    if isinstance(value, pb.GraphProto):
        return A(name=name, type=A.GRAPH, g=value)
    if isinstance(value, pb.TypeProto):
        return A(name=name, type=A.TYPE_PROTO, tp=value)
    value = list(value)
    if value and isinstance(value[0], float):
        return A(name=name, type=A.FLOATS, floats=value)
    if value and isinstance(value[0], (str, bytes)):
        return A(name=name, type=A.STRINGS, strings=[v.encode() if isinstance(v, str) else v for v in value])
    return A(name=name, type=A.INTS, ints=[int(v) for v in value])


def make_node(op, inputs, outputs, attributes, domain="", name=""):
    node = pb.NodeProto(op_type=op, domain=domain, name=name)
    node.input.extend(inputs)
    node.output.extend(outputs)
    node.attribute.extend(attribute(k, v) for k, v in attributes.items() if v is not None)
    return node


class Builder:
    """A graph that grows. Bodies of If, Loop and Scan are Builders with a parent."""

    def __init__(self, rng, schemas, opset, parent=None, style=None):
        self.rng, self.schemas, self.opset, self.parent = rng, schemas, opset, parent
        self.values, self.nodes, self.inputs, self.initializers = [], [], [], []
        self.root = parent.root if parent else self
        self.style = style or (parent.style if parent else {})
        if not parent:
            self.count, self.functions, self.domains = 0, [], {"": opset}

    # ---- names and chance -----------------------------------------------------------------------

    def name(self, stem="v"):
        self.root.count += 1
        if self.style.get("odd_names"):
            return f"{self.rng.choice(ODD_NAMES)}{self.root.count}"
        return f"{stem}{self.root.count}"

    def chance(self, p):
        return self.rng.random() < p

    def np_rng(self):
        return np.random.RandomState(self.rng.randrange(1 << 31))

    def dim(self, most=6):
        if self.style.get("empty") and self.chance(0.1):
            return 0
        return self.rng.choice([1, 1, 2, 2, 3, 3, 4, 5, most])

    def shape(self, rank=None, least=0, most=4):
        rank = self.rng.randint(least, most) if rank is None else rank
        while True:
            shape = tuple(self.dim() for _ in range(rank))
            if np.prod(shape, dtype=np.int64) <= MOST_ELEMENTS:
                return shape

    # ---- types ----------------------------------------------------------------------------------

    def has(self, op, domain=""):
        return self.schemas.version(op, self.opset, domain) is not None

    def need(self, op, domain=""):
        if not self.has(op, domain):
            raise Skip(op)
        return self.schemas.version(op, self.opset, domain)

    def types(self, op, index=0, domain="", among=None):
        self.need(op, domain)
        return [t for t in self.schemas.types(op, self.opset, index, domain)
                if t in WEIGHT and (among is None or t in among)]

    def some_type(self, types):
        types = list(types)
        if not types:
            raise Skip("no type")
        return self.rng.choices(types, [WEIGHT[t] for t in types])[0]

    # ---- values ---------------------------------------------------------------------------------

    def visible(self):
        scope, out = self, []
        while scope:
            out = scope.values + out
            scope = scope.parent
        return out

    def pick(self, types, rank=None, where=None, fresh=None, **data):
        """A value in scope, or a new one. `fresh`: the shape of a new one."""
        types = [types] if isinstance(types, str) else list(types)
        ok = [v for v in self.visible()
              if v.type in types and not v.hidden and (rank is None or v.rank == rank)
              and (where is None or where(v))]
        if ok and self.chance(0.85):
            weights = [WEIGHT[v.type] * (3 if i >= len(ok) - 4 else 1) for i, v in enumerate(ok)]
            return self.rng.choices(ok, weights)[0]
        for _ in range(20):
            shape = fresh if fresh is not None else self.shape(rank)
            probe = Value("", self.some_type(types), shape, -1, 1, 0)
            probe.lo, probe.hi = data.get("lo", -4), data.get("hi", 4)
            if where is None or where(probe):
                return self.fresh(probe.type, shape, **data)
        raise Skip("no value")

    def fresh(self, type, shape, const=None, **data):
        """A graph input or an initialiser with new elements."""
        if type == "bfloat16":
            return self.cast(self.fresh("float", shape, const, exact=True, **data), type)
        if const is None and self.chance(0.15):
            part = self.part(type, shape, **data)
            if part:
                return part
        array, lo, hi, frac = self.data(type, shape, **data)
        const = self.chance(0.5) if const is None else const
        return self.const(array, type, lo, hi, frac) if const else self.input(array, type, lo, hi, frac)

    def part(self, type, shape, lo=None, hi=None, exact=None, wide=False, of=None):
        """Elements of a value in scope, or of this one; None where there is none."""
        size = int(np.prod(shape, dtype=np.int64))
        ok = [v for v in (self.visible() if of is None else [of]) if v.type == type and not v.hidden and v.size >= size > 0
              and (lo is None or v.lo >= lo) and (hi is None or v.hi <= hi) and (v.exact or not exact)]
        if not ok or wide or type == "string" or not self.has("Slice") or self.opset < 10:
            return None
        x = self.rng.choice(ok[-4:])
        flat = self.op("Reshape", [x, self.ints([-1])], [(type, (x.size,), x.lo, x.hi, x.frac)])
        at = self.rng.choice([0, x.size - size, self.rng.randint(0, x.size - size)])
        cut = self.op("Slice", [flat, self.ints([at]), self.ints([at + size])], [(type, (size,), x.lo, x.hi, x.frac)])
        flat.hidden = cut.hidden = True
        return self.op("Reshape", [cut, self.ints(shape)], [(type, shape, x.lo, x.hi, x.frac)])

    def cast(self, x, type):
        frac = exact_bits(type, x.lo, x.hi, x.frac if x.frac is not None else 0)
        return self.op("Cast", [x], [(type, x.shape, x.lo, x.hi, frac if x.exact else None)],
                       to=NAMES.index(type))

    def data(self, type, shape, lo=None, hi=None, exact=None, wide=False):
        """Elements and their bounds."""
        rng = self.np_rng()
        if type == "bool":
            return rng.randint(0, 2, shape).astype(bool), 0, 1, 0
        if type == "string":
            words = np.array(["", "a", "b", "ab", "ba", "a b", "\u00e4", "x,y", "A"], dtype=object)
            return np.array(words[rng.randint(0, len(words), shape)], object).reshape(shape), 0, 0, 0
        if type in FLOATS:
            lo, hi = -4 if lo is None else lo, 4 if hi is None else hi
            if exact is None:
                exact = self.chance(0.75)
            if exact:
                bits = 1 if type == "float16" else 3
                step = 2.0 ** bits
                array = rng.randint(math.ceil(lo * step), math.floor(hi * step) + 1, shape) / step
                return np.asarray(array, NUMPY[type]), lo, hi, bits
            return np.asarray(rng.uniform(lo, hi, shape), NUMPY[type]), lo, hi, None
        info = np.iinfo(NUMPY[type])
        if wide:
            return self.wide_integers(rng, info, shape), info.min, info.max, 0
        lo = max(info.min, -9 if lo is None else math.ceil(lo))
        hi = min(info.max, 9 if hi is None else math.floor(hi))
        return rng.randint(lo, hi + 1, shape).astype(NUMPY[type]), lo, hi, 0

    def wide_integers(self, rng, info, shape):
        """Of the whole range; sometimes only its ends, where sums of products are largest."""
        ends = np.array([info.min, info.max], info.dtype)
        pattern = self.rng.choice(["any", "any", "any", "ends", "alternating", "lowest", "highest"])
        if pattern == "any":
            array = rng.randint(0, 256, tuple(shape) + (info.bits // 8,)).astype(np.uint8)
            return array.view(info.dtype).reshape(shape)
        if pattern == "ends":
            return ends[rng.randint(0, 2, shape)]
        if pattern == "alternating":
            return ends[np.arange(np.prod(shape, dtype=np.int64)) % 2].reshape(shape)
        return np.full(shape, info.min if pattern == "lowest" else info.max, info.dtype)

    def add(self, name, type, shape, lo, hi, frac):
        value = Value(name, type, shape, lo, hi, exact_bits(type, lo, hi, frac))
        if value.size > MOST_ELEMENTS or value.rank > 7:
            raise Skip("large")
        self.values.append(value)
        return value

    def input(self, array, type, lo=-9, hi=9, frac=0, hidden=False):
        root = self.root
        value = root.add(root.name("x"), type, array.shape, lo, hi, frac)
        value.given, value.hidden = np.asarray(array), hidden
        root.inputs.append(value)
        return value

    def const(self, array, type=None, lo=None, hi=None, frac=0, hidden=False):
        """An initialiser, or a Constant node, or an initialiser of an outer graph."""
        array = np.asarray(array)
        type = type or {v: k for k, v in NUMPY.items()}[array.dtype.type]
        if lo is None:
            number = array.size and type not in ("string",)
            lo, hi = (float(array.min()), float(array.max())) if number else (0, 0)
        if self.chance(0.3):
            value = self.add(self.name("c"), type, array.shape, lo, hi, frac)
            self.nodes.append(make_node("Constant", [], [value.name],
                                        {"value": tensor_proto("", type, array)}))
        else:
            home = self if self.chance(0.5) else self.root
            value = home.add(home.name("w"), type, array.shape, lo, hi, frac)
            home.initializers.append(tensor_proto(value.name, type, array))
        value.const, value.hidden = array, hidden
        return value

    def ints(self, values, type="int64"):
        """A list of numbers as a tensor that shapes or axes come from. Rarely known only at run
        time."""
        array = np.asarray(values, NUMPY[type])
        if self.style.get("open_ints") and not self.parent and self.chance(0.3):
            value = self.input(array, type, hidden=True)
            value.fixed = True
            return value
        return self.const(array, type, hidden=True)

    # ---- nodes ----------------------------------------------------------------------------------

    def op(self, op, inputs, outputs, domain="", **attributes):
        """A node. outputs: (type, shape, lo, hi, frac) or None for one that is left out."""
        self.need(op, domain) if domain != "local" else None
        for o in outputs:
            if o and not fits(o[0], o[2], o[3]):
                raise Skip("range")
            if o and (len(o[1]) > 7 or np.prod([max(int(d), 0) for d in o[1]], dtype=np.int64) > MOST_ELEMENTS):
                raise Skip("large")
        made = [self.add(self.name(), *o) if o else None for o in outputs]
        names = [v.name if v else "" for v in inputs]
        while names and not names[-1]:
            names.pop()
        node_name = self.name("n") if self.chance(0.5) else ""
        self.nodes.append(make_node(op, names, [v.name if v else "" for v in made], attributes, domain,
                                    node_name))
        if domain:
            self.root.domains[domain] = 1 if domain != "ai.onnx.ml" else 3
        return made[0] if len(made) == 1 else made

    def same(self, op, x, lo=None, hi=None, frac=None, type=None, shape=None, extra=(), domain="", **attributes):
        """A node whose result has the shape of its first input."""
        out = (type or x.type, x.shape if shape is None else shape, x.lo if lo is None else lo,
               x.hi if hi is None else hi, frac)
        return self.op(op, [x, *extra], [out], domain=domain, **attributes)

    def body(self):
        return Builder(self.rng, self.schemas, self.opset, self)

    def graph(self, name, inputs, outputs):
        """GraphProto of a body. inputs: (name, TypeProto); outputs: values."""
        graph = pb.GraphProto(name=name)
        graph.input.extend(value_info(n, t) for n, t in inputs)
        graph.node.extend(self.nodes)
        graph.initializer.extend(self.initializers)
        graph.output.extend(value_info(v.name, type_proto(v.type, self.declared(v))) for v in outputs)
        return graph

    def declared(self, value):
        """The dimensions that an output says it has."""
        mode = self.rng.choice(["full", "full", "names", "unknown", "rank"])
        if mode == "rank":
            return None
        if mode == "unknown":
            return [None] * value.rank
        if mode == "names":
            return [self.name("d") for _ in value.shape]
        return list(value.shape)
