#!/usr/bin/env python3
"""Writes variants of ONNX test cases that mean the same: their recorded results must not change.

usage: variants.py CASES OUT [--every N] [--sample K] [--same-cases] [--only VARIANT,...]
    Of every N cases one; K says which, for each variant another, unless --same-cases is given.

A variant is a change of form: other names, another order of nodes, symbolic sizes, the graph inside a
function, an If, a Loop, and so on. OUT/<variant>/<case>, with `__` for each `/` of its path, gets a
model.onnx and links to the data.
"""

import argparse
import copy
import fnmatch
import os
import random

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import convert_model_to_external_data

from graphs import initialisers, rename_in, subgraphs, true_inputs
from operands import overlapping, side_by_side

# Types that every release of the onnx package reads and writes alike.
PLAIN_TYPES = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.INT64, TensorProto.INT32,
               TensorProto.INT8, TensorProto.UINT8, TensorProto.BOOL, TensorProto.FLOAT16}
ODD_NAMES = ["int", "x y", "x.y", "x/y", "X", "x", "größe", "for", "_", "a-b", "0", "in", "s", "heap"]


def all_names(graph):
    for value in [*graph.input, *graph.output, *graph.initializer]:
        yield value.name
    for node in graph.node:
        yield from node.input
        yield from node.output
        for body in subgraphs(node):
            yield from all_names(body)


def renamed(model):
    """Names with blanks, dots, keywords, other scripts, differing only by case."""
    names = {}
    for name in sorted(set(all_names(model.graph)) - {""}):
        stem = ODD_NAMES[len(names) % len(ODD_NAMES)]
        names[name] = stem if len(names) < len(ODD_NAMES) else f"{stem}{len(names)}"
    rename_in(model.graph, names)
    for i, node in enumerate(model.graph.node):
        node.name = ODD_NAMES[i % len(ODD_NAMES)]


def reordered(model):
    """The nodes in another topological order, as late as their results allow."""
    graph, chooser = model.graph, random.Random(1)
    made_by = {name: i for i, node in enumerate(graph.node) for name in node.output if name}
    needs = []
    for node in graph.node:
        wanted = set(node.input)
        for body in subgraphs(node):
            wanted |= set(all_names(body))
        needs.append({made_by[name] for name in wanted if name in made_by} - {len(needs)})
    done, order = set(), []
    while len(order) < len(graph.node):
        ready = [i for i in range(len(graph.node)) if i not in done and needs[i] <= done]
        if not ready:  # a name inside of a body is also that of a later result
            return False
        order.append(chooser.choice(ready))
        done.add(order[-1])
    nodes = [copy.deepcopy(graph.node[i]) for i in order]
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]


def sizes_decide(graph):
    """Whether sizes decide an If: without them a branch that cannot be taken is part of the model, and may be wrong."""
    of_sizes = set()
    for node in graph.node:
        if node.op_type == "If" and node.input[0] in of_sizes:
            return True
        if node.op_type in ("Shape", "Size") or of_sizes & set(node.input):
            of_sizes |= set(node.output)
    return False


def symbolic(model):
    """No size is known at compile time; only ranks are."""
    if sizes_decide(model.graph):
        return False
    count = 0
    for value in [*true_inputs(model.graph), *model.graph.output]:
        if not value.type.HasField("tensor_type"):
            continue
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
            dim.dim_param = f"size{count}"
            count += 1
    del model.graph.value_info[:]
    return count > 0


def one_symbolic(model):
    """One size of one input is not known at compile time."""
    dims = [d for value in true_inputs(model.graph) for d in value.type.tensor_type.shape.dim]
    if not dims or sizes_decide(model.graph):
        return False
    dim = random.Random(len(dims)).choice(dims)
    dim.Clear()
    dim.dim_param = "size"
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            dim.Clear()
    del model.graph.value_info[:]


def bare(model):
    """No inner shapes, no shapes of outputs."""
    del model.graph.value_info[:]
    for value in model.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")


def constants(model):
    """Initialisers as Constant nodes."""
    graph = model.graph
    if not graph.initializer:
        return False
    nodes = [helper.make_node("Constant", [], [t.name], value=t) for t in graph.initializer]
    names = {t.name for t in graph.initializer}
    inputs = [i for i in graph.input if i.name not in names]
    nodes += list(graph.node)
    for field in (graph.initializer, graph.node, graph.input):
        del field[:]
    graph.node.extend(nodes)
    graph.input.extend(inputs)


def defaults(model):
    """Initialisers, and Constant nodes, as the default values of further inputs."""
    graph = model.graph
    constants = [n for n in graph.node if n.op_type == "Constant" and n.attribute[0].name == "value"]
    for node in constants:
        tensor = graph.initializer.add()
        tensor.CopyFrom(node.attribute[0].t)
        tensor.name = node.output[0]
        graph.node.remove(node)
    known = {i.name for i in graph.input} | {o.name for o in graph.output}
    further = [t for t in graph.initializer if t.name not in known]
    if not further:
        return False
    model.ir_version = max(model.ir_version, 4)
    for t in further:
        graph.input.append(helper.make_tensor_value_info(t.name, t.data_type, t.dims))


