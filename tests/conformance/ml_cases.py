"""The operators of ai.onnx.ml that the ONNX backend tests leave out."""
import numpy as np
from onnx import helper, numpy_helper

from case_writer import Map, Sequence, case, data, f4, i4, i8, node, refused

ML = "ai.onnx.ml"


def words(*texts):
    return np.array(texts, object)


def one(op, version, inputs, outputs, suffix="", tolerance=None, **attributes):
    case("%s_%d%s" % (op, version, suffix), version,
         node(op, list(inputs), list(outputs), domain=ML, **attributes), inputs, outputs, domain=ML,
         tolerance=tolerance)


def mapping_cases():
    numbers = np.array([[20, 7], [10, 20]], i8)
    texts = words("b", "x", "a", "b")
    cats = {"cats_int64s": [10, 20], "cats_strings": ["a", "b"]}
    one("CategoryMapper", 1, {"x": texts}, {"y": np.array([20, -5, 10, 20], i8)}, default_int64=-5,
        **cats)
    one("CategoryMapper", 1, {"x": numbers}, {"y": words("b", "?", "a", "b").reshape(2, 2)},
        "_to_string", default_string="?", **cats)
    one("LabelEncoder", 1, {"x": texts}, {"y": np.array([1, -1, 0, 1], i8)},
        classes_strings=["a", "b"])
    one("LabelEncoder", 1, {"x": np.array([1, 7, 0, -1], i8)},
        {"y": words("b", "_Unused", "a", "_Unused")}, "_to_string", classes_strings=["a", "b"])
    one("LabelEncoder", 2, {"x": numbers}, {"y": np.array([[2.5, -1], [1.5, 2.5]], f4)},
        keys_int64s=[10, 20], values_floats=[1.5, 2.5], default_float=-1.0)
    one("LabelEncoder", 2, {"x": texts}, {"y": np.array([20, -1, 10, 20], i8)}, "_string",
        keys_strings=["a", "b"], values_int64s=[10, 20])
    hot = np.array([[[0, 1], [0, 0]], [[1, 0], [0, 1]]], f4)
    one("OneHotEncoder", 1, {"x": numbers}, {"y": hot}, cats_int64s=[10, 20])
    one("OneHotEncoder", 1, {"x": texts}, {"y": np.array([[0, 1], [0, 0], [1, 0], [0, 1]], f4)},
        "_string", cats_strings=["a", "b"])


def map_cases():
    weights = Map(np.array([3, 0, 7], i8), np.array([0.5, 1.5, -2], f4))
    one("CastMap", 1, {"x": weights}, {"y": np.array([[1.5, 0.5, -2]], f4)})
    one("CastMap", 1, {"x": weights}, {"y": np.array([[1.5, 0, 0, 0.5, 0, 0, 0, -2, 0]], f4)},
        "_sparse", map_form="SPARSE", max_map=9)
    one("DictVectorizer", 1, {"x": Map(words("c", "a"), np.array([4, 5], f4))},
        {"y": np.array([[5, 0, 4]], f4)}, string_vocabulary=["a", "b", "c"])
    scores = data(2, 3)
    labels = np.array([5, 1, 9], i8)
    one("ZipMap", 1, {"x": scores}, {"y": Sequence([Map(labels, row) for row in scores])},
        classlabels_int64s=labels.tolist())


