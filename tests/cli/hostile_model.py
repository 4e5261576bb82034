"""Writes models whose every text field is hostile: hostile_model.py FOLDER.

names.onnx holds all strings as names of values, nodes, dimensions, tensors and functions;
about_N.onnx has string N in the fields that describe a model; bad_N.onnx is one that no compiler
can accept.
"""
import sys

from onnx import TensorProto, helper

HOSTILE = [
    b"*/int injected(void){return 1;}/*",
    b"*/\nint injected_1(void){return 1;}\n/*",
    b"/**/int injected_2;/*",
    b"**//**/ int injected_3; /**//*",
    b"*//*/int injected_4;",
    b"/", b"*", b"//", b"/*", b"*/", b"*/*", b"/*/",
    b"\nint injected_5(){return 1;}//",
    b"\r\nint injected_6(){return 1;}//",
    b"\rint injected_7(){return 1;}//",
    b"ends in a backslash \\",
    b"two backslashes \\\\",
    b"backslash and line \\\nint injected_8;",
    b"trigraph ??/\nint injected_9;",
    b"trigraph at the end ??/",
    b"quote \"; int injected_10; \"",
    b"apostrophe '; int injected_11; '",
    b"#define injected_12 1",
    b"\n#error injected_13\n",
    b"\n#include \"/etc/passwd\"\n",
    b"nul \x00int injected_14;",
    b"\x1b[31mred\x1b]0;title\x07",
    b"\x9b31m eight-bit control",
    b"\xc2\x9b31m C1 control in UTF-8",
    b"line separator \xe2\x80\xa8int injected_15;",
    b"right to left \xe2\x80\xae}; injected_16",
    b"not UTF-8 \xff\xfe\xc0\x80",
    b"overlong \xc0\xaf slash",
    b"na\xc3\xafve caf\xc3\xa9 \xf0\x9f\x98\x80",
    b"<script>injected_17()</script>",
    b"&amp;\"><img src=x onerror=injected_18()>",
    b"{}{0}{{%s%n}}@",
    b"$(shell touch injected_19) `touch injected_20`",
    b"); } int injected_21() { return (0",
    b")\"; int injected_22; R\"(",
    b"\xef\xbb\xbfbyte order mark",
    b"x" * 5000 + b"*/ int injected_23; /*",
]

placeholders = {}


def text(hostile, role=""):
    """The string, with the role before or after it. What is not UTF-8, `write` puts in."""
    words = [hostile, role.encode()] if len(hostile) % 2 else [role.encode(), hostile]
    wanted = b" ".join(word for word in words if word)
    try:
        return wanted.decode()
    except UnicodeDecodeError:
        key = f"@{len(placeholders)}@".ljust(len(wanted), "_")
        placeholders[key.encode()] = wanted
        return key


def write(path, model):
    data = model.SerializeToString()
    for key, wanted in placeholders.items():
        data = data.replace(key, wanted)
    placeholders.clear()
    with open(path, "wb") as file:
        file.write(data)


def info(name, elem, shape):
    return helper.make_tensor_value_info(name, elem, shape)


def names_model():
    nodes, inputs, outputs, tensors, functions = [], [], [], [], []
    for i, h in enumerate(HOSTILE):
        x, y, w, t, e = (text(h, role) for role in ("x", "y", "w", "t", "e"))
        dim, domain, function = text(h, "dim"), text(h, "domain"), text(h, "f")
        shape = [dim if i % 2 else 3, 4]
        inputs.append(info(x, TensorProto.FLOAT, shape))
        outputs.append(info(y, TensorProto.FLOAT, shape))
        tensors.append(helper.make_tensor(w, TensorProto.FLOAT, [4], [i + 0.5, 1, 2, 3]))
        a, b, inner = text(h, "a"), text(h, "b"), text(h, "inner")
        functions.append(helper.make_function(
            domain, function, [a], [b],
            [helper.make_node("Softmax", [a], [inner], name=text(h, "first")),
             helper.make_node("LogSoftmax", [inner], [b], name=text(h, "second"))],
            [helper.make_opsetid("", 15)]))
        nodes.append(helper.make_node("Add", [x, w], [t], name=text(h, "node"),
                                      doc_string=text(h, "doc")))
        # Called twice, so that the source has a function for it.
        nodes.append(helper.make_node(function, [t], [e], domain=domain, name=text(h, "call")))
        nodes.append(helper.make_node(function, [e], [y], domain=domain, name=text(h, "again")))
    s, t = text(HOSTILE[0], "strings in"), text(HOSTILE[1], "strings out")
    inputs.append(info(s, TensorProto.STRING, [3]))
    outputs.append(info(t, TensorProto.STRING, [3]))
    nodes.append(helper.make_node(
        "LabelEncoder", [s], [t], domain="ai.onnx.ml", keys_strings=[str(i) for i in range(9)],
        values_strings=[text(h, "value") for h in HOSTILE[:9]],
        default_string=text(HOSTILE[9])))
    graph = helper.make_graph(nodes, text(HOSTILE[0], "graph"), inputs, outputs, tensors)
    opsets = [helper.make_opsetid("", 15), helper.make_opsetid("ai.onnx.ml", 2)]
    opsets += [helper.make_opsetid(f.domain, 1) for f in functions]
    return helper.make_model(graph, functions=functions, opset_imports=opsets, ir_version=8)


def about(h, op_type="Relu"):
    i, o, d = text(h, "i"), text(h, "o"), text(h, "d")
    graph = helper.make_graph(
        [helper.make_node(op_type, [i], [o], name=text(h, "n"))], text(h),
        [info(i, TensorProto.FLOAT, [2, d])], [info(o, TensorProto.FLOAT, [2, d])],
        doc_string=text(h))
    model = helper.make_model(
        graph, producer_name=text(h), producer_version=text(h),
        domain=text(h), doc_string=text(h), ir_version=8,
        opset_imports=[helper.make_opsetid("", 15), helper.make_opsetid(text(h), 1)])
    for key in ("license", "model_license", text(h, "key")):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, text(h)
    return model


def main():
    folder = sys.argv[1]
    write(f"{folder}/names.onnx", names_model())
    for i, h in enumerate(HOSTILE):
        write(f"{folder}/about_{i}.onnx", about(h))
        write(f"{folder}/bad_{i}.onnx", about(h, text(h, "Operator")))
    print(len(HOSTILE))


main()
