"""Strings, in the operators of text and in those that only move elements."""
import numpy as np
from onnx import TensorProto, helper

from case_writer import case, elem_of, f4, i4, i8, node, refused, rng


def words(*texts):
    return np.array(texts, object)


def ints(*values):
    return np.array(values, i8)


def spell(numbers):
    """Numbers as different strings, 0 as the empty one."""
    word = lambda v: ("w%d" % v if v % 3 else "\u00e9%d" % v) if v else ""
    return np.array([word(v) for v in np.ravel(numbers)], object).reshape(np.shape(numbers))


def letters(*shape):
    return rng(1).permutation(int(np.prod(shape))).reshape(shape) + 1


def moved(op, version, x, y, suffix="", init=None, more=None, **attributes):
    """op moves the elements of x; further inputs are constants."""
    inputs = {"x": spell(x)}
    inputs.update(more or {})
    outputs = y if isinstance(y, dict) else {"y": spell(y)}
    case("%s_%d_strings%s" % (op, version, suffix), version,
         node(op, list(inputs) + list(init or {}), list(outputs), **attributes), inputs, outputs,
         init=init)


def moving_cases():
    x = letters(2, 3, 4)
    moved("Identity", 1, x, x)
    moved("Gather", 1, x, x[:, [2, 0]], more={"i": ints(2, 0)}, axis=1)
    i = np.array([[1, 2, 0], [2, 0, 0]], i8)
    moved("GatherElements", 11, letters(3, 3), np.take_along_axis(letters(3, 3), i, 0),
          more={"i": i})
    moved("GatherND", 12, x, x[[0, 1], [1, 2]], more={"i": np.array([[0, 1], [1, 2]], i8)})
    square, update = letters(3, 3), letters(1, 3) + 20
    scattered = square.copy()
    np.put_along_axis(scattered, i[:1], update, 0)
    moved("ScatterElements", 16, square, scattered, more={"i": i[:1], "u": spell(update)})
    row = letters(8)
    replaced = row.copy()
    replaced[[4, 1]] = [30, 31]
    moved("ScatterND", 16, row, replaced,
          more={"i": np.array([[4], [1]], i8), "u": spell([30, 31])})
    moved("Concat", 13, x, np.concatenate([x, x[:, :1]], 1), more={"z": spell(x[:, :1])}, axis=1)
    moved("Concat", 13, x, np.concatenate([x, x[:1]], 0), "_first", more={"z": spell(x[:1])},
          axis=0)
    for axis, suffix in ((0, "_first"), (1, "")):
        v = letters(6, 6)
        moved("Split", 13, v, {k: spell(p) for k, p in zip("yz", np.split(v, [2], axis))}, suffix,
              init={"s": ints(2, 4)}, axis=axis)
    moved("Slice", 13, x, x[:, 0:2, -1:-10:-2],
          init={"a": ints(0, -1), "b": ints(2, -10), "c": ints(1, 2), "d": ints(1, -2)})
    moved("Slice", 13, x, x[1:2], "_first", init={"a": ints(1), "b": ints(2), "c": ints(0)})
    for mode in ("constant", "reflect", "edge", "wrap"):
        moved("Pad", 19, square, np.pad(square, ((0, 1), (1, 2)), mode), "_" + mode,
              init={"p": ints(0, 1, 1, 2)}, mode=mode)
    moved("Pad", 19, square, np.pad(square, ((0, 1), (1, 2)), constant_values=5),
          init={"p": ints(0, 1, 1, 2), "v": spell(5)})
    moved("Tile", 13, square, np.tile(square, (2, 2)), init={"n": ints(2, 2)})
    moved("Expand", 13, letters(3, 1), np.broadcast_to(letters(3, 1), (2, 3, 4)),
          init={"s": ints(2, 3, 4)})
    moved("Reshape", 14, x, x.reshape(4, 6), init={"s": ints(4, -1)})
    moved("Transpose", 13, x, x.transpose(2, 0, 1), perm=[2, 0, 1])
    moved("Squeeze", 13, x[:1], x[0], init={"a": ints(0)})
    moved("Unsqueeze", 13, x, x[None], init={"a": ints(0)})
    moved("Flatten", 13, x, x.reshape(2, 12))
    moved("Compress", 11, square, square[1:], more={"c": np.array([False, True, True])}, axis=0)
    moved("ReverseSequence", 10, square, np.stack([square[::-1, 0], square[[1, 0, 2], 1],
                                                   square[:, 2]], 1),
          more={"n": ints(3, 2, 1)}, batch_axis=1, time_axis=0)
    image = letters(1, 8, 2, 3)
    wide = image.reshape(1, 2, 2, 2, 2, 3).transpose(0, 3, 4, 1, 5, 2).reshape(1, 2, 4, 6)
    moved("DepthToSpace", 13, image, wide, blocksize=2)
    moved("SpaceToDepth", 13, wide, image, blocksize=2)
    moved("Trilu", 14, square, np.tril(square), upper=0)
    moved("CenterCropPad", 18, letters(5, 4), np.pad(letters(5, 4)[1:4], ((0, 0), (1, 1))),
          init={"s": ints(3, 6)})
    image = letters(1, 1, 3, 3)
    case("Resize_19_strings", 19, node("Resize", ["x", "", "", "s"], ["y"]), {"x": spell(image)},
         {"y": spell(image.repeat(2, 2).repeat(2, 3))}, init={"s": ints(1, 1, 6, 6)})
    grid = np.array([[[[-1, -1], [1, 1], [0, 0], [9, 9]]]], f4)
    moved("GridSample", 20, image, [[[[image[0, 0, 0, 0], image[0, 0, 2, 2], image[0, 0, 1, 1], 0]]]],
          more={"g": grid}, mode="nearest", align_corners=1)
    cache, update = letters(1, 1, 4, 2), letters(1, 1, 2, 2) + 30
    moved("TensorScatter", 24, cache, np.concatenate([cache[:, :, :1], update, cache[:, :, 3:]], 2),
          more={"u": spell(update), "i": ints(1)})