def vector_cases():
    a, b = data(2, 2), np.array([[1, 2, 3], [4, 5, 6]], f4)
    one("FeatureVectorizer", 1, {"a": a, "b": b}, {"y": np.concatenate([a, b], 1)},
        inputdimensions=[2, 3])
    holes = np.array([[1, np.nan, 3], [np.nan, 5, np.nan]], f4)
    filled = np.where(np.isnan(holes), np.array([7, 8, 9], f4), holes)
    one("Imputer", 1, {"x": holes}, {"y": filled},
        imputed_value_floats=[7.0, 8.0, 9.0], replaced_value_float=float("nan"))
    whole = np.array([[1, -1, 3], [-1, 5, -1]], i8)
    one("Imputer", 1, {"x": whole}, {"y": np.where(whole == -1, 4, whole)}, "_int64",
        imputed_value_int64s=[4], replaced_value_int64=-1)
    x = data(3, 4, low=0.1, high=2)
    for norm, y in (("MAX", x / x.max(1, keepdims=True)), ("L1", x / x.sum(1, keepdims=True)),
                    ("L2", x / np.sqrt((x * x).sum(1, keepdims=True)))):
        one("Normalizer", 1, {"x": x}, {"y": y.astype(f4)}, "_" + norm, norm=norm)
    offset, scale = data(4, seed=8), data(4, seed=9)
    one("Scaler", 1, {"x": x}, {"y": (x - offset) * scale}, offset=offset.tolist(),
        scale=scale.tolist())
    one("Scaler", 1, {"x": x}, {"y": (x - f4(0.5)) * f4(3)}, "_one", offset=[0.5], scale=[3.0])


def linear_cases():
    x, weights, bias = data(5, 4), data(3, 4, seed=8), data(3, seed=9)
    scores = x @ weights.T + bias
    shared = {"coefficients": weights.ravel().tolist(), "intercepts": bias.tolist()}
    one("LinearRegressor", 1, {"x": x}, {"y": scores}, targets=3, **shared)
    labels = np.array([4, 2, 9], i8)
    chosen = labels[scores.argmax(1)]
    soft = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    logistic = 1 / (1 + np.exp(-scores))
    for transform, z in (("NONE", scores), ("SOFTMAX", soft), ("LOGISTIC", logistic)):
        one("LinearClassifier", 1, {"x": x}, {"y": chosen, "z": z.astype(f4)}, "_" + transform,
            classlabels_ints=labels.tolist(), post_transform=transform, multi_class=1, **shared)


def kernel(name, x, vectors, gamma, coef0, degree):
    dots = x.astype(np.float64) @ vectors.T
    if name == "RBF":
        return np.exp(-gamma * ((x[:, None] - vectors[None])**2).sum(2))
    return {"LINEAR": lambda: dots, "POLY": lambda: (gamma * dots + coef0)**degree,
            "SIGMOID": lambda: np.tanh(gamma * dots + coef0)}[name]()


def svm_cases():
    x, vectors = data(4, 3), data(5, 3, seed=8)
    coefficients = data(5, seed=9)
    parameters = (0.3, 0.2, 2.0)
    shared = {"support_vectors": vectors.ravel().tolist(), "kernel_params": list(parameters)}
    for name in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        y = kernel(name, x, vectors, *parameters) @ coefficients + 0.25
        one("SVMRegressor", 1, {"x": x}, {"y": y[:, None].astype(f4)}, "_" + name, n_supports=5,
            coefficients=coefficients.tolist(), rho=[0.25], kernel_type=name, **shared)

    # Three classes with 2, 1 and 2 vectors: one decision for each pair, which then vote.
    counts, table, rho = [2, 1, 2], data(2, 5, seed=10), data(3, seed=11)
    near = kernel("RBF", x, vectors, *parameters)
    first = np.cumsum([0] + counts)
    own = lambda c: slice(first[c], first[c + 1])
    votes, decisions = np.zeros((4, 3)), []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        score = near[:, own(i)] @ table[j - 1, own(i)] + near[:, own(j)] @ table[i, own(j)]
        decisions.append(score + rho[len(decisions)])
        for row, s in enumerate(decisions[-1]):
            votes[row, i if s > 0 else j] += 1
    labels = np.array([7, 3, 5], i8)
    one("SVMClassifier", 1, {"x": x},
        {"y": labels[votes.argmax(1)], "z": np.stack(decisions, 1).astype(f4)},
        coefficients=table.ravel().tolist(), rho=rho.tolist(), vectors_per_class=counts,
        classlabels_ints=labels.tolist(), kernel_type="RBF", **shared)


