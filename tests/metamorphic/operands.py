"""Models whose operands lie in one memory that a node computes, and whose results are copied: there a step may
work in place of what it reads."""
import copy

import numpy
from onnx import TensorProto, helper, numpy_helper

from graphs import rename_in, true_inputs

TYPES = {TensorProto.FLOAT: numpy.float32, TensorProto.DOUBLE: numpy.float64, TensorProto.INT32: numpy.int32}


def type_of(value):
    """A type of TYPES, if the value is a tensor of one and its rank is known."""
    tensor = value.type.tensor_type
    if value.type.HasField("tensor_type") and tensor.HasField("shape") and tensor.elem_type in TYPES:
        return tensor.elem_type
    return None


def dims(value):
    return [d.dim_value for d in value.type.tensor_type.shape.dim]


def size(value):
    return int(numpy.prod(dims(value), dtype=numpy.int64))


class Parts:
    """Nodes that make operands of parts of one tensor."""

    def __init__(self):
        self.nodes, self.tensors, self.extra = [], [], []

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], **attributes))

    def number(self, name, values):
        self.tensors.append(numpy_helper.from_array(numpy.array(values, numpy.int64), name))
        return name

    def computed(self, kind, values):
        """The values one after the other, times an input that is 1."""
        one = f"one/{kind}"
        self.extra.append(numpy_helper.from_array(numpy.array(1, TYPES[kind]), one))
        if not values:
            return
        for v in values:
            self.node("Reshape", [v.name, "all/"], v.name + "/flat")
        self.node("Concat", [v.name + "/flat" for v in values], f"joined/{kind}", axis=0)
        self.node("Mul", [f"joined/{kind}", one], f"parts/{kind}")

    def part(self, kind, value, at):
        begin = self.number(value.name + "/begin", [at])
        end = self.number(value.name + "/end", [at + size(value)])
        self.node("Slice", [f"parts/{kind}", begin, end], value.name + "/slice")
        self.node("Reshape", [value.name + "/slice", self.number(value.name + "/dims", dims(value))],
                  value.name + "/part")


def with_parts(model, overlap):
    graph = model.graph
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)
    made = {name for node in graph.node for name in node.output}
    inputs = [copy.deepcopy(v) for v in true_inputs(graph) if type_of(v) and all(d > 0 for d in dims(v))]
    outputs = [copy.deepcopy(v) for v in graph.output if type_of(v) and v.name in made]
    if opset < 10 or len(inputs) < 1 + overlap or not outputs:
        return False
    ports = copy.deepcopy(list(graph.input)), copy.deepcopy(list(graph.output))
    rename_in(graph, {v.name: v.name + "/part" for v in inputs} | {v.name: v.name + "/made" for v in outputs})
    del graph.input[:], graph.output[:]
    graph.input.extend(ports[0])
    graph.output.extend(ports[1])
    # Ranks that only declarations say stay known.
    graph.value_info.extend(outputs)
    for v in graph.value_info[-len(outputs):]:
        v.name += "/made"
    parts = Parts()
    parts.number("all/", [-1])
    for kind in sorted({type_of(v) for v in inputs + outputs}):
        values = [v for v in inputs if type_of(v) == kind]
        parts.computed(kind, sorted(values, key=size)[-1:] if overlap else values)
        at = 0
        for v in values:
            parts.part(kind, v, at)
            at += 0 if overlap else size(v)
        graph.input.append(helper.make_tensor_value_info(f"one/{kind}", kind, []))
    parts.nodes += graph.node
    for v in outputs:
        parts.node("Mul", [v.name + "/made", f"one/{type_of(v)}"], v.name)
    del graph.node[:]
    graph.node.extend(parts.nodes)
    graph.initializer.extend(parts.tensors)
    return parts.extra


def side_by_side(model):
    """Inputs of a type are parts of one tensor."""
    return with_parts(model, overlap=False)


def overlapping(model):
    """Inputs of a type all begin where the largest one does: other operands, in the same memory."""
    return with_parts(model, overlap=True)