def choosing_cases():
    a, b = letters(2, 3), letters(2, 1) + 10
    choice = np.array([True, False, True])
    case("Where_16_strings", 16, node("Where", ["c", "a", "b"], ["y"]),
         {"c": choice, "a": spell(a), "b": spell(b)}, {"y": spell(np.where(choice, a, b))})
    case("Equal_19_strings", 19, node("Equal", ["a", "b"], ["y"]),
         {"a": words("x", "", "xy", "x"), "b": words("x", "", "x", "y")},
         {"y": np.array([True, True, False, False])})
    case("OneHot_11_strings", 11, node("OneHot", ["i", "d", "v"], ["y"]),
         {"i": ints(0, 2), "v": words("off", "on")},
         {"y": words("on", "off", "off", "off", "off", "on").reshape(2, 3)},
         init={"d": np.array(3, i8)})
    case("Unique_11_strings", 11, node("Unique", ["x"], ["y", "i", "j", "n"]),
         {"x": words("b", "", "b", "ab", "")},
         {"y": words("", "ab", "b"), "i": ints(1, 3, 0), "j": ints(2, 0, 2, 1, 0),
          "n": ints(2, 1, 2)})
    case("NonZero_13_strings", 13, node("NonZero", ["x"], ["y"]),
         {"x": words("", "a", "b", "").reshape(2, 2)}, {"y": np.array([[0, 1], [1, 0]], i8)})
    constant = [node("Constant", [], ["c"], value_strings=["p", "q", "r", "s\"\n\\"]),
                node("Reshape", ["c", "s"], ["d"]), node("Transpose", ["d"], ["e"]),
                node("Gather", ["e", "i"], ["y"])]
    case("Constant_13_strings", 13, constant, {"i": ints(1)},
         {"y": words("q", "s\"\n\\").reshape(1, 2)}, init={"s": ints(2, 2)})


def cast_cases():
    def cast(suffix, x, y):
        case("Cast_21_" + suffix, 21, node("Cast", ["x"], ["y"], to=elem_of(y)), {"x": x}, {"y": y})
    cast("float_string", np.array([1.5, 1e20, -0.0, 1e-7, 100], f4),
         words("1.5", "1e+20", "-0.0", "1e-07", "100.0"))
    cast("double_string", np.array([0.1, 1 / 3, 5e-324]), words("0.1", "0.3333333333333333", "5e-324"))
    cast("float16_string", np.array([0.1, 3], np.float16), words("0.1", "3.0"))
    cast("int64_string", ints(-5, 2**62), words("-5", str(2**62)))
    cast("uint8_string", np.array([0, 255], np.uint8), words("0", "255"))
    cast("bool_string", np.array([True, False]), words("True", "False"))
    cast("string_string", words("a", ""), words("a", ""))
    cast("string_int32", words("7", " -8", "1e3"), np.array([7, -8, 1000], i4))
    cast("string_float16", words("7.5", "-inf"), np.array([7.5, -np.inf], np.float16))
    cast("string_double", words("1e-5", "1E8", "NaN"), np.array([1e-5, 1e8, np.nan]))
    cast("string_bool", words("True", "0"), np.array([True, False]))
    chain = [node("Cast", ["x"], ["s"], to=TensorProto.STRING),
             node("StringConcat", ["s", "c"], ["t"]), node("Cast", ["t"], ["y"], to=TensorProto.FLOAT)]
    case("Cast_21_string_chain", 21, chain, {"x": np.array([1, 2], i4)},
         {"y": np.array([1000, 2000], f4)}, init={"c": words("e3")})


