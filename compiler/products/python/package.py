"""A model as a function of numpy arrays: run(...), inputs, outputs, ModelError. model.json says which."""
import atexit
import collections
import ctypes
import inspect
import json
import os
import threading

import numpy

from . import _build

_folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(_folder, "model.json"), encoding="utf-8") as _file:
    _spec = json.load(_file)

# How elements lie in memory; types that numpy does not have are unsigned integers of their bits.
_DTYPES = {"f32": "f4", "f64": "f8", "f16": "f2", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1",
           "u16": "u2", "u32": "u4", "u64": "u8", "bool": "?", "c64": "c8", "c128": "c16", "bf16": "u2", "i4": "i1",
           "i2": "i1"}
_OK, _TOO_SMALL = 0, 6


class ModelError(RuntimeError):
    """The model could not compute the outputs; `status` is the number in its C header."""

    def __init__(self, status, about=""):
        text = _function("status_text", ctypes.c_char_p)(status).decode()
        super().__init__(f"{_spec['name']}: {text}{about}")
        self.status = status


class Port:
    """An input or an output. `shape` holds numbers and the names of open sizes; it is None for what is not a
    tensor. `dtype` is that of the array; `type` is the model's. `labels` are those of a classifier's columns."""

    def __init__(self, spec):
        self.name, self.type = spec["name"], spec["text"]
        self.member, self.identifier = spec["member"], spec["identifier"]
        self.shape = None if spec["shape"] is None else tuple(spec["shape"])
        self.labels = spec["labels"]
        self._type = spec["type"]
        self.element = self._type.get("element") if self._type["kind"] == "tensor" else None
        self.dtype = None if self.shape is None else _dtype(self.element)
        self.is_text = self.shape is not None and self.element == "str"
        self.is_open = self.shape is not None and any(isinstance(d, str) for d in self.shape)

    def __repr__(self):
        return f"{self.identifier}: {self.type}"


def _dtype(element):
    return numpy.dtype(object if element == "str" else _DTYPES.get(element, "u1"))


class _String(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_int64)]


class _Value(ctypes.Structure):
    pass


_Value._fields_ = [("kind", ctypes.c_int32), ("data", ctypes.c_void_p), ("dims", ctypes.POINTER(ctypes.c_int64)),
                   ("rank", ctypes.c_int64), ("items", ctypes.POINTER(_Value)), ("count", ctypes.c_int64)]


class _BadSize(ctypes.Structure):
    _fields_ = [("port", ctypes.c_char_p), ("axis", ctypes.c_int32), ("size", ctypes.c_int64),
                ("wanted", ctypes.c_int64)]

    def __str__(self):
        if not self.port:
            return ""
        wanted = f", not {self.wanted}" if self.wanted >= 0 else ""
        return f": axis {self.axis} of {self.port.decode()} has the size {self.size}{wanted}"


class _Info(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("model_sha256", ctypes.c_char_p), ("onnxc_version", ctypes.c_char_p),
                ("inputs", ctypes.c_void_p), ("outputs", ctypes.c_void_p), ("input_count", ctypes.c_uint32),
                ("output_count", ctypes.c_uint32), ("arena_bytes", ctypes.c_size_t), ("arena_align", ctypes.c_size_t),
                ("weights_bytes", ctypes.c_size_t), ("api_version", ctypes.c_uint32)]


inputs = tuple(Port(p) for p in _spec["inputs"])
outputs = tuple(Port(p) for p in _spec["outputs"])


# ---- the structures of the C interface -----------------------------------------------------------------------


def _fields(members):
    types = {"pointer": ctypes.c_void_p, "size": ctypes.c_size_t, "unused": ctypes.c_char}
    return [(name, ctypes.c_int64 * count if kind == "extents" else types[kind]) for name, kind, count in members]


class _Inputs(ctypes.Structure):
    _fields_ = _fields(_spec["input_members"])


class _Outputs(ctypes.Structure):
    _fields_ = _fields(_spec["output_members"])


# ---- the library -------------------------------------------------------------------------------------------


_library = ctypes.CDLL(_build.library(_folder, _spec))


def _function(name, result=ctypes.c_int):
    function = getattr(_library, _spec["prefix"] + "_" + name)
    function.restype = result
    return function


def _aligned(size, alignment):
    memory = numpy.empty(size + alignment, numpy.uint8)
    start = -memory.ctypes.data % alignment
    return memory[start:start + size]


_run = _function("run")
_info = _function("info", ctypes.POINTER(_Info))().contents
_weights = None
if _spec["weights"]:
    _weights = numpy.memmap(os.path.join(_folder, "src", _spec["weights"]), numpy.uint8, "r")


