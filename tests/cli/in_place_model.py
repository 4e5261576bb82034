"""Writes a model that updates caches of fixed capacity: in_place_model.py FILE."""
import sys

from onnx import TensorProto, helper


def info(name, elem, *shape):
    return helper.make_tensor_value_info(name, elem, shape)


FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64
cache, fresh = (2, 3, 16, 8), (2, 3, 2, 8)
nodes = [
    helper.make_node("TensorScatter", ["past_k", "new_k", "start"], ["present_k"]),
    helper.make_node("TensorScatter", ["past_v", "new_v", "start"], ["present_v"]),
    helper.make_node("Attention", ["q", "present_k", "present_v", "", "", "", "length"], ["y"]),
    # Its input is read again behind it.
    helper.make_node("TensorScatter", ["late", "new_k", "start"], ["copied"]),
    helper.make_node("Add", ["late", "copied"], ["sum"]),
]
graph = helper.make_graph(
    nodes, "in_place",
    [info("q", FLOAT, *fresh), info("new_k", FLOAT, *fresh), info("new_v", FLOAT, *fresh),
     info("past_k", FLOAT, *cache), info("past_v", FLOAT, *cache), info("late", FLOAT, *cache),
     info("start", INT, 2), info("length", INT, 2)],
    [info("y", FLOAT, *fresh), info("present_k", FLOAT, *cache), info("present_v", FLOAT, *cache),
     info("copied", FLOAT, *cache), info("sum", FLOAT, *cache)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)])
model.ir_version = 10
with open(sys.argv[1], "wb") as file:
    file.write(model.SerializeToString())
