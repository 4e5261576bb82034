#!/usr/bin/env python3
"""Divides test cases whose inputs have open sizes into groups that one list of `--dim` options suits.

usage: sizes.py CASES OUT [--every N]

Each open size of an input becomes fixed, to the recorded value, and bounded, from 1 (or the recorded value,
if that is less) to twice the recorded one. Sizes are called s0, s1, ... in the order of the inputs, so that models
share options. OUT/fixed/<group>/<case> and OUT/bounded/<group>/<case> hold a model.onnx and links to the
data; OUT/<form>/<group>/options holds the options.
"""

import argparse
import os

import onnx
from onnx import TensorProto

from graphs import true_inputs
from variants import cases


def set_names(message, names):
    """Gives each dim_param of the model, wherever it occurs, its new name."""
    for field, value in message.ListFields():
        if field.name in ("dim_param", "symbolic_dim"):
            setattr(message, field.name, names.get(value, value))
        elif field.type == field.TYPE_MESSAGE:
            for part in value if field.label == field.LABEL_REPEATED else [value]:
                set_names(part, names)


def open_dims(model):
    """Of each input that is a tensor of known rank: (position, axis, dim), where the size is open."""
    for position, value in enumerate(true_inputs(model.graph)):
        if value.type.HasField("tensor_type") and value.type.tensor_type.HasField("shape"):
            for axis, dim in enumerate(value.type.tensor_type.shape.dim):
                if not dim.HasField("dim_value"):
                    yield position, axis, dim


def dims_of_data(folder):
    """The dims of each input of a data set; none of what is not a tensor."""
    found = {}
    for name in os.listdir(folder):
        if name.startswith("input_") and name.endswith(".pb"):
            tensor = TensorProto()
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    tensor.ParseFromString(file.read())
            except Exception:  # the file is a sequence or a map
                continue
            found[int(name[len("input_"):-len(".pb")])] = list(tensor.dims)
    return found


def data_sets(case):
    return sorted(n for n in os.listdir(case) if n.startswith("test_data_set"))


def recorded(model, case):
    """Names the open sizes s0, s1, ...; returns what each data set has for them."""
    names, places = {}, []
    dims = list(open_dims(model))
    for position, axis, dim in dims:
        if not dim.dim_param:
            dim.dim_param = f"unnamed {len(places)}"
        new = names.setdefault(dim.dim_param, f"s{len(names)}")
        places.append((new, position, axis))
    taken = set(names.values())
    set_names(model, names | {name: name + "_" for name in taken - set(names)})
    sets = {}
    for name in data_sets(case):
        sizes, given = {}, dims_of_data(os.path.join(case, name))
        for new, position, axis in places:
            if position in given and axis < len(given[position]):
                sizes.setdefault(new, given[position][axis])
        sets[name] = sizes
    return sets


def fixed(sets):
    """The sizes of the first data set, and the data sets that have them."""
    first = next(iter(sets.values()))
    return {n: str(size) for n, size in first.items()}, [n for n, sizes in sets.items() if sizes == first]


def bounded(sets):
    options = {}
    for name in {n for sizes in sets.values() for n in sizes}:
        found = [sizes[name] for sizes in sets.values() if name in sizes]
        low, high = min([1, *found]), max(2 * max(found), 1)
        options[name] = f"{low}..{high}"
    return options, list(sets)


def write_case(model, case, kept, target):
    os.makedirs(target)
    onnx.save(model, os.path.join(target, "model.onnx"))
    for name in os.listdir(case):
        if name != "model.onnx" and (name in kept or not name.startswith("test_data_set")):
            os.symlink(os.path.realpath(os.path.join(case, name)), os.path.join(target, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases")
    parser.add_argument("out")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    number = 0
    for case in cases(options.cases):
        model = onnx.load(os.path.join(case, "model.onnx"), load_external_data=False)
        sets = recorded(model, case)
        if not sets or not any(sets.values()):
            continue
        number += 1
        if number % options.every:
            continue
        for form in (fixed, bounded):
            values, kept = form(sets)
            words = " ".join(f"--dim {name}={values[name]}" for name in sorted(values))
            folder = os.path.join(options.out, form.__name__, words.replace("--dim ", "").replace(" ", ","))
            write_case(model, case, kept, os.path.join(folder, os.path.relpath(case, options.cases).replace("/", "__")))
            with open(os.path.join(folder, "options"), "w") as file:
                file.write(words)


if __name__ == "__main__":
    main()