def external(model):
    """The contents of tensors in a file of their own."""
    tensors = list(model.graph.initializer)
    for node in model.graph.node:
        tensors += [a.t for a in node.attribute if a.type == onnx.AttributeProto.TENSOR]
    plain = [t for t in tensors if t.data_type in PLAIN_TYPES]
    if not plain:
        return False
    for t in plain:
        name = t.name
        t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t)))
        t.name = name
    convert_model_to_external_data(model, location="weights.bin", size_threshold=0,
                                   convert_attribute=True)


def typed(model):
    """Raw initialisers as typed ones and the other way round."""
    for t in model.graph.initializer:
        if t.data_type not in (TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32):
            continue
        array, name, raw = numpy_helper.to_array(t), t.name, t.HasField("raw_data")
        t.CopyFrom(helper.make_tensor(name, t.data_type, array.shape,
                                      array.flatten() if raw else array.tobytes(), raw=not raw))
    return bool(model.graph.initializer)


def identities(model):
    """A chain of Identity after every input and before every output, and nodes without readers."""
    graph = model.graph
    before, after, names = [], [], {}
    for value in true_inputs(graph):
        names[value.name] = value.name + "/in"
    for value in graph.output:
        names.setdefault(value.name, value.name + "/out")
    inputs, outputs = copy.deepcopy(list(graph.input)), copy.deepcopy(list(graph.output))
    rename_in(graph, names)
    for value in inputs:
        if value.name in names:
            before.append(helper.make_node("Identity", [value.name], [value.name + "/1"]))
            before.append(helper.make_node("Identity", [value.name + "/1"], [names[value.name]]))
            before.append(helper.make_node("Identity", [value.name], [value.name + "/dead"]))
    for value in outputs:
        if names[value.name].endswith("/out"):
            after.append(helper.make_node("Identity", [names[value.name]], [value.name]))
    nodes = before + list(graph.node) + after
    for field, content in ((graph.input, inputs), (graph.output, outputs), (graph.node, nodes)):
        del field[:]
        field.extend(content)
    del graph.value_info[:]
    containers = any(not v.type.HasField("tensor_type") for v in inputs + outputs)
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)
    return opset >= (16 if containers else 1)


def in_function(model):
    """The whole graph as a function that the model calls, and that through another one."""
    graph = model.graph
    if model.functions or graph.initializer or graph.sparse_initializer or model.ir_version < 8:
        if not graph.initializer or graph.sparse_initializer or model.functions:
            return False
        if constants(model) is False:
            return False
    if not made_inside(graph):
        return False
    model.ir_version = max(model.ir_version, 8)
    inputs = [i.name for i in graph.input]
    outputs = [o.name for o in graph.output]
    inner = helper.make_function("local", "Inner", inputs, outputs, list(graph.node),
                                 list(model.opset_import))
    imports = list(model.opset_import) + [helper.make_opsetid("local", 1)]
    outer = helper.make_function("local", "Outer", inputs, outputs,
                                 [helper.make_node("Inner", inputs, outputs, domain="local")], imports)
    model.functions.extend([inner, outer])
    del model.opset_import[:]
    model.opset_import.extend(imports)
    del graph.node[:]
    graph.node.append(helper.make_node("Outer", inputs, outputs, domain="local"))
    del graph.value_info[:]


def body_of(graph, name, inputs):
    """The graph as a subgraph whose outputs have names of their own."""
    body = onnx.GraphProto()
    body.name = name
    body.node.extend(copy.deepcopy(list(graph.node)))
    body.initializer.extend(graph.initializer)
    body.sparse_initializer.extend(graph.sparse_initializer)
    body.output.extend(copy.deepcopy(list(graph.output)))
    body.input.extend(inputs)
    made = {n for node in graph.node for n in node.output if n} | initialisers(graph)
    rename_in(body, {n: f"{name}/{n}" for n in made})
    return body


def replace_nodes(graph, nodes, initializers=()):
    inputs = true_inputs(graph)
    for field in (graph.node, graph.initializer, graph.sparse_initializer, graph.value_info, graph.input):
        del field[:]
    graph.input.extend(inputs)
    graph.node.extend(nodes)
    graph.initializer.extend(initializers)


def made_inside(graph):
    made = {n for node in graph.node for n in node.output}
    return all(o.name in made for o in graph.output)


def in_if(model):
    """The graph in both branches of an If whose condition is known only at run time."""
    graph = model.graph
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)
    containers = any(not v.type.HasField("tensor_type") for v in [*graph.input, *graph.output])
    sparse = any(v.type.HasField("sparse_tensor_type") for v in [*graph.input, *graph.output])
    if opset < (16 if containers else 11) or sparse or not made_inside(graph):
        return False
    condition = helper.make_tensor_value_info("condition/", TensorProto.BOOL, [])
    branches = [body_of(graph, name, []) for name in ("then", "else")]
    node = helper.make_node("If", ["condition/"], [o.name for o in graph.output],
                            then_branch=branches[0], else_branch=branches[1])
    replace_nodes(graph, [node])
    graph.input.append(condition)
    return [numpy_helper.from_array(numpy.array(True), "condition/")]


