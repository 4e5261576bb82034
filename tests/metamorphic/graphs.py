"""Inputs and names of graphs."""
import onnx


def subgraphs(node):
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def rename_in(graph, names):
    """Gives every name that `names` knows its new one, in subgraphs as well."""
    new = lambda name: names.get(name, name)
    for value in [*graph.input, *graph.output, *graph.value_info, *graph.initializer]:
        value.name = new(value.name)
    for sparse in graph.sparse_initializer:
        sparse.values.name = new(sparse.values.name)
    for node in graph.node:
        node.input[:] = [new(name) for name in node.input]
        node.output[:] = [new(name) for name in node.output]
        if node.op_type == "Gradient":  # its attributes name values
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.STRING:
                    attribute.s = new(attribute.s.decode()).encode()
                attribute.strings[:] = [new(name.decode()).encode() for name in attribute.strings]
        for body in subgraphs(node):
            rename_in(body, names)


def initialisers(graph):
    return {t.name for t in graph.initializer} | {s.values.name for s in graph.sparse_initializer}


def true_inputs(graph):
    return [i for i in graph.input if i.name not in initialisers(graph)]