class _Threads:
    """The threads that runs share; a child process starts its own."""

    def __init__(self):
        self.pool = None
        if not _spec["threads"]:
            return
        self.start()
        atexit.register(self.stop)
        os.register_at_fork(after_in_child=self.start)

    def start(self):
        self.memory = _aligned(_spec["constants"]["POOL_BYTES"], _info.arena_align)
        begin = _function("pool_start", ctypes.c_void_p)
        self.pool = begin(ctypes.c_void_p(self.memory.ctypes.data), ctypes.c_size_t(_spec["threads"]))

    def stop(self):
        if self.pool:
            _function("pool_stop", None)(ctypes.c_void_p(self.pool))
        self.pool = None


_threads = _Threads()
_local = threading.local()


def _arena():
    if not hasattr(_local, "arena"):
        _local.arena = _aligned(max(_info.arena_bytes, 1), _info.arena_align)
    return _local.arena.ctypes.data


# ---- from Python to C --------------------------------------------------------------------------------------


def _bind(arguments, named):
    if len(arguments) > len(inputs):
        raise TypeError(f"run() takes {len(inputs)} inputs, {len(arguments)} were given")
    values = dict(zip((port.identifier for port in inputs), arguments))
    names = {port.name: port.identifier for port in inputs}
    for name, value in named.items():
        identifier = names.get(name, name)
        if identifier in values:
            raise TypeError(f"run() got input {name!r} twice")
        values[identifier] = value
    unknown = set(values) - {port.identifier for port in inputs}
    if unknown:
        raise TypeError(f"run() has no input {sorted(unknown)[0]!r}; there are {list(inputs)}")
    for port in inputs:
        if port.identifier not in values:
            raise TypeError(f"run() misses input {port.identifier!r}")
    return [values[port.identifier] for port in inputs]


def _array(value, element, what):
    given = numpy.asarray(value)
    dtype = _dtype(element)
    if element == "str":
        return numpy.ascontiguousarray(given.astype(object)).reshape(given.shape)
    if isinstance(value, numpy.ndarray) and not numpy.can_cast(given.dtype, dtype, "same_kind"):
        raise TypeError(f"{what} is {given.dtype}, not {dtype}")
    return numpy.ascontiguousarray(given, dtype).reshape(given.shape)


def _check_shape(array, port):
    fits = len(array.shape) == len(port.shape) and all(
        isinstance(want, str) or got == want for got, want in zip(array.shape, port.shape))
    if not fits:
        raise ValueError(f"input {port.identifier!r} has shape {array.shape}, not {port.shape}")


def _strings(array, keep):
    texts = [t if isinstance(t, bytes) else str(t).encode() for t in array.reshape(-1)]
    table = (_String * max(len(texts), 1))()
    for entry, text in zip(table, texts):
        entry.data, entry.size = ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p), len(text)
    keep += [texts, table]
    return ctypes.addressof(table)


def _elements(array, element, keep):
    """The address of an array's elements; what `keep` holds has to outlive its use."""
    if element == "str":
        return _strings(array, keep)
    keep.append(array)
    return array.ctypes.data


def _to_value(value, kind, what, keep):
    result = _Value()
    if value is None:
        return result
    if kind["kind"] == "optional":
        return _to_value(value, kind["element"], what, keep)
    if kind["kind"] == "map":
        keys = _array(list(value.keys()), kind["key"], what)
        scores = _array(list(value.values()), kind["element"].get("element", "f32"), what)
        members = [_tensor_value(keys, kind["key"], keep), _tensor_value(scores, kind["element"]["element"], keep)]
    elif kind["kind"] == "sequence":
        members = [_to_value(member, kind["element"], what, keep) for member in value]
    else:
        return _tensor_value(_array(value, kind["element"], what), kind["element"], keep)
    result.kind = 3 if kind["kind"] == "map" else 2
    result.items = (_Value * max(len(members), 1))(*members)
    result.count = len(members)
    keep.append(result.items)
    return result


def _tensor_value(array, element, keep):
    dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    keep.append(dims)
    return _Value(1, _elements(array, element, keep), dims, array.ndim, None, array.size)


def _make_inputs(values, keep):
    """The C structure, and the values of open dimensions by name."""
    structure, sizes = _Inputs(), {}
    for port, value in zip(inputs, values):
        what = f"input {port.identifier!r}"
        if port.shape is None:
            entry = _to_value(value, port._type, what, keep)
            keep.append(entry)
            setattr(structure, port.member, ctypes.addressof(entry))
            continue
        array = _array(value, port.element, what)
        _check_shape(array, port)
        setattr(structure, port.member, _elements(array, port.element, keep))
        if port.is_open:
            setattr(structure, port.member + "_dims", (ctypes.c_int64 * array.ndim)(*array.shape))
            sizes.update((d, n) for d, n in zip(port.shape, array.shape) if isinstance(d, str))
    if _weights is not None:
        structure.weights_ = _weights.ctypes.data
    if _threads.pool:
        structure.pool_ = _threads.pool
    return structure, sizes


# ---- from C to Python --------------------------------------------------------------------------------------