def in_loop(model):
    """The graph as the only iteration of a Loop; its results are scan outputs, squeezed again."""
    graph = model.graph
    opset = next((o.version for o in model.opset_import if o.domain in ("", "ai.onnx")), 0)
    # Of these ranks and types a Squeeze takes the axis of the trips away: before bfloat16; to int4, float4, float8e8m0, int2.
    newest = next((types for since, types in ((25, 26), (24, 24), (23, 23), (21, 22)) if opset >= since), 15)
    tensors = all(v.type.HasField("tensor_type") and v.type.tensor_type.HasField("shape") and
                  v.type.tensor_type.elem_type <= newest for v in graph.output)
    if opset < 13 or not tensors or not made_inside(graph):
        return False
    body = body_of(graph, "body", [
        helper.make_tensor_value_info("iteration/", TensorProto.INT64, []),
        helper.make_tensor_value_info("go/", TensorProto.BOOL, [])])
    outputs = list(body.output)
    body.node.append(helper.make_node("Identity", ["go/"], ["go/on"]))
    del body.output[:]
    body.output.extend([helper.make_tensor_value_info("go/on", TensorProto.BOOL, [])] + outputs)
    names = [o.name for o in graph.output]
    nodes = [helper.make_node("Loop", ["trips/", ""], [n + "/scan" for n in names], body=body)]
    nodes += [helper.make_node("Squeeze", [n + "/scan", "axis/"], [n]) for n in names]
    replace_nodes(graph, nodes, [numpy_helper.from_array(numpy.array(1), "trips/"),
                                 numpy_helper.from_array(numpy.array([0]), "axis/")])


def in_loop_in_if(model):
    """Nested: the Loop of in_loop in both branches of an If."""
    return False if in_loop(model) is False else in_if(model)


def symbolic_in_loop(model):
    """Nested, and no size is known."""
    if sizes_decide(model.graph) or in_loop(model) is False:
        return False
    return None if symbolic(model) else False


def in_if_in_function(model):
    """An If inside of a function inside of another one."""
    extra = in_if(model)
    return False if extra is False or in_function(model) is False else extra


VARIANTS = [renamed, reordered, symbolic, bare, constants, defaults, external, typed, identities, in_function, in_if, in_loop,
            one_symbolic, in_loop_in_if, symbolic_in_loop, in_if_in_function, side_by_side]
# These change what the results are.
OTHERS = [overlapping]


def is_fit(model, case):
    """Whether a variant means the same: where the data replaces no default value, of which some variants make
    constants, and without fields that this release of the onnx package does not know, in which names would stay."""
    known = copy.deepcopy(model)
    known.DiscardUnknownFields()
    given = [len(fnmatch.filter(files, "input_*.pb")) for _, _, files in os.walk(case)]
    return known.ByteSize() == model.ByteSize() and max(given) <= len(true_inputs(model.graph))


def write_case(model, extra, source, target):
    os.makedirs(target)
    onnx.save(model, os.path.join(target, "model.onnx"))
    for name in sorted(os.listdir(source)):
        full = os.path.realpath(os.path.join(source, name))
        if not name.startswith("test_data_set"):
            if name == "data.json":
                os.symlink(full, os.path.join(target, name))
            continue
        if not extra:
            os.symlink(full, os.path.join(target, name))
            continue
        os.makedirs(os.path.join(target, name))
        for file in os.listdir(full):
            os.symlink(os.path.join(full, file), os.path.join(target, name, file))
        first = sum(1 for file in os.listdir(full) if file.startswith("input_"))
        for i, tensor in enumerate(extra):
            with open(os.path.join(target, name, f"input_{first + i}.pb"), "wb") as out:
                out.write(tensor.SerializeToString())


def cases(folder):
    for root, folders, files in sorted(os.walk(folder, followlinks=True)):
        folders.sort()
        if "model.onnx" in files and any(f.startswith("test_data_set") for f in folders):
            yield root


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases")
    parser.add_argument("out")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--same-cases", action="store_true")
    parser.add_argument("--only", default=",".join(v.__name__ for v in VARIANTS))
    options = parser.parse_args()
    wanted = options.only.split(",")
    variants = VARIANTS + [v for v in OTHERS if v.__name__ in wanted]
    for number, case in enumerate(cases(options.cases)):
        # Another sample for every variant, so that together they see more cases.
        step = 0 if options.same_cases else 7
        for k, variant in enumerate(variants):
            if variant.__name__ not in wanted or (number + step * k + options.sample) % options.every:
                continue
            model = onnx.load(os.path.join(case, "model.onnx"))
            result = is_fit(model, case) and variant(model)
            if result is not False:
                extra = result if isinstance(result, list) else []
                name = os.path.relpath(case, options.cases).replace("/", "__")
                target = os.path.join(options.out, variant.__name__, name)
                write_case(model, extra, case, target)


if __name__ == "__main__":
    main()