# Two trees. Node: feature, mode, threshold, true child, false child; leaf: its votes by id.
TREES = [
    [(0, "BRANCH_LEQ", 0.0, 1, 2), {0: 1.0, 1: 0.5}, (2, "BRANCH_GT", 0.5, 3, 4), {1: 2.0},
     {2: 1.5}],
    [(1, "BRANCH_LT", -0.25, 1, 2), {2: 0.75}, {0: 0.25, 2: 0.125}],
]


def walk(tree, row):
    holds = {"BRANCH_LEQ": np.less_equal, "BRANCH_LT": np.less, "BRANCH_GT": np.greater}
    at = 0
    while not isinstance(tree[at], dict):
        feature, mode, threshold, yes, no = tree[at]
        at = yes if holds[mode](row[feature], threshold) else no
    return tree[at]


def tree_attributes(prefix):
    """The trees as parallel lists; ids of votes in lists that begin with `prefix`."""
    keys = ["treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids"]
    nodes, votes = {k: [] for k in keys}, {k: [] for k in ("treeids", "nodeids", "ids", "weights")}
    for t, tree in enumerate(TREES):
        for k, entry in enumerate(tree):
            leaf = isinstance(entry, dict)
            branch = (0, "LEAF", 0.0, 0, 0) if leaf else entry
            for key, value in zip(keys, (t, k) + branch):
                nodes[key].append(value)
            for target, weight in entry.items() if leaf else ():
                for key, value in zip(votes, (t, k, target, weight)):
                    votes[key].append(value)
    attributes = {"nodes_" + k: v for k, v in nodes.items()}
    attributes.update({prefix + "_" + k: v for k, v in votes.items()})
    return attributes


def as_doubles(attributes, *names):
    for name in names:
        values = np.array(attributes.pop(name), np.float64)
        attributes[name + "_as_tensor"] = numpy_helper.from_array(values, name)
    return attributes


def tree_cases():
    x = data(8, 3)
    totals = np.zeros((8, 3))
    votes = [[walk(tree, row) for tree in TREES] for row in x]
    for row, leaves in enumerate(votes):
        for leaf in leaves:
            for target, weight in leaf.items():
                totals[row, target] += weight
    base = np.array([0.0625, -0.125, 0.25])
    labels = np.array([11, 13, 12], i8)
    for version in (1, 3):
        regressor, classifier = tree_attributes("target"), tree_attributes("class")
        source = x
        if version == 3:
            source = x.astype(np.float64)
            as_doubles(regressor, "nodes_values", "target_weights")
            as_doubles(classifier, "nodes_values", "class_weights")
        one("TreeEnsembleRegressor", version, {"x": source}, {"y": (totals + base).astype(f4)},
            n_targets=3, base_values=base.tolist(), **regressor)
        if version == 1:
            one("TreeEnsembleRegressor", version, {"x": source}, {"y": (totals / 2).astype(f4)},
                "_average", n_targets=3, aggregate_function="AVERAGE", **regressor)
        one("TreeEnsembleClassifier", version, {"x": source},
            {"y": labels[totals.argmax(1)], "z": totals.astype(f4)},
            classlabels_int64s=labels.tolist(), **classifier)
    for op, prefix in (("TreeEnsembleRegressor", "target"), ("TreeEnsembleClassifier", "class")):
        refused(op + "_5", 5, node(op, ["x"], ["y"], domain=ML, **tree_attributes(prefix)),
                {"x": x}, op + " was removed in opset 5", domain=ML)