def _text(entry):
    raw = ctypes.string_at(entry.data, entry.size) if entry.size else b""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _read(data, element, shape):
    """A copy of the elements at an address."""
    count = int(numpy.prod(shape, dtype=numpy.int64))
    if element == "str":
        table = ctypes.cast(data, ctypes.POINTER(_String))
        array = numpy.empty(count, object)
        array[:] = [_text(table[i]) for i in range(count)]
        return array.reshape(shape)
    array = numpy.empty(shape, _dtype(element))
    if count:
        ctypes.memmove(array.ctypes.data, data, array.nbytes)
    return array


def _from_value(value, kind):
    if value.kind == 0:
        return None
    if kind["kind"] == "optional":
        return _from_value(value, kind["element"])
    if value.kind == 2:
        return [_from_value(value.items[i], kind["element"]) for i in range(value.count)]
    if value.kind == 3:
        keys, scores = (_from_value(value.items[i], {"kind": "tensor", "element": e})
                        for i, e in ((0, kind["key"]), (1, kind["element"]["element"])))
        return dict(zip(keys.tolist(), scores.tolist()))
    return _read(value.data, kind["element"], tuple(value.dims[i] for i in range(value.rank)))


_known = {}  # capacities that were enough before, by member


class _Result:
    """The memory of one output, which grows when the call reports that it is too small."""

    def __init__(self, port, sizes):
        self.port, self.member = port, port.member
        self.text = ctypes.c_size_t()
        self.text_capacity = _known.get(port.member + "_text", 0)
        if port.shape is None:
            self.value, self.size = _Value(), ctypes.c_size_t()
            self.capacity = _known.get(port.member, 0)
            return
        self.dims = (ctypes.c_int64 * max(len(port.shape), 1))()
        shape = [sizes.get(d) if isinstance(d, str) else d for d in port.shape]
        self.capacity = _known.get(port.member, 0) if None in shape else int(numpy.prod(shape, dtype=numpy.int64))

    def place(self, structure):
        """Takes memory, and says where it is."""
        member, port = self.member, self.port
        if port.shape is None:
            self.memory = numpy.empty(max(self.capacity, 1), numpy.uint8)
            setattr(structure, member, ctypes.addressof(self.value))
            setattr(structure, member + "_memory", self.memory.ctypes.data)
            setattr(structure, member + "_capacity", self.capacity)
            setattr(structure, member + "_size", ctypes.addressof(self.size))
            return
        bytes_of = ctypes.sizeof(_String) if port.is_text else port.dtype.itemsize
        self.memory = numpy.empty(max(self.capacity * bytes_of, 1), numpy.uint8)
        setattr(structure, member, self.memory.ctypes.data)
        if port.is_text and _spec["heap"]:
            self.text_memory = numpy.empty(max(self.text_capacity, 1), numpy.uint8)
            setattr(structure, member + "_text", self.text_memory.ctypes.data)
            setattr(structure, member + "_text_capacity", self.text_capacity)
            setattr(structure, member + "_text_size", ctypes.addressof(self.text))
        if port.is_open:
            setattr(structure, member + "_capacity", self.capacity)
            setattr(structure, member + "_dims", ctypes.addressof(self.dims))

    def grow(self):
        """Whether more memory is needed than there was."""
        if self.port.shape is None:
            needed = self.size.value
        else:
            needed = int(numpy.prod(list(self.dims), dtype=numpy.int64)) if self.port.is_open else 0
        more = needed > self.capacity or self.text.value > self.text_capacity
        self.capacity = _known[self.member] = max(self.capacity, needed)
        self.text_capacity = _known[self.member + "_text"] = max(self.text_capacity, self.text.value)
        return more

    def array(self):
        if self.port.shape is None:
            return _from_value(self.value, self.port._type)
        shape = tuple(self.dims)[:len(self.port.shape)] if self.port.is_open else self.port.shape
        return _read(self.memory.ctypes.data, self.port.element, shape)


_Results = collections.namedtuple("Outputs", [port.identifier for port in outputs], rename=True)


def run(*arguments, **named):
    """Computes the outputs. Inputs are given in order or by name, as arrays or what numpy makes arrays of. One
    output comes back as it is, several as a named tuple. Raises ModelError, TypeError, ValueError."""
    keep = []
    given, sizes = _make_inputs(_bind(arguments, named), keep)
    bad_size = _BadSize()
    if hasattr(given, "bad_size_"):
        given.bad_size_ = ctypes.addressof(bad_size)
    results = [_Result(port, sizes) for port in outputs]
    taken = _Outputs()
    while True:
        for result in results:
            result.place(taken)
        status = _run(ctypes.byref(given), ctypes.byref(taken), ctypes.c_void_p(_arena()))
        if status != _TOO_SMALL or not any([result.grow() for result in results]):
            break
    if status != _OK:
        raise ModelError(status, bad_size)
    arrays = [result.array() for result in results]
    return arrays[0] if len(arrays) == 1 else _Results(*arrays)


run.__signature__ = inspect.Signature(
    [inspect.Parameter(port.identifier, inspect.Parameter.POSITIONAL_OR_KEYWORD) for port in inputs])