def text_cases():
    case("StringConcat_20_scalar", 20, node("StringConcat", ["a", "b"], ["y"]),
         {"a": np.array("cat", object), "b": np.array("", object)}, {"y": np.array("cat", object)})
    case("StringConcat_20_broadcast", 20, node("StringConcat", ["a", "b"], ["y"]),
         {"a": words("a", "b").reshape(2, 1), "b": words("", "1", "22")},
         {"y": words("a", "a1", "a22", "b", "b1", "b22").reshape(2, 3)})
    case("StringSplit_20", 20, node("StringSplit", ["x"], ["y", "n"], delimiter="::", maxsplit=1),
         {"x": words("a::b::c", "d")}, {"y": words("a", "b::c", "d", "").reshape(2, 2),
                                        "n": ints(2, 1)})
    case("StringSplit_20_free", 20, node("StringSplit", ["x"], ["y", "n"]),
         {"x": words(" a b\u2003c ", "")}, {"y": words("a", "b", "c", "", "", "").reshape(2, 3),
                                            "n": ints(3, 0)},
         shapes={"x": ["N"], "y": ["N", "M"], "n": ["N"]})
    case("StringNormalizer_10_letters", 10,
         node("StringNormalizer", ["x"], ["y"], case_change_action="UPPER", stopwords=["\u00e9a"]),
         {"x": words("\u00c9A", "\u043f\u0440\u0438\u0432\u0435\u0442", "\u03c3\u03c2", "\u00ff")},
         {"y": words("\u041f\u0420\u0418\u0412\u0415\u0422", "\u03a3\u03a3", "\u0178")})
    case("StringNormalizer_10_free", 10,
         node("StringNormalizer", ["x"], ["y"], case_change_action="LOWER", stopwords=["a", "b"]),
         {"x": words("A", "b").reshape(1, 2)}, {"y": words("").reshape(1, 1)},
         shapes={"x": [1, "N"], "y": [1, "M"]})
    case("RegexFullMatch_20", 20, node("RegexFullMatch", ["x"], ["y"], pattern="(?i)[^\\d\\s]{2,3}$"),
         {"x": words("ab", "\u00c9\u00e9\u00c9", "a", "abcd", "a1", "")},
         {"y": np.array([True, True, False, False, False, False])})
    pool = dict(min_gram_length=1, max_gram_length=2, max_skip_count=0, ngram_counts=[0, 2],
                ngram_indexes=[2, 0, 1])
    case("TfIdfVectorizer_9_strings", 9,
         node("TfIdfVectorizer", ["x"], ["y"], mode="TFIDF", pool_strings=["a", "b", "a", "b"],
              weights=[1.0, 2.0, 3.0], **pool),
         {"x": words("a", "b", "a", "b")}, {"y": np.array([4, 6, 2], f4)})
    case("TfIdfVectorizer_9_idf", 9,
         node("TfIdfVectorizer", ["x"], ["y"], mode="IDF", pool_int64s=[5, 6, 5, 6],
              weights=[0.5, 2.0, 4.0], **pool),
         {"x": np.array([[5, 5, 7], [5, 6, 6]], i8)},
         {"y": np.array([[0, 0, 0.5], [2, 4, 0.5]], f4)})


def branch_cases():
    def info(name, elem, shape=()):
        return helper.make_tensor_value_info(name, elem, shape)
    text, flag, number = TensorProto.STRING, TensorProto.BOOL, TensorProto.INT64

    def branch(x, y):
        return helper.make_graph([node("Identity", [x], [y])], y, [], [info(y, text, [2])])
    a, b = words("a", "b"), words("longer", "d")
    case("If_13_strings", 13,
         node("If", ["c"], ["y"], then_branch=branch("a", "t"), else_branch=branch("b", "e")),
         {"c": np.array(False), "a": a, "b": b}, {"y": b})
    body = helper.make_graph(
        [node("Identity", ["going"], ["on"]), node("StringConcat", ["s", "a"], ["t"])], "body",
        [info("i", number), info("going", flag), info("s", text, [2])],
        [info("on", flag), info("t", text, [2])])
    case("Loop_20_strings", 20, node("Loop", ["n", "", "a"], ["y"], body=body),
         {"n": np.array(3, i8), "a": a}, {"y": words("aaaa", "bbbb")})


def refused_cases():
    x = words("a", "b")
    for suffix, pattern, message in (
            ("bracket", "[a", "has a [ without its ]"), ("group", "(?=a)", "does not know"),
            ("back", "(a)\\1", "refers back"), ("category", "\\p{Greek}", "the class")):
        refused("RegexFullMatch_20_" + suffix, 20,
                node("RegexFullMatch", ["x"], ["y"], pattern=pattern), {"x": x}, message)
    refused("TfIdfVectorizer_9_indexes", 9,
            node("TfIdfVectorizer", ["x"], ["y"], mode="TF", min_gram_length=1, max_gram_length=1,
                 max_skip_count=0, ngram_counts=[0], ngram_indexes=[0], pool_strings=["a", "b"]),
            {"x": x}, "ngram_indexes")


def make():
    moving_cases()
    choosing_cases()
    cast_cases()
    text_cases()
    branch_cases()
    refused_cases()
