"""Makes test cases in the layout of the ONNX backend tests, in memory and on disk."""
import json
import os
import shutil

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CASES = {}
f4, i8, i4 = np.float32, np.int64, np.int32
node = helper.make_node


def rng(seed=7):
    return np.random.RandomState(seed)


def data(*shape, seed=7, low=-2.0, high=2.0):
    return rng(seed).uniform(low, high, shape).astype(f4)


def ir_version(opset):
    for version, first in ((13, 25), (12, 24), (11, 23), (10, 21), (9, 19), (8, 15), (7, 12)):
        if opset >= first:
            return version
    return 6


def model_of(graph, opset, domain, functions=()):
    """Opset 13 beside another domain. The domains of functions are version 1."""
    imports = [helper.make_opsetid("", opset if not domain else 13)]
    if domain:
        imports.append(helper.make_opsetid(domain, opset))
    imports += [helper.make_opsetid(d, 1) for d in sorted({f.domain for f in functions})]
    model = helper.make_model(graph, opset_imports=imports, producer_name="", functions=functions)
    model.ir_version = ir_version(imports[0].version)
    return model.SerializeToString()


class Packed:
    """A tensor of 2- or 4-bit elements, given as their bits."""

    def __init__(self, elem, width, codes):
        self.elem, self.width, self.codes = elem, width, np.asarray(codes)
        self.shape = self.codes.shape

    def tensor(self, name):
        per_byte = 8 // self.width
        flat = [int(c) for c in self.codes.ravel()] + [0] * (-self.codes.size % per_byte)
        raw = bytes(sum(c << (self.width * i) for i, c in enumerate(flat[at:at + per_byte]))
                    for at in range(0, len(flat), per_byte))
        return TensorProto(name=name, data_type=self.elem, dims=self.shape, raw_data=raw)


class Map:
    """declared: the shape that the type gives the values."""

    def __init__(self, keys, values, declared=()):
        self.keys, self.values, self.declared = keys, values, declared

    def proto(self, name):
        proto = onnx.MapProto(name=name, key_type=elem_of(self.keys))
        if self.keys.dtype == object:
            proto.string_keys.extend(k.encode() for k in self.keys)
        else:
            proto.keys.extend(int(k) for k in self.keys)
        proto.values.name = name
        proto.values.elem_type = onnx.SequenceProto.TENSOR
        for v in self.values:
            proto.values.tensor_values.append(tensor_of(np.array(v, self.values.dtype), ""))
        return proto

    def type(self):
        type = onnx.TypeProto()
        type.map_type.key_type = elem_of(self.keys)
        type.map_type.value_type.tensor_type.elem_type = elem_of(self.values)
        type.map_type.value_type.tensor_type.shape.SetInParent()
        for extent in self.declared:
            type.map_type.value_type.tensor_type.shape.dim.add().dim_value = extent
        return type


class Sparse:
    """The elements of an array that are not zero, with their positions counted along all axes."""

    def __init__(self, array):
        self.array = array

    def proto(self, name):
        at = np.flatnonzero(self.array)
        return helper.make_sparse_tensor(tensor_of(self.array.ravel()[at], name),
                                         tensor_of(at.astype(i8), ""), self.array.shape)

    def type(self):
        return helper.make_sparse_tensor_type_proto(elem_of(self.array), self.array.shape)


class Sequence:
    """Of maps."""

    def __init__(self, maps):
        self.maps = maps

    def proto(self, name):
        proto = onnx.SequenceProto(name=name, elem_type=onnx.SequenceProto.MAP)
        proto.map_values.extend(m.proto("") for m in self.maps)
        return proto

    def type(self):
        type = onnx.TypeProto()
        type.sequence_type.elem_type.CopyFrom(self.maps[0].type())
        return type


def elem_of(array):
    dtype = np.dtype(array.dtype)
    return TensorProto.STRING if dtype == object else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[dtype]


def tensor_of(array, name):
    if isinstance(array, (Map, Sequence, Sparse)):
        return array.proto(name)
    if isinstance(array, Packed):
        return array.tensor(name)
    if array.dtype == object:
        strings = [s.encode() for s in array.ravel()]
        return helper.make_tensor(name, TensorProto.STRING, array.shape, strings)
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def info_of(array, name, shape=None):
    if isinstance(array, (Map, Sequence, Sparse)):
        return onnx.ValueInfoProto(name=name, type=array.type())
    elem = array.elem if isinstance(array, Packed) else elem_of(array)
    if shape == "any":
        return helper.make_tensor_value_info(name, elem, None)
    return helper.make_tensor_value_info(name, elem, array.shape if shape is None else shape)


def case(name, opset, nodes, inputs, outputs, init=None, domain="", tolerance=None, shapes=None,
         functions=()):
    """inputs, outputs: name -> array, or a list of arrays, one a data set.

    shapes: name -> shape that the model declares, where it is not that of the array; "any": none.
    """
    shapes = shapes or {}
    name = "own/" + name
    assert name not in CASES, name
    as_sets = lambda v: v if isinstance(v, list) else [v]
    ins = {k: as_sets(v) for k, v in inputs.items()}
    outs = {k: as_sets(v) for k, v in outputs.items()}
    graph = helper.make_graph(
        nodes if isinstance(nodes, list) else [nodes], name,
        [info_of(v[0], k, shapes.get(k)) for k, v in ins.items()],
        [info_of(v[0], k, shapes.get(k)) for k, v in outs.items()],
        initializer=[tensor_of(v, k) for k, v in (init or {}).items()])
    files = {"model.onnx": model_of(graph, opset, domain, functions)}
    sets = max(len(v) for v in list(ins.values()) + list(outs.values()))
    for s in range(sets):
        for role, values in (("input", ins), ("output", outs)):
            for i, (k, v) in enumerate(values.items()):
                path = "test_data_set_%d/%s_%d.pb" % (s, role, i)
                files[path] = tensor_of(v[min(s, len(v) - 1)], k).SerializeToString()
    if tolerance is not None:
        files["data.json"] = json.dumps({"rtol": 0.0, "atol": tolerance}).encode() + b"\n"
    CASES[name] = files


def refused(name, opset, nodes, inputs, message, domain=""):
    """A model that is wrong. Its output may be of any type."""
    graph = helper.make_graph([nodes], name, [info_of(v, k) for k, v in inputs.items()],
                              [info_of(np.zeros(1, f4), "y")])
    CASES["refused/" + name] = {
        "model.onnx": model_of(graph, opset, domain),
        "message.txt": message.encode() + b"\n",
    }


def write(folder):
    for group in ("own", "refused"):
        shutil.rmtree(os.path.join(folder, group), ignore_errors=True)
    for name, files in sorted(CASES.items()):
        for path, content in files.items():
            target = os.path.join(folder, name, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as f:
                f.write(content)


def check(folder):
    wanted = {os.path.join(name, path): content for name, files in CASES.items()
              for path, content in files.items()}
    bad = [path for path, content in wanted.items()
           if not os.path.exists(os.path.join(folder, path)) or
           open(os.path.join(folder, path), "rb").read() != content]
    for group in ("own", "refused"):
        for base, _, files in os.walk(os.path.join(folder, group)):
            found = (os.path.relpath(os.path.join(base, f), folder) for f in files)
            bad += [f for f in found if f not in wanted]
    for b in sorted(bad):
        print("differs: " + b)
    return bool(bad)