def picking_cases():
    x, letters = data(2, 3, 4), words("a", "b", "c", "d").reshape(2, 2)
    one("ArrayFeatureExtractor", 1, {"x": x, "i": np.array([[3, 0, 3]], i8)}, {"z": x[..., [3, 0, 3]]},
        "_rank_3")
    one("ArrayFeatureExtractor", 1, {"x": x[0, 0], "i": np.array([2], i8)}, {"z": x[:1, 0, 2:3]},
        "_vector")
    one("ArrayFeatureExtractor", 1, {"x": letters, "i": np.array([1], i8)}, {"z": letters[:, 1:]},
        "_string")
    for name, dtype in (("float", f4), ("double", np.float64), ("int64", i8), ("int32", i4)):
        values = np.array([[-2, 0, 1], [1.5, 2, 7]]).astype(dtype)
        one("Binarizer", 1, {"x": values}, {"y": (values > 1.25).astype(dtype)}, "_" + name,
            threshold=1.25)
    pairs = {"keys_tensor": numpy_helper.from_array(np.array([1, 2, np.nan], np.float64), "k"),
             "values_tensor": numpy_helper.from_array(np.array([5, 6, 7], np.int16), "v"),
             "default_tensor": numpy_helper.from_array(np.array([9], np.int16), "d")}
    one("LabelEncoder", 4, {"x": np.array([2, np.nan, 3, 1], np.float64)},
        {"y": np.array([6, 7, 9, 5], np.int16)}, "_double_int16", **pairs)


def typed_vector_cases():
    """The element types that vector_cases leaves out; results are floats."""
    offset, scale = np.array([1, -2, 0.5], f4), np.array([2, 0.25, -3], f4)
    for name, dtype in (("double", np.float64), ("int64", i8), ("int32", i4)):
        x = np.array([[1, -2, 3], [0, 0, 0], [-7, 5, 100]]).astype(dtype)
        wide = x.astype(np.float64)
        one("Scaler", 1, {"x": x}, {"y": ((wide - offset) * scale).astype(f4)}, "_" + name,
            offset=offset.tolist(), scale=scale.tolist())
        length = np.sqrt((wide**2).sum(1, keepdims=True))
        one("Normalizer", 1, {"x": x}, {"y": (wide / np.where(length == 0, 1, length)).astype(f4)},
            "_L2_" + name, norm="L2")
        one("FeatureVectorizer", 1, {"a": x[0], "b": x[1, :2]},
            {"y": np.array([list(x[0]) + [0] + list(x[1, :1])], f4)}, "_" + name,
            inputdimensions=[4, 1])
        one("OneHotEncoder", 1, {"x": x[0]}, {"y": (x[0][:, None] == [3, 1, 9]).astype(f4)},
            "_" + name, cats_int64s=[3, 1, 9])
        holes = {"imputed_value_floats": [4.0], "replaced_value_float": -2.0} if name == "double" \
            else {"imputed_value_int64s": [4], "replaced_value_int64": -2}
        one("Imputer", 1, {"x": x}, {"y": np.where(x == -2, 4, x).astype(dtype)}, "_one_" + name,
            **holes)
        weights, bias = data(2, 3), data(2, seed=8)
        scores = wide @ weights.T + bias
        shared = {"coefficients": weights.ravel().tolist(), "intercepts": bias.tolist()}
        one("LinearRegressor", 1, {"x": x}, {"y": scores.astype(f4)}, "_" + name, targets=2, **shared)
        one("LinearClassifier", 1, {"x": x},
            {"y": words("no", "yes")[scores.argmax(1)], "z": scores.astype(f4)}, "_" + name,
            classlabels_strings=["no", "yes"], **shared)


