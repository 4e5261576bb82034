"""Random models side by side in one, whose kernels are compiled once for all of them."""
import os
import shutil

import oracle
from build import pb

MOST = 12  # models in one


def rename_graph(graph, new):
    for info in [*graph.input, *graph.output, *graph.value_info]:
        info.name = new(info.name)
        rename_type(info.type, new)
    for tensor in graph.initializer:
        tensor.name = new(tensor.name)
    for node in graph.node:
        node.name = new(node.name)
        node.input[:] = [new(n) for n in node.input]
        node.output[:] = [new(n) for n in node.output]
        if node.domain == "local":
            node.op_type = new(node.op_type)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                rename_graph(attribute.g, new)


def rename_type(type, new):
    if type.HasField("sequence_type"):
        return rename_type(type.sequence_type.elem_type, new)
    for dim in type.tensor_type.shape.dim:
        if dim.dim_param:
            dim.dim_param = new(dim.dim_param)


def read_model(folder):
    with open(os.path.join(folder, "model.onnx"), "rb") as file:
        return pb.ModelProto.FromString(file.read())


def kind(folder):
    """Models of one kind can be in one: the same operators and tolerances."""
    versions = {o.domain: o.version for o in read_model(folder).opset_import}
    with open(os.path.join(folder, "data.json")) as file:
        return versions[""], file.read()


def groups(folders):
    by_kind = {}
    for folder in folders:
        by_kind.setdefault(kind(folder), []).append(folder)
    for same in by_kind.values():
        for first in range(0, len(same), MOST):
            yield same[first:first + MOST]


def add_model(whole, part, new):
    rename_graph(part.graph, new)
    for function in part.functions:
        function.name = new(function.name)
    whole.ir_version = max(whole.ir_version, part.ir_version)
    known = {o.domain for o in whole.opset_import}
    whole.opset_import.extend(o for o in part.opset_import if o.domain not in known)
    whole.functions.extend(part.functions)
    for field in ("input", "output", "initializer", "node", "value_info"):
        getattr(whole.graph, field).extend(getattr(part.graph, field))


def add_data(folder, source, counts, new):
    for kind in counts:
        for path in oracle.numbered(source, kind):
            with open(path, "rb") as file:
                tensor = pb.TensorProto.FromString(file.read())
            tensor.name = new(tensor.name)
            with open(os.path.join(folder, "test_data_set_0", f"{kind}_{counts[kind]}.pb"), "wb") as out:
                out.write(tensor.SerializeToString())
            counts[kind] += 1


def merge(folders, out):
    """A folder with all of them in one model. The first keeps its names."""
    os.makedirs(os.path.join(out, "test_data_set_0"))
    whole, counts = pb.ModelProto(producer_name="random"), {"input": 0, "output": 0}
    whole.graph.name = "g"
    for number, folder in enumerate(folders):
        new = lambda name: f"m{number}_{name}" if name and number else name
        add_model(whole, read_model(folder), new)
        add_data(out, folder, counts, new)
    with open(os.path.join(out, "model.onnx"), "wb") as file:
        file.write(whole.SerializeToString())
    shutil.copy(os.path.join(folders[0], "data.json"), out)


def merge_all(folders, out):
    """The merged folders, each with those that are in it."""
    shutil.rmtree(out, ignore_errors=True)
    merged = {}
    for number, same in enumerate(groups(folders)):
        if len(same) > 1:
            name = os.path.join(out, f"merged{number}_{os.path.basename(same[0])}")
            merge(same, name)
            merged[name] = same
        else:
            merged[same[0]] = same
    return merged
