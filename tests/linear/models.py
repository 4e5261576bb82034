"""Writes models of N nodes, or about as many, in forms that a compiler can be slow at: models.py N FOLDER [FORM...]

Each is FOLDER/FORM_N.onnx. Time and memory that onnxc needs for them must grow as N does.
"""
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper, save

F = TensorProto.FLOAT


def value(name, *dims, elem=F):
    return helper.make_tensor_value_info(name, elem, dims)


def weights(name, *dims):
    return numpy_helper.from_array(numpy.ones(dims, numpy.float32), name)


def model(nodes, inputs, outputs, initializers=(), functions=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, ir_version=8, opset_imports=opsets, functions=list(functions))


def chain(n, make):
    """n nodes, each of which reads the one before."""
    return [make(f"v{i}" if i else "x", f"v{i + 1}") for i in range(n)], f"v{n}"


def elementwise(n):
    kinds = ["Relu", "Neg", "Abs", "Sigmoid"]
    nodes, last = chain(n, lambda x, y: helper.make_node(kinds[len(y) % 4], [x], [y]))
    return model(nodes, [value("x", 8)], [value(last, 8)])


def matmul(n):
    nodes, last = chain(n, lambda x, y: helper.make_node("MatMul", [x, "w"], [y]))
    return model(nodes, [value("x", 4, 4)], [value(last, 4, 4)], [weights("w", 4, 4)])


def dense(n):
    """As matmul, with weights of its own for every layer."""
    nodes, last = chain(n // 3, lambda x, y: helper.make_node("MatMul", [x, "w" + y], ["m" + y]))
    nodes = [more for i, node in enumerate(nodes) for more in (
        node, helper.make_node("Add", [node.output[0], "b"], [f"a{i}"]),
        helper.make_node("Relu", [f"a{i}"], [f"v{i + 1}"]))]
    weight = [weights(f"wv{i + 1}", 2, 2) for i in range(n // 3)]
    return model(nodes, [value("x", 2, 2)], [value(last, 2, 2)], weight + [weights("b", 2)])


def fan_out(n):
    """One value with n readers, which are added up in a chain."""
    nodes = [helper.make_node("Relu", ["x"], ["r"])]
    nodes += [helper.make_node("MatMul", ["r", "w"], [f"m{i}"]) for i in range(n // 2)]
    total = "m0"
    for i in range(1, n // 2):
        nodes.append(helper.make_node("Add", [total, f"m{i}"], [f"s{i}"]))
        total = f"s{i}"
    return model(nodes, [value("x", 2, 2)], [value(total, 2, 2)], [weights("w", 2, 2)])


def wide(n, kind, **attributes):
    """One operator with n operands, each with a producer."""
    nodes = [helper.make_node("Mul", ["x", f"c{i}"], [f"m{i}"]) for i in range(n)]
    nodes.append(helper.make_node(kind, [node.output[0] for node in nodes], ["y"], **attributes))
    constants = [weights(f"c{i}", 1) for i in range(n)]
    return model(nodes, [value("x", 1)], [value("y", n if attributes else 1)], constants)


def functions(n):
    """n / 1000 calls of each of 100 functions with 10 nodes."""
    def function(k):
        nodes = [helper.make_node("Relu" if i % 2 else "Neg", [f"t{i}" if i else "a"],
                                  [f"t{i + 1}" if i < 9 else "b"]) for i in range(10)]
        return helper.make_function("own", f"F{k}", ["a"], ["b"], nodes, [helper.make_opsetid("", 17)])
    nodes, last = chain(n // 10, lambda x, y: helper.make_node(f"F{int(y[1:]) % 100}", [x], [y], domain="own"))
    return model(nodes, [value("x", 8)], [value(last, 8)], (), [function(k) for k in range(100)])


def ifs(n):
    """n / 100 conditionals, each with bodies 8 deep."""
    def body(depth, name):
        nodes = [helper.make_node("Relu" if i % 2 else "Neg", [f"{name}{i}" if i else "x"],
                                  [f"{name}{i + 1}"]) for i in range(5)]
        if depth == 0:
            return helper.make_graph(nodes, name, [], [value(f"{name}5", 4)])
        nodes.append(branch(depth - 1, name + "y", f"{name}6"))
        return helper.make_graph(nodes, name, [], [value(f"{name}6", 4)])

    def branch(depth, name, result):
        return helper.make_node("If", ["c"], [result], then_branch=body(depth, name + "t"),
                                else_branch=body(0, name + "e"))
    nodes = [branch(8, f"n{i}", f"r{i}") for i in range(n // 100)]
    nodes.append(helper.make_node("Sum", [f"r{i}" for i in range(n // 100)], ["y"]))
    return model(nodes, [value("x", 4), helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
                 [value("y", 4)])


def outputs(n):
    """Every value is an output."""
    nodes, _ = chain(n, lambda x, y: helper.make_node("MatMul", [x, "w"], [y]))
    return model(nodes, [value("x", 2, 2)], [value(node.output[0], 2, 2) for node in nodes],
                 [weights("w", 2, 2)])


def sizes(n):
    """n / 4 reshapes by sizes that the graph computes from its input's."""
    nodes = []
    last = "x"
    for i in range(n // 4):
        nodes += [helper.make_node("Shape", [last], [f"s{i}"]),
                  helper.make_node("Gather", [f"s{i}", "one"], [f"g{i}"]),
                  helper.make_node("Concat", [f"g{i}", "rest"], [f"c{i}"], axis=0),
                  helper.make_node("Reshape", [last, f"c{i}"], [f"v{i}"])]
        last = f"v{i}"
    ints = lambda name, *v: numpy_helper.from_array(numpy.array(v, numpy.int64), name)
    return model(nodes, [value("x", "N", "M")], [value(last, None, None)], [ints("one", 1), ints("rest", -1)])


def constants(n):
    """A chain of nodes that are computed while compiling."""
    nodes, last = chain(n, lambda x, y: helper.make_node("Neg", ["w" if x == "x" else x], [y]))
    nodes.append(helper.make_node("Add", ["x", last], ["y"]))
    return model(nodes, [value("x", 4)], [value("y", 4)], [weights("w", 4)])


def convolutions(n):
    kinds = ["Conv", "Relu", "Add"]
    nodes = []
    last = before = "x"
    for i in range(n):
        kind = kinds[i % 3]
        inputs = {"Conv": [last, "w"], "Relu": [last], "Add": [last, before]}[kind]
        nodes.append(helper.make_node(kind, inputs, [f"v{i}"]))
        if kind == "Add":
            before = f"v{i}"
        last = f"v{i}"
    return model(nodes, [value("x", 1, 4, 3, 3)], [value(last, 1, 4, 3, 3)], [weights("w", 4, 4, 1, 1)])


FORMS = {"elementwise": elementwise, "matmul": matmul, "dense": dense, "fan_out": fan_out,
         "concat": lambda n: wide(n, "Concat", axis=0), "sum": lambda n: wide(n, "Sum"),
         "functions": functions, "ifs": ifs, "outputs": outputs, "sizes": sizes,
         "constants": constants, "convolutions": convolutions}

if __name__ == "__main__":
    count, folder, names = int(sys.argv[1]), sys.argv[2], sys.argv[3:] or list(FORMS)
    for form in names:
        save(FORMS[form](count), f"{folder}/{form}_{count}.onnx")