def typed_map_cases():
    numbers = Map(np.array([3, 0, 7], i8), np.array([0.5, 1.5, -2], f4))
    texts = Map(np.array([1, 0], i8), words("12", "-3"))
    one("CastMap", 1, {"x": numbers}, {"y": np.array([[1, 0, -2]], i8)}, "_int64", cast_to="TO_INT64")
    one("CastMap", 1, {"x": numbers}, {"y": words("1.5", "0.5", "-2.0").reshape(1, 3)}, "_string",
        cast_to="TO_STRING")
    one("CastMap", 1, {"x": texts}, {"y": np.array([[-3, 12, 0]], i8)}, "_string_int64",
        cast_to="TO_INT64", map_form="SPARSE", max_map=3)
    one("CastMap", 1, {"x": texts}, {"y": words("-3", "12").reshape(1, 2)}, "_string_string",
        cast_to="TO_STRING")
    for name, dtype in (("int64", i8), ("double", np.float64)):
        one("DictVectorizer", 1, {"x": Map(words("c", "?"), np.array([4, 5], dtype))},
            {"y": np.array([[0, 4]], dtype)}, "_" + name, string_vocabulary=["a", "c"])
    one("DictVectorizer", 1, {"x": Map(np.array([9, 2], i8), words("nine", "two"))},
        {"y": words("two", "", "nine").reshape(1, 3)}, "_string", int64_vocabulary=[2, 5, 9])
    row = data(3)
    one("ZipMap", 1, {"x": row}, {"y": Sequence([Map(words("a", "b", "c"), row)])}, "_string",
        classlabels_strings=["a", "b", "c"])
    # As exporters declare the values.
    one("ZipMap", 1, {"x": row}, {"y": Sequence([Map(words("a", "b", "c"), row, declared=[1])])},
        "_values_of_shape_1", classlabels_strings=["a", "b", "c"])
    one("CastMap", 1, {"x": Map(np.array([3, 0], i8), np.array([0.5, 2], f4), declared=[1])},
        {"y": np.array([[2, 0.5]], f4)}, "_values_of_shape_1")


def pair_cases():
    """One score for two labels."""
    x, weights = data(6, 3), data(3, seed=8)
    s = (x @ weights + f4(0.125)).astype(np.float64)
    labels = np.array([4, 9], i8)
    logistic = 1 / (1 + np.exp(-np.stack([-s, s], 1)))
    for transform, z in (("NONE", np.stack([1 - s, s], 1)), ("LOGISTIC", logistic)):
        one("LinearClassifier", 1, {"x": x}, {"y": labels[(s > 0).astype(int)], "z": z.astype(f4)},
            "_pair_" + transform, coefficients=weights.tolist(), intercepts=[0.125],
            classlabels_ints=labels.tolist(), post_transform=transform)
    vectors, table = data(4, 3, seed=9), data(4, seed=10)
    d = kernel("RBF", x, vectors, 0.5, 0, 0) @ table - 0.0625
    shared = {"support_vectors": vectors.ravel().tolist(), "coefficients": table.tolist(),
              "rho": [-0.0625], "vectors_per_class": [1, 3], "kernel_type": "RBF",
              "kernel_params": [0.5, 0.0, 0.0], "classlabels_strings": ["first", "second"]}
    chosen = words("first", "second")[(d <= 0).astype(int)]
    one("SVMClassifier", 1, {"x": x}, {"y": chosen, "z": np.stack([-d, d], 1).astype(f4)}, "_pair",
        **shared)
    # Found in steps that end once they are short.
    p = 1 - 1 / (1 + np.exp(-(d * -1.5 + 0.25)))
    one("SVMClassifier", 1, {"x": x}, {"y": chosen, "z": np.stack([p, 1 - p], 1).astype(f4)},
        "_probabilities", tolerance=0.005, prob_a=[-1.5], prob_b=[0.25], **shared)
    lines = data(3, 3, seed=11)
    scores = x @ lines.T + f4(0.5)
    one("SVMClassifier", 1, {"x": x},
        {"y": np.array([7, 3, 5], i8)[scores.argmax(1)], "z": scores}, "_linear",
        coefficients=lines.ravel().tolist(), rho=[0.5], classlabels_ints=[7, 3, 5])
    y = x @ weights - f4(0.25)
    one("SVMRegressor", 1, {"x": x}, {"y": y[:, None]}, "_linear_machine",
        coefficients=weights.tolist(), rho=[-0.25])
    one("SVMRegressor", 1, {"x": x.astype(np.float64)},
        {"y": np.where(y > 0, 1, -1).astype(f4)[:, None]}, "_one_class",
        coefficients=weights.tolist(), rho=[-0.25], one_class=1)


def make():
    for group in (mapping_cases, map_cases, vector_cases, linear_cases, svm_cases, tree_cases,
                  picking_cases, typed_vector_cases, typed_map_cases, pair_cases):
        group()
